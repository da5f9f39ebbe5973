import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { evotrainer, lineageOf } from "./cli.ts";
import { makeToyProject, measuredOnce, tested, toyFiles } from "./toyProject.ts";

describe("what is said of versions that were taken back, or failed nearby", function () {
  this.timeout(240_000);
  let root = "";
  before(() => {
    // So many seeds of the baseline that a loss can be told from noise after the first seed of a candidate.
    root = makeToyProject({
      "evotrainer.yaml": tested(
        measuredOnce(toyFiles["evotrainer.yaml"] ?? ""),
        "seeds: 3, calibrationSeeds: 6",
      ),
    });
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  const shown = (name: string) => lineageOf(root).versions.find((v) => v.name === name);

  it("passes over, or warns of, an edit that was quarantined or worse on a version nearby", () => {
    const passed = evotrainer(root, "propose", "--parent", "v2", "--count", "16");
    const said = `${passed.stdout}${passed.stderr}`;
    assert.match(said, /bonus is passed over: v3-bonus made the same change on v1 and was worse: Worse: −/);
    assert.doesNotMatch(passed.stdout, /^v\d+-bonus on/m);
    const named = evotrainer(root, "propose", "--parent", "v1", "--intervention", "visible-history");
    assert.equal(named.code, 0, named.stderr);
    assert.match(
      named.stdout,
      /careful: v5-visible-history made the same change on v2-linear-shape and was quarantined: /,
    );
  });

  it("refuses to revert what was not kept, and says so", () => {
    for (const [version, decision] of [
      ["v3-bonus", "reject"],
      ["v5", "invalid"],
    ] as const) {
      const ran = evotrainer(root, "revert", version);
      assert.equal(ran.code, 2);
      assert.match(
        ran.stderr,
        new RegExp(`was not kept \\(${decision}\\), so there is nothing to take back`),
      );
    }
  });

  it("takes the star away from a reverted version, and gives it back when the revert is reverted", () => {
    assert.match(evotrainer(root, "lineage").stdout, /v2-linear-shape ★/);
    const ran = evotrainer(root, "revert", "v2");
    assert.match(
      ran.stdout,
      /-revert-v2-linear-shape reverts v2-linear-shape \(shape: flat → linear\): it has the files of v1/,
    );
    const revert = ran.stdout.split(" ")[0] ?? "";
    assert.deepEqual(
      [shown("v2-linear-shape")?.promoted, shown("v2-linear-shape")?.revertedBy],
      [false, revert],
    );
    const text = evotrainer(root, "lineage").stdout;
    assert.doesNotMatch(text, /★/);
    assert.match(text, /keep, reverted/);
    assert.equal(evotrainer(root, "revert", revert).code, 0);
    assert.deepEqual(
      [shown("v2-linear-shape")?.promoted, shown("v2-linear-shape")?.revertedBy],
      [true, undefined],
    );
  });
});
