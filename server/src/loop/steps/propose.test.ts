import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { columnsOf, type TestGroup } from "../../../../test/support/backtest/columns.ts";
import { chooseDrafts } from "../../proposals/chooseDrafts.ts";
import { backtestProposal } from "../../proposals/commitProposal.ts";
import { draftOf } from "../../proposals/draft.ts";
import type { LoopEvent } from "../events.ts";
import { Candidate, LoopState } from "../state.ts";
import type { LoopPorts } from "../ports.ts";
import { backtest } from "./propose.ts";

const reward = (components: string, filter = "kind: none"): string => `apiVersion: evotrainer/v1
kind: Reward
name: main
components: { correctness: { ${components} } }
filter: { ${filter} }
`;
const projectText = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, t.mjs] }
evaluation: { splits: { train: a, selection: b, audit: c } }
surfaces: [{ factor: reward, file: main.reward.yaml }]
reward: main.reward.yaml
`;
const group = (...values: number[]) => ({
  rollouts: values.map((correctness) => ({
    outcome: correctness === 1 ? ("pass" as const) : ("fail" as const),
    signals: { correctness },
  })),
});

/** Backtests one candidate whose commit has this reward, on a parent whose commit has the flat one. */
async function run(after: string, groups: readonly TestGroup[] = [group(1, 0), group(0.6, 0.9)]) {
  const candidate = Candidate.parse({
    version: "v2",
    parent: "v1",
    commit: "child",
    intervention: null,
    title: "t",
    finding: null,
    because: "",
    pruned: null,
    job: null,
    whyParent: null,
    merges: null,
    without: null,
    seeds: [],
    place: 0,
    keptBefore: 0,
    look: null,
  });
  const state = LoopState.parse({
    schema: 2,
    domain: "toy",
    base: "base",
    startedAt: "2026-01-01T00:00:00.000Z",
    generations: 1,
    generation: 1,
    phase: "evolve",
    step: "backtest",
    baseVersion: "v0",
    baseline: "v1",
    champion: "v1",
    nextNumber: 3,
    calibrated: true,
    grounds: [],
    exhausted: [],
    candidates: [candidate],
    tried: [],
    answered: {},
    failuresInARow: 0,
    started: 0,
    kept: 0,
    stopped: null,
    ended: null,
  });
  const ledger: LedgerEntry[] = [];
  const events: LoopEvent[] = [];
  const ports: Pick<
    LoopPorts,
    "source" | "trainGroups" | "harnessFigures" | "appendToLedger" | "emit" | "now" | "proposing"
  > = {
    proposing: { chooseDrafts, draftOf, backtestProposal },
    source: (commit) => ({
      name: commit,
      read(path) {
        if (path === "evotrainer.yaml") return Promise.resolve(projectText);
        return Promise.resolve(commit === "parent" ? reward("shape: flat, weight: 1") : after);
      },
      list: () => Promise.resolve([]),
    }),
    harnessFigures: () => Promise.resolve(null),
    trainGroups: (version, signals) => {
      assert.equal(version, "v1", "on what the parent was trained on");
      return Promise.resolve(columnsOf(groups, signals));
    },
    appendToLedger: (entries) => Promise.resolve(void ledger.push(...entries)),
    emit: (event) => void events.push(event),
    now: () => "2026-01-01T00:00:00.000Z",
  };
  const [done] = await backtest(state, () => Promise.resolve("parent"), ports);
  const entry = ledger.find((e) => e.type === "backtest");
  return { pruned: done?.pruned, ledger, entry, events };
}

describe("the loop's backtest", () => {
  it("records what a reward revives", async () => {
    const { pruned, entry } = await run(reward("shape: linear, weight: 1"));
    assert.equal(pruned, null);
    assert.match(
      entry?.summary ?? "",
      /^Dead groups .* 50\.0 % → 0 % of 2 groups: 1 of 1 dead group revived\./,
    );
    assert.equal(entry?.figures["revived"], 1);
  });
  it("drops a candidate that group normalisation cancels", async () => {
    const { pruned, ledger } = await run(reward("shape: flat, weight: 3"));
    assert.match(pruned ?? "", /No-op: group normalisation cancels/);
    assert.deepEqual(
      ledger.map((e) => e.type),
      ["backtest", "decision"],
    );
  });
  it("drops a candidate that leaves every group dead, and says so", async () => {
    const { pruned } = await run(reward("shape: flat, weight: 3"), [group(0.6, 0.9)]);
    assert.match(pruned ?? "", /no group has any spread with this change either/);
  });
  it("does not drop a candidate because of what only a few rollouts have", async () => {
    const lacking = { rollouts: [0, 1, 2, 3].map(() => ({ outcome: "fail" as const, signals: {} })) };
    const { pruned, entry } = await run(reward("shape: flat, weight: 3"), [group(1, 0), lacking]);
    assert.equal(pruned, null);
    assert.match(entry?.summary ?? "", /4 rollouts of 6 cannot be replayed/);
  });
  it("replays a changed filter and never drops a candidate for it", async () => {
    const { pruned, entry } = await run(reward("shape: flat, weight: 1", "kind: std"));
    assert.equal(pruned, null);
    assert.match(
      entry?.summary ?? "",
      /^The filter \(std, absolute, keep 0\.9\) keeps 50\.0 % → 50\.0 % of 2 groups/,
    );
    assert.match(entry?.summary ?? "", /It never starts/);
    assert.equal(entry?.figures["kept_groups"], 0.5);
  });
  for (const [what, after, groups, why] of [
    [
      "changes nothing about how rollouts are scored",
      reward("shape: flat, weight: 1"),
      undefined,
      /: it changes neither the reward nor the filter of /,
    ],
    [
      "has a reward that cannot be read",
      "kind: [",
      undefined,
      /: \S+ cannot be read before or after the change/,
    ],
    [
      "has no archived group to replay",
      reward("shape: linear, weight: 1"),
      [],
      /: no group of \S+ in the archive/,
    ],
  ] as const)
    it(`computes nothing for a candidate that ${what}`, async () => {
      const { pruned, entry } = await run(after, groups === undefined ? undefined : [...groups]);
      assert.deepEqual([pruned, entry?.figures], [null, {}]);
      assert.match(entry?.summary ?? "", /^Cannot be computed offline/);
      assert.match(entry?.summary ?? "", why);
    });
});
