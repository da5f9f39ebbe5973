import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { auditRuns, evotrainer, lineageOf } from "./cli.ts";
import { calibratedSpec, makeCalibratedProject, projectAfterOne } from "./finishedProject.ts";
import { commitChanges, makeToyProject, toyFiles, toyHarness } from "./toyProject.ts";

const projectText = toyFiles["evotrainer.yaml"] ?? "";
const git = (cwd: string, ...args: string[]): unknown =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd });
const Jobs = z.array(
  z.looseObject({
    id: z.string(),
    state: z.string(),
    failure: z.looseObject({ message: z.string() }).nullable(),
  }),
);
const Calibration = z.object({
  baseline: z.string(),
  seeds: z.array(z.number()),
  seedNoise: z.number(),
  evaluationNoise: z.number(),
  resolvable: z.number(),
  sentences: z.array(z.string()),
});

describe("testing a candidate", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const project = (changes?: Parameters<typeof makeToyProject>[0]): string => {
    const root = makeToyProject(changes);
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  /** The project that the first test leaves, whose one generation is done. */
  let finished = "";
  const runsOf = (root: string): string[] =>
    Jobs.parse(JSON.parse(evotrainer(root, "--json", "jobs").stdout))
      .map(({ id }) => id)
      .sort();

  it("calibrates before any candidate, alone or as part of an evolution, and pays for it once", () => {
    const root = project({ "evotrainer.yaml": projectText.replace("generations: 2", "generations: 1") });
    const ran = evotrainer(root, "--json", "calibrate");
    assert.equal(ran.code, 0, ran.stderr);
    const told = Calibration.parse(JSON.parse(ran.stdout));
    assert.deepEqual([told.baseline, told.seeds], ["v1", [1, 2]]);
    assert.match(told.sentences.join(" "), /a difference of [\d.]+ points is detected/);
    // Each seed is measured by a job that did not train; the first by the job that trained it as well, for the noise of it.
    const before = ["v0.selection.s1", "v1.selection.s1", "v1.selection.s2", "v1.train.s1", "v1.train.s2"];
    assert.deepEqual(runsOf(root), before);
    const asked = (run: string): string => readFileSync(join(root, ".evotrainer/runs", run, "job"), "utf8");
    assert.match(asked("v1.train.s1"), /EVO_SPLITS='train,selection'/);
    assert.match(asked("v1.train.s2"), /EVO_SPLITS='train'/);
    assert.match(asked("v1.selection.s2"), /EVO_POLICY_IN='\S*v1\.train\.s2\/policy'/);
    assert.deepEqual(
      lineageOf(root).versions.map(({ name }) => name),
      ["v0", "v1"],
    );
    assert.equal(evotrainer(root, "calibrate").stdout.includes(told.sentences[0] ?? "?"), true, "said again");
    assert.deepEqual(runsOf(root), before);
    const nowhere = evotrainer(root, "calibrate", "--host", "nohost");
    assert.deepEqual(
      [nowhere.code, nowhere.stdout],
      [2, ""],
      "a host that is none is refused, whatever is left to do",
    );
    assert.match(nowhere.stderr, /evotrainer\.yaml names no hosts/);
    assert.equal(evotrainer(root, "evolve").code, 0);
    const { versions } = lineageOf(root);
    assert.deepEqual(
      versions.map(({ name, decision, stage = null }) => [name, decision, stage]),
      [
        ["v0", "base", null],
        ["v1", "keep", null],
        ["v2-linear-shape", "keep", "replicated"],
        ["v3-bonus", "reject", "one_seed"],
        ["v4-faster", "reject", "one_seed"],
      ],
    );
    // The ledger knew of its first seed alone when its second was measured.
    assert.match(
      asked("v2-linear-shape.selection.s2"),
      /EVO_POLICY_IN='\S*v2-linear-shape\.train\.s2\/policy'/,
    );
    const [kept] = versions.filter((v) => v.stage === "replicated");
    assert.ok((kept?.comparison?.seeds ?? []).every((seeds) => seeds > 1));
    assert.deepEqual(
      runsOf(root).filter((run) => run.startsWith("v3-bonus")),
      ["v3-bonus.train.s1"],
    );
    finished = root;
  });

  it("names --restart once all generations are done and the branch has a newer commit", () => {
    const root = finished;
    const events = readFileSync(join(root, ".evotrainer/evolution.jsonl"), "utf8");
    assert.match(evotrainer(root, "evolve").stderr, /The one generation is done.*evolve --generations 2/);
    git(root, "commit", "--quiet", "--allow-empty", "--message", "later");
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0);
    assert.match(ran.stderr, /has a newer commit \([0-9a-f]{12}\).*--restart/);
    assert.equal(readFileSync(join(root, ".evotrainer/evolution.jsonl"), "utf8"), events);
  });

  it("says keep (one seed) of what no further seed confirmed, and promotes it only if somebody insists", () => {
    const { root, ran } = projectAfterOne();
    made.push(root);
    assert.match(ran.stdout, /v2-linear-shape +[\d.]+ %.* keep \(one seed\) /);
    assert.match(ran.stderr, /Nothing is promoted\. v2-linear-shape was kept for what its first seed showed/);
    assert.match(evotrainer(root, "lineage", "--dot").stdout, /keep \(one seed\)/);
    assert.match(
      evotrainer(root, "export", "--format", "json").stdout,
      /v2-linear-shape was kept on one seed only/,
    );
    assert.deepEqual(auditRuns(root), []);
    const refused = evotrainer(root, "promote", "v2-linear-shape");
    assert.notEqual(refused.code, 0);
    assert.deepEqual(auditRuns(root), []);
    assert.match(refused.stderr, /promote v2-linear-shape --one-seed/);
    const insisted = evotrainer(root, "promote", "v2-linear-shape", "--one-seed");
    assert.equal(insisted.code, 0, insisted.stderr);
    assert.equal(lineageOf(root).versions.find(({ promoted }) => promoted)?.name, "v2-linear-shape");
  });

  it("says that nothing is left to do, why, and what to do, and leaves the events as they are", () => {
    const root = makeCalibratedProject();
    made.push(root);
    commitChanges(root, { "evotrainer.yaml": `${calibratedSpec}interventions: [harness/none]\n` });
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /ended in generation 1 of 2, because nothing is left to try on v1/);
    const events = readFileSync(join(root, ".evotrainer/evolution.jsonl"), "utf8");
    const again = evotrainer(root, "evolve");
    assert.match(again.stderr, /nothing is left to try on v1 .*`evotrainer evolve --restart`/);
    assert.ok(readFileSync(join(root, ".evotrainer/evolution.jsonl"), "utf8").startsWith(events));
  });

  it("says of a training that left no policy that it failed, in jobs as in the lineage", () => {
    const root = project({ "harness/toy.yaml": toyHarness({ fault: "nopolicy" }) });
    const ran = evotrainer(root, "evolve");
    assert.match(ran.stderr, /v1 cannot be used: its job ended without all of its evidence/);
    const jobs = Jobs.parse(JSON.parse(evotrainer(root, "--json", "jobs").stdout));
    const training = jobs.find(({ id }) => id === "v1.train.s1");
    assert.equal(training?.state, "failed");
    assert.match(training.failure?.message ?? "", /left no policy/);
  });
});
