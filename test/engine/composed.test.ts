import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { evotrainer, lineageOf, startEvotrainer } from "./cli.ts";
import { makeToyProject, measuredOnce, toyFiles, tested } from "./toyProject.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd,
    encoding: "utf8",
  });

/** Changes the toy trainer and commits it. */
function withTrainer(root: string, change: (text: string) => string): void {
  const path = join(root, "trainer.mjs");
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text);
  writeFileSync(path, changed);
  git(root, "commit", "--quiet", "--all", "--message", "another trainer");
}

const toySpec = measuredOnce(toyFiles["evotrainer.yaml"] ?? "");
const onlyGains = {
  "harness/interventions/bonus.intervention.yaml": null,
  "harness/interventions/visible-history.intervention.yaml": null,
};

describe("versions made from kept versions", function () {
  this.timeout(240_000);
  const made: string[] = [];
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  it("merges two kept versions, decides the merge against the better one, and finds which edit is not needed", () => {
    const root = makeToyProject({
      ...onlyGains,
      "evotrainer.yaml": tested(
        toySpec.replace(
          "generations: 2, variantsPerGeneration: 3",
          "generations: 1, variantsPerGeneration: 2",
        ),
        "seeds: 3, margin: 0.2",
      ),
    });
    made.push(root);
    // Either edit gains, both gain more; what `fast` gains is a part of what `linear` gains.
    withTrainer(root, (text) =>
      text.replace('harness.speed === "fast" ? 0.01 : 0', 'harness.speed === "fast" ? 0.25 : 0'),
    );
    const first = evotrainer(root, "evolve");
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(
      lineageOf(root)
        .versions.slice(2)
        .map((v) => [v.name, v.decision]),
      [
        ["v2-linear-shape", "keep"],
        ["v3-faster", "keep"],
      ],
    );

    const proposed = evotrainer(root, "propose", "--merge", "v3", "v2");
    assert.equal(proposed.code, 0, proposed.stderr);
    assert.match(
      proposed.stdout,
      /^v4-merge-v3-faster on v2-linear-shape: merge v3-faster: speed: slow → fast\n {2}because v2-linear-shape gained \+\d+\.\d points and v3-faster gained \+\d+\.\d points over v1, /,
    );
    assert.equal(evotrainer(root, "review", "v4", "approve").code, 0);
    const second = evotrainer(root, "evolve", "--generations", "2");
    assert.equal(second.code, 0, second.stderr);
    const merge = lineageOf(root).versions.find((v) => v.name.startsWith("v4"));
    assert.deepEqual(
      [merge?.parent, merge?.merges, merge?.decision, merge?.comparison?.against],
      ["v2-linear-shape", "v3-faster", "keep", "v2-linear-shape"],
    );
    assert.match(merge?.hypothesis ?? "", /^The solve rate should move by \+\d+\.\d points against v1: /);
    assert.match(
      git(root, "show", "evo/toy/v4-merge-v3-faster:harness/toy.yaml"),
      /shape: linear\nbonus: 0\nhistory: hidden\nspeed: fast/,
    );
    assert.match(
      evotrainer(root, "lineage", "--dot").stdout,
      /"v3-faster" -> "v4-merge-v3-faster" \[label="merge"/,
    );
    assert.match(evotrainer(root, "lineage").stdout, /it merges v3-faster into v2-linear-shape/);

    for (const [asked, says] of [
      [["--merge", "v2", "v4"], /v4-merge-v3-faster comes from v2-linear-shape and has its edits/],
      [["--merge", "v2", "v1"], /v1 is a starting point/],
      [["--merge", "v2"], /takes two versions/],
      [
        ["--without", "v4", "--merge", "v2", "v3"],
        /Give one of --intervention, --merge, --without and --diagnostic/,
      ],
      [["--without", "v4"], /without its own edit, v4-merge-v3-faster would be the same as v2-linear-shape/],
      [["--without", "v1"], /v1 is a starting point/],
    ] as const) {
      const ran = evotrainer(root, "propose", ...asked);
      assert.notEqual(ran.code, 0, asked.join(" "));
      assert.match(ran.stderr, says);
    }

    const without = evotrainer(root, "propose", "--without", "v2");
    assert.equal(without.code, 0, without.stderr);
    assert.match(
      without.stdout,
      /^v\d-without-v2-linear-shape on v4-merge-v3-faster: without v2-linear-shape: shape: linear → flat/,
    );
    assert.equal(evotrainer(root, "review", without.stdout.split(" ")[0] ?? "", "approve").code, 0);
    const third = evotrainer(root, "evolve", "--generations", "3");
    assert.equal(third.code, 0, third.stderr);
    const taken = lineageOf(root).versions.find((v) => v.without !== undefined);
    assert.deepEqual([taken?.without, taken?.decision], ["v2-linear-shape", "reject"]);
    assert.match(
      taken?.reason ?? "",
      /^v2-linear-shape \(shape: flat → linear\) is needed: without it, difference −/,
    );
  });

  it("takes out what is not needed", () => {
    const root = makeToyProject({
      ...onlyGains,
      "evotrainer.yaml": tested(
        toySpec.replace(
          "generations: 2, variantsPerGeneration: 3",
          "generations: 2, variantsPerGeneration: 1",
        ),
        "seeds: 3, margin: 0.1",
      ),
    });
    made.push(root);
    // What comes second gains as much alone.
    withTrainer(root, (text) =>
      text
        .replace('harness.speed === "fast" ? 0.01 : 0', "0")
        .replace(
          '(harness.shape === "linear" ? 0.35 : 0)',
          '(harness.speed === "fast" ? 0.6 : harness.shape === "linear" ? 0.3 : 0)',
        ),
    );
    // The catalogue takes the one that promises most first.
    const linear = join(root, "harness/interventions/linear-shape.intervention.yaml");
    writeFileSync(linear, readFileSync(linear, "utf8").replace("atLeast: 0.02", "atLeast: 0.1"));
    git(root, "commit", "--quiet", "--all", "--message", "promise");
    const first = evotrainer(root, "evolve");
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(
      lineageOf(root)
        .versions.slice(2)
        .map((v) => [v.name, v.parent, v.decision]),
      [
        ["v2-linear-shape", "v1", "keep"],
        ["v3-faster", "v2-linear-shape", "keep"],
      ],
    );
    const without = evotrainer(root, "propose", "--without", "v2");
    assert.equal(without.code, 0, without.stderr);
    assert.equal(evotrainer(root, "review", "v4", "approve").code, 0);
    const ran = evotrainer(root, "evolve", "--generations", "3");
    assert.equal(ran.code, 0, ran.stderr);
    const taken = lineageOf(root).versions.find((v) => v.name.startsWith("v4"));
    assert.equal(taken?.decision, "keep", taken?.reason);
    assert.match(
      taken.reason,
      /^Nothing is lost without v2-linear-shape \(shape: flat → linear\): difference 0\.0 points \[.*within ±10\.0 points\.$/,
    );
    const wear = lineageOf(root).wear;
    assert.equal(wear?.looks, 4);
  });

  it("counts the labelled rollouts where the evaluation without the leak fails, says why, and promotes nothing for it", () => {
    const root = makeToyProject({
      "harness/interventions/bonus.intervention.yaml": null,
      "harness/interventions/faster.intervention.yaml": null,
      "harness/interventions/linear-shape.intervention.yaml": null,
      "evotrainer.yaml": toySpec.replace("generations: 2", "generations: 1"),
    });
    made.push(root);
    withTrainer(root, (text) =>
      text.replace(
        "const fault =",
        'if (env("EVO_RUN_ID").includes(".again.")) process.exit(3);\nconst fault =',
      ),
    );
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    const leaking = lineageOf(root).versions.at(-1);
    assert.deepEqual([leaking?.decision, leaking?.cleanBy, leaking?.cleanScore], ["invalid", "counted", 0]);
    assert.match(leaking?.cleanBecause ?? "", /^the evaluation failed: /);
    assert.match(
      leaking?.reason ?? "",
      /is 0 % when those rollouts count as failures\. It was not evaluated without the leak: the evaluation failed/,
    );
    assert.match(evotrainer(root, "lineage").stdout, /\(0 % without the labelled rollouts\)/);
  });

  it("is killed during the evaluation without the leak, and goes on from there without a second one", async () => {
    const root = makeToyProject({
      "harness/interventions/bonus.intervention.yaml": null,
      "harness/interventions/faster.intervention.yaml": null,
      "harness/interventions/linear-shape.intervention.yaml": null,
      "evotrainer.yaml": toySpec
        .replace("generations: 2", "generations: 1")
        .replace("budgetSeconds: 60", "budgetSeconds: 60, confine: off"),
    });
    made.push(root);
    // Every start of the trainer leaves a line where no run cleans up; the evaluation takes long enough to be seen.
    const starts = join(root, "starts.txt");
    withTrainer(root, (text) =>
      text.replace(
        "const fault =",
        `appendFileSync(${JSON.stringify(starts)}, env("EVO_RUN_ID") + "\\n");\nif (env("EVO_RUN_ID").includes(".again.")) sleep(3000);\nconst fault =`,
      ),
    );
    const again = (): string[] =>
      (existsSync(starts) ? readFileSync(starts, "utf8") : "")
        .split("\n")
        .filter((l) => l.startsWith("v2-") && l.includes(".again."));
    const engine = startEvotrainer(root, "evolve");
    const ended = once(engine, "exit");
    while (again().length === 0 && engine.exitCode === null) await delay(50);
    engine.kill("SIGKILL");
    await ended;
    assert.equal(lineageOf(root).versions.at(-1)?.decision, "pending", "it was killed before the decision");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(again(), ["v2-visible-history.again.s1"]);
    const { versions } = lineageOf(root);
    const [parent, leaking] = [versions.at(-2), versions.at(-1)];
    assert.deepEqual([leaking?.decision, leaking?.cleanBy], ["invalid", "reevaluated"]);
    const off = Math.abs((leaking?.cleanScore ?? 1) - (parent?.score ?? 0));
    assert.ok(off < 0.05, `${off}: without the leak its policy is as good as that of the baseline`);
  });
});
