import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LoopState } from "../../server/src/loop/state.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { makeToyProject, measuredOnce, tested, toyFiles } from "./toyProject.ts";

/** A project whose visible history is a leak that no diagnostic knows; it tries one change per generation. */
function unknowing(generations: number, others: Parameters<typeof makeToyProject>[0] = {}): string {
  const spec = measuredOnce(toyFiles["evotrainer.yaml"] ?? "").replace(
    "generations: 2, variantsPerGeneration: 3",
    `generations: ${generations}, variantsPerGeneration: 1`,
  );
  return makeToyProject({
    "evotrainer.yaml": tested(spec, "seeds: 2"),
    "harness/diagnostics/leak.diagnostic.yaml": null,
    "harness/interventions/bonus.intervention.yaml": null,
    "harness/interventions/faster.intervention.yaml": null,
    ...others,
  });
}

describe("a version that may be a shortcut", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const project = (...of: Parameters<typeof unknowing>): string => {
    const root = unknowing(...of);
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const withoutShape = { "harness/interventions/linear-shape.intervention.yaml": null };
  const champion = (root: string): string | null =>
    LoopState.parse(JSON.parse(readFileSync(join(root, ".evotrainer/loop.json"), "utf8"))).champion;
  const decisions = (root: string) =>
    lineageOf(root).versions.map((v) => [v.name, v.parent, v.decision, v.promoted]);

  it("is kept and held, and the version that was the best one before is promoted", () => {
    const root = project(2);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(decisions(root).slice(2), [
      ["v2-linear-shape", "v1", "keep", true],
      ["v3-visible-history", "v2-linear-shape", "keep", false],
    ]);
    assert.equal(champion(root), "v2-linear-shape");
    assert.match(ran.stderr, /v3-visible-history waits for a person, because its gain may be a shortcut\./);
    assert.match(
      ran.stderr,
      /In the environment of v2-linear-shape, without the changed history, its policy scores/,
    );
    const listed = evotrainer(root, "review").stdout;
    assert.match(listed, /It waits for an answer, because its gain may be a shortcut: evotrainer review v3-/);
    const over = evotrainer(root, "evolve").stderr;
    assert.match(over, /best version is v2-linear-shape\. Answer what is said below first/);
    assert.match(over, /v3-visible-history waits for a person/);
    const skills = (): string => evotrainer(root, "skills").stdout;
    assert.match(skills(), /v3-visible-history cannot become a skill: .* may be a shortcut/);
    assert.notEqual(evotrainer(root, "skills", "save", "v3-visible-history").code, 0);
    const state = join(root, ".evotrainer/loop.json");
    renameSync(state, `${state}.away`);
    const explained = (): string => evotrainer(root, "propose", "--explain").stdout.replace(/\s+/g, " ");
    assert.match(explained(), /was asked what answers [^.]* in v2-linear-shape\./);
    renameSync(`${state}.away`, state);
    assert.equal(evotrainer(root, "review", "v3-visible-history", "approve", "--gate", "completion").code, 0);
    assert.match(explained(), /was asked what answers [^.]* in v3-visible-history\./);
    assert.match(skills(), /v3-visible-history can become a skill/);
    const after = evotrainer(root, "evolve").stderr;
    assert.match(after, /best version is v3-visible-history\. There is nothing left to do/);
  });

  it("waits where nothing else can be promoted; once a person approved it, the evolution goes on from it", () => {
    const root = project(1, withoutShape);
    const waits = evotrainer(root, "evolve");
    assert.equal(waits.code, 3, waits.stderr);
    assert.match(waits.stderr, /v2-visible-history waits for a person, because its gain may be a shortcut\./);
    assert.equal(champion(root), "v1");
    const approved = evotrainer(root, "promote", "v2-visible-history", "--approve");
    assert.equal(approved.code, 0, approved.stderr);
    const done = evotrainer(root, "evolve");
    assert.equal(done.code, 0, done.stderr);
    assert.equal(champion(root), "v2-visible-history");
    assert.deepEqual(decisions(root)[2], ["v2-visible-history", "v1", "keep", true]);
  });

  it("is over once a person took it back", () => {
    const root = project(1, withoutShape);
    assert.equal(evotrainer(root, "evolve").code, 3);
    assert.equal(evotrainer(root, "revert", "v2-visible-history").code, 0);
    const done = evotrainer(root, "evolve");
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stderr, /Nothing is promoted\. v1 is a baseline/);
    assert.equal(champion(root), "v1");
  });

  it("is gone on from by a search that goes by scores alone, and is not promoted either", () => {
    const spec = measuredOnce(toyFiles["evotrainer.yaml"] ?? "").replace(
      "generations: 2, variantsPerGeneration: 3",
      "generations: 1, variantsPerGeneration: 1",
    );
    const root = project(1, {
      ...withoutShape,
      "evotrainer.yaml": `${tested(spec, "seeds: 2")}search: { ranking: score }\n`,
    });
    const waits = evotrainer(root, "evolve");
    assert.equal(waits.code, 3, waits.stderr);
    assert.equal(champion(root), "v2-visible-history");
    assert.match(waits.stderr, /v2-visible-history waits for a person/);
  });

  it("is held as well where its policy cannot be evaluated without the switch", () => {
    const root = project(1, withoutShape);
    const trainer = join(root, "trainer.mjs");
    const text = readFileSync(trainer, "utf8");
    const needsHistory = `if (existsSync(env("EVO_POLICY_IN")) && JSON.parse(readFileSync(env("EVO_POLICY_IN"), "utf8")).history === "visible" && harness.history !== "visible") throw new Error("policy needs history");`;
    const changed = text
      .replace("const sleep =", `${needsHistory}\nconst sleep =`)
      .replaceAll("JSON.stringify({ skill", "JSON.stringify({ history: harness.history, skill");
    assert.equal(
      changed.split("history: harness.history").length,
      2,
      "the policy says what it was trained with",
    );
    writeFileSync(trainer, changed);
    execFileSync(
      "git",
      ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qam", "needs"],
      {
        cwd: root,
      },
    );
    const waits = evotrainer(root, "evolve");
    assert.equal(waits.code, 3, waits.stderr);
    assert.match(
      waits.stderr,
      /its policy could not be evaluated: the evaluation failed: .*policy needs history/,
    );
    assert.equal(champion(root), "v1");
    const table = evotrainer(root, "lineage").stdout;
    assert.match(table, /v2-visible-history .* keep \(held\)/);
    const report = evotrainer(root, "export", "--format", "json");
    assert.equal(report.code, 0, report.stderr);
    assert.match(report.stdout, /v2-visible-history is held: its gain may be a shortcut/);
  });
});
