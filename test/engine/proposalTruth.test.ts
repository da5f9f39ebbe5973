import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AnsweredProposal, Proposal } from "../../shared/protocol/views/proposals.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { copyProject, makeWaitingProject, oneByOne } from "./finishedProject.ts";
import { firstProposal } from "./reviewProject.ts";
import { makeToyProject } from "./toyProject.ts";

const subjectOf = (root: string, commit: string): string =>
  execFileSync("git", ["log", "--max-count=1", "--format=%s", commit], {
    cwd: root,
    encoding: "utf8",
  }).trim();

describe("the description of a proposal matches its commit", function () {
  this.timeout(240_000);
  let waiting = "";
  const made: string[] = [];
  before(() => {
    waiting = makeWaitingProject();
  });
  after(() => {
    for (const root of [waiting, ...made]) rmSync(root, { recursive: true, force: true });
  });

  const atTheGate = (): string => {
    const root = copyProject(waiting);
    made.push(root);
    return root;
  };
  const json = (root: string, ...args: string[]): unknown => {
    const ran = evotrainer(root, "--json", ...args);
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout);
  };
  const show = (root: string): Proposal => Proposal.parse(json(root, "review", firstProposal));
  const versionOf = (root: string) => lineageOf(root).versions.find((v) => v.name === firstProposal);
  const revise = (root: string, edit: (proposed: string) => string): { commit: string } => {
    const path = join(root, ".evotrainer", "changed.yaml");
    writeFileSync(path, edit(show(root).files[0]?.proposed ?? ""));
    const how = ["revise", "--comment", "other", "--text", `harness/toy.yaml=${path}`];
    return AnsweredProposal.parse(json(root, "review", firstProposal, ...how));
  };

  it("after a revision with another value", () => {
    const root = atTheGate();
    const { commit } = revise(root, (t) => t.replace("bonus: 1", "bonus: 2"));
    const expected = "shape: flat → linear, bonus: 0 → 2";
    const shown = show(root);
    assert.deepEqual(
      [shown.title, versionOf(root)?.title, subjectOf(root, commit)],
      [expected, expected, expected],
    );
    assert.match(evotrainer(root, "review", "v2").stdout.split("\n")[0] ?? "", /bonus: 0 → 2/);
    // The claim is about the shape, which is changed as it was proposed.
    assert.deepEqual([shown.fixes, shown.risks], [["echo-trap"], ["leak"]]);
    assert.match(
      shown.hypothesis,
      /^Changing `shape`(?: from \w+ to \w+)? should lower the share of dead groups: most groups/,
    );
    assert.match(
      shown.hypothesis,
      /\(proposed as shape: flat → linear, bonus: 0 → 1; it is shape: flat → linear, bonus: 0 → 2 now\)$/,
    );
  });

  it("after a revision that changes another key of another factor", () => {
    const root = atTheGate();
    const { commit } = revise(root, () =>
      readFileSync(join(root, "harness/toy.yaml"), "utf8").replace("speed: slow", "speed: fast"),
    );
    const expected = "speed: slow → fast";
    const shown = show(root);
    assert.deepEqual(
      [shown.title, versionOf(root)?.title, subjectOf(root, commit)],
      [expected, expected, expected],
    );
    assert.deepEqual([shown.factor, versionOf(root)?.factor], ["optimisation", "optimisation"]);
    for (const said of [shown.hypothesis, versionOf(root)?.hypothesis ?? ""])
      assert.match(said, /^Proposed for another change \(shape: flat → linear, bonus: 0 → 1\)/);
    assert.deepEqual([shown.because, shown.targets, shown.fixes, shown.risks], [null, [], [], []]);
    assert.equal(shown.success, null, "the success that was asked for is that of another change");
    json(root, "review", firstProposal, "approve");
    evotrainer(root, "evolve");
    assert.notEqual(versionOf(root)?.score, null, "it was trained");
    assert.deepEqual([versionOf(root)?.title, versionOf(root)?.commit], [expected, commit]);
    assert.doesNotMatch(versionOf(root)?.reason ?? "", /its hypothesis asked for/);
  });

  for (const [taken, expected, claim] of [
    [
      0,
      "shape: flat → linear",
      /^Changing `shape`(?: from \w+ to \w+)? should lower .* it is shape: flat → linear now/,
    ],
    [1, "bonus: 0 → 1", /^Proposed for another change/],
  ] as const)
    it(`after hunk ${taken + 1} of 2 is taken`, () => {
      const root = atTheGate();
      const hunk = show(root).files[0]?.hunks.at(taken)?.id ?? "";
      const { commit } = AnsweredProposal.parse(
        json(root, "review", firstProposal, "approve", "--hunks", hunk),
      );
      assert.deepEqual(
        [show(root).title, versionOf(root)?.title, subjectOf(root, commit)],
        [expected, expected, expected],
      );
      assert.match(versionOf(root)?.hypothesis ?? "", claim);
    });
});

const wavyShape = `apiVersion: evotrainer/v1
kind: Intervention
name: wavy
hypothesis: { change: components.progress.shape, metric: solve_rate, direction: increase, because: waves are nice }
targets: [low-score, insufficient-signal]
factor: reward
edit: [{ file: harness/main.reward.yaml, path: components.progress.shape, from: flat, to: wavy }]
success: { atLeast: 0.9 }
`;

describe("an intervention that propose refuses", function () {
  this.timeout(240_000);
  let root = "";
  after(() => rmSync(root, { recursive: true, force: true }));

  it("is not trained by the loop either, and the record says why", () => {
    root = makeToyProject({
      "evotrainer.yaml": `${oneByOne.replace("surfaces:\n", "surfaces:\n  - { factor: reward, file: harness/main.reward.yaml }\n")}reward: harness/main.reward.yaml\n`,
      "harness/main.reward.yaml":
        "apiVersion: evotrainer/v1\nkind: Reward\nname: main\ncomponents: { progress: { shape: flat, weight: 1 } }\n",
      "harness/interventions/wavy.intervention.yaml": wavyShape,
    });
    const ran = evotrainer(root, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    const versions = lineageOf(root).versions.map((v) => v.name);
    assert.ok(!versions.some((name) => name.includes("wavy")), versions.join(", "));
    assert.ok(versions.length > 2, "the others are tried");
    const record = readFileSync(join(root, ".evotrainer/evolution.jsonl"), "utf8");
    assert.match(record, /wavy is skipped: harness\/main\.reward\.yaml:\d+: /);
    const refused = evotrainer(root, "propose", "--intervention", "wavy");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /wavy: harness\/main\.reward\.yaml:\d+: /);
  });
});
