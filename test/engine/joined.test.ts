import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evotrainer, lineageOf } from "./cli.ts";
import { makeToyProject, measuredOnce, toyFiles, tested } from "./toyProject.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd,
    encoding: "utf8",
  });

describe("two changes that do something only together", function () {
  this.timeout(240_000);
  const made: string[] = [];
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  it("are tried together after one alone looked better, and which of the two is needed is found out", () => {
    const root = makeToyProject({
      "harness/interventions/bonus.intervention.yaml": null,
      "harness/interventions/visible-history.intervention.yaml": null,
      "evotrainer.yaml": tested(
        measuredOnce(toyFiles["evotrainer.yaml"] ?? "").replace(
          "generations: 2, variantsPerGeneration: 3",
          "generations: 3, variantsPerGeneration: 1",
        ),
        "seeds: 2, margin: 0.1",
      ),
    });
    made.push(root);
    const trainer = join(root, "trainer.mjs");
    const text = readFileSync(trainer, "utf8");
    const together = '(harness.shape === "linear" ? (harness.speed === "fast" ? 0.5 : 0.06) : 0)';
    const changed = text
      .replace('harness.speed === "fast" ? 0.01 : 0', "0")
      .replace('(harness.shape === "linear" ? 0.35 : 0)', together);
    assert.ok(changed.includes(together));
    writeFileSync(trainer, changed);
    git(root, "commit", "--quiet", "--all", "--message", "another trainer");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    const { versions } = lineageOf(root);
    assert.deepEqual(
      versions.slice(2).map((v) => [v.name, v.parent, v.joins, v.without, v.decision]),
      [
        ["v2-linear-shape", "v1", undefined, undefined, "reject"],
        ["v3-faster-with-v2", "v1", "v2-linear-shape", undefined, "keep"],
        ["v4-without-v2-linear-shape", "v3-faster-with-v2", undefined, "v2-linear-shape", "reject"],
      ],
    );
    const [, , , joined, without] = versions;
    assert.match(
      joined?.hypothesis ?? "",
      /^Changing `speed` should raise the solve rate: v2-linear-shape looked better than v1 by \+\d+\.\d points \[.*\], but not clearly\./,
    );
    assert.match(
      git(root, "show", "evo/toy/v3-faster-with-v2:harness/toy.yaml"),
      /shape: linear\nbonus: 0\nhistory: hidden\nspeed: fast/,
    );
    assert.match(
      without?.reason ?? "",
      /^v2-linear-shape \(shape: flat → linear\) is needed: without it, difference −/,
    );
    assert.match(evotrainer(root, "lineage").stdout, /it has the edits of v2-linear-shape as well/);
    assert.match(
      evotrainer(root, "lineage", "v3").stdout,
      /parent +v1, with the edits of v2-linear-shape as well/,
    );
  });
});
