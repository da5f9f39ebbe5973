import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Replay } from "../../shared/protocol/results/replay.ts";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";
import { storedProject } from "./storedProject.ts";
import { makeToyProject, toyFiles } from "./toyProject.ts";

function replayOf(root: string, ...args: string[]): Replay {
  const { code, stdout, stderr } = evotrainer(root, "--json", "replay", ...args);
  assert.equal(code, 0, stderr);
  return Replay.parse(JSON.parse(stdout));
}

const ledgerOf = (root: string): string =>
  execFileSync("git", ["rev-parse", "evotrainer/ledger"], { cwd: root, encoding: "utf8" });

/** Every version that evidence decided must be decided as it was. */
function assertRepeated({ versions }: Pick<Replay, "versions">, expected: number): void {
  const again = versions.filter(({ now }) => now !== null);
  assert.equal(again.length, expected);
  for (const { now, recorded, state, notes } of again)
    assert.deepEqual([state, now?.decision, notes], ["same", recorded?.decision, []]);
}

/** The same, for the very reason that the ledger has. */
function assertRepeatedWord({ versions }: Replay, expected: number): void {
  assertRepeated({ versions }, expected);
  for (const { now, recorded } of versions) if (now !== null) assert.deepEqual(now, recorded);
}

describe("replay", function () {
  this.timeout(300_000);
  let evolved = "";
  before(() => {
    evolved = makeEvolvedProject();
  });
  after(() => rmSync(evolved, { recursive: true, force: true }));

  it("repeats the decisions of an evolution exactly, and writes nothing", () => {
    const before = ledgerOf(evolved);
    const replay = replayOf(evolved);
    assertRepeatedWord(replay, 6);
    assert.ok(replay.versions.every(({ basis }) => basis === "rollouts"));
    assert.equal(ledgerOf(evolved), before);
  });

  it("repeats the decisions of release 0.1.0, and leaves those that a person made", () => {
    const root = storedProject();
    try {
      const replay = replayOf(root);
      assertRepeated(replay, 6);
      assert.deepEqual(
        replay.versions.filter(({ state }) => state === "left").map(({ name }) => name),
        ["v6-small-bonus", "v7-faster", "v8-revert-v3-bonus"],
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("says what the ledger alone can show, and how far that goes", () => {
    const root = storedProject();
    try {
      rmSync(join(root, ".evotrainer"), { recursive: true });
      const replay = replayOf(root);
      assertRepeated(replay, 6);
      assert.ok(replay.versions.every(({ basis }) => basis !== "rollouts"));
      assert.match(replay.summary.join(" "), /decided from the numbers in the ledger/);
      const { versions } = replayOf(root, "--seeds", "1");
      assert.deepEqual(versions.find(({ name }) => name === "v2-linear-shape")?.notes, [
        "It cannot be decided again: the archive has no rollouts of it.",
      ]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it("shows what a missing diagnostic would have let through, and why", () => {
    const { stdout, code } = evotrainer(evolved, "replay", "--without", "leak");
    assert.equal(code, 0);
    assert.match(stdout, /^Replay of toy: without leak\n6 versions decided again: 1 decision changes/);
    assert.match(stdout, /v5-visible-history +⊘ invalid +● keep +changes/);
    assert.match(stdout, /was: Quarantined for leak in 230[^]*now: Better: \+[\d.]+ points/);
  });

  it("counts the labels of another version's harness", () => {
    const { versions } = replayOf(evolved, "--harness", "v1");
    assertRepeated({ versions }, 6);
  });

  it("marks what would not have been tried under a guardrail", () => {
    const { versions } = replayOf(evolved, "--guardrail", "solve_rate<=50%");
    const state = (name: string) => versions.find((v) => v.name === name)?.state;
    assert.deepEqual([state("v2-linear-shape"), state("v5-visible-history")], ["changed", "not_tried"]);
  });

  for (const [args, code, says] of [
    [["--without", "leek"], 2, /no diagnostic leek .* Did you mean leak\?/],
    [
      ["--guardrail", "dead_group_ration<=1"],
      2,
      /has a value of dead_group_ration, .*Did you mean dead_group_ratio/,
    ],
    [["--guardrail", "leak"], 2, /write a metric and its highest value in quotes, such as 'echo-trap<=10%'/],
    [["--harness", "v99"], 2, /There is no version v99/],
    [["--confidence", "2"], 2, /above 0\.5 and below 1/],
    [["--domain", "nowhere"], 2, /no domain "nowhere" in the lineage; choose from toy/],
  ] as const)
    it(`refuses ${args.join(" ")} with what to do`, () => {
      const ran = evotrainer(evolved, "replay", ...args);
      assert.equal(ran.code, code, ran.stderr);
      assert.match(ran.stderr, says);
    });

  it("says of an imported lineage that the other tool's numbers cannot be decided again", () => {
    const log = join(evolved, "results.tsv");
    writeFileSync(
      log,
      "commit\tval_bpb\tmemory_gb\tstatus\tdescription\na1b2c3d\t0.9979\t44.0\tkeep\tbaseline\nb2c3d4e\t0.9932\t44.2\tkeep\twider\n",
    );
    const imported = evotrainer(evolved, "import", log, "--domain", "research");
    assert.equal(imported.code, 0, imported.stderr);
    const { versions } = replayOf(evolved, "--domain", "research");
    assert.deepEqual(
      versions.map(({ state }) => state),
      ["cannot_tell", "cannot_tell"],
    );
    assert.match(versions[1]?.notes[0] ?? "", /the archive has no rollouts of it/);
  });

  it("shows which decisions one seed would have made where three decided", () => {
    const root = makeToyProject({
      "evotrainer.yaml": (toyFiles["evotrainer.yaml"] ?? "")
        .replace("budgetSeconds: 60", "budgetSeconds: 60, seeds: [1, 2, 3]")
        .replace("generations: 2, variantsPerGeneration: 3", "generations: 1, variantsPerGeneration: 2"),
    });
    try {
      const ran = evotrainer(root, "evolve");
      assert.equal(ran.code, 0, ran.stderr);
      assertRepeatedWord(replayOf(root), 4);
      const { versions, rules } = replayOf(root, "--seeds", "1");
      assert.deepEqual(rules, ["1 seed of each version"]);
      for (const { comparison, state } of versions)
        if (state !== "not_tried" && comparison !== null) assert.deepEqual(comparison.seeds, [1, 1]);
      assert.equal(versions.find(({ name }) => name === "v1")?.comparison?.seeds?.[0], 1);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
