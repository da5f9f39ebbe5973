import assert from "node:assert/strict";
import type { Outcome } from "../../../shared/model/rollout.ts";
import type { RewardTerms } from "../../../shared/reward/reward.ts";
import { GroupFilter } from "../../../shared/spec/reward.ts";
import { columnsOf, type TestGroup } from "../../../test/support/backtest/columns.ts";
import { describeFilter } from "./describeFilter.ts";
import { replayFilter } from "./filterReplay.ts";
import { describePhantom, phantomSignal, type PhantomSignal } from "./phantomSignal.ts";
import { replayGroups, type ReplayGroups } from "./replayGroups.ts";

const shaped: RewardTerms = {
  components: {
    solved: { shape: "linear", weight: 1 },
    format: { shape: "linear", weight: 0.2 },
    short: { shape: "linear", weight: 0.1 },
  },
};
const plain: RewardTerms = { components: { solved: { shape: "linear", weight: 1 } } };

type Row = readonly [outcome: Outcome, format: number, short: number];
const group = (...rows: readonly Row[]): TestGroup => ({
  rollouts: rows.map(([outcome, format, short]) => ({
    outcome,
    signals: { solved: outcome === "pass" ? 1 : 0, format, short },
  })),
});
const groups = [
  group(["fail", 1, 0], ["fail", 0, 0]),
  group(["pass", 1, 0], ["pass", 1, 1]),
  group(["pass", 1, 0], ["fail", 0, 0]),
  group(["fail", 1, 0], ["fail", 1, 0]),
  group(["fail", 1, 0], ["unknown", 0, 0]),
];

function replayed(made: readonly TestGroup[]): {
  readonly columns: ReturnType<typeof columnsOf>;
  readonly groups: ReplayGroups;
  readonly found: PhantomSignal;
} {
  const columns = columnsOf(made, ["solved", "format", "short"]);
  const of = replayGroups(columns, { before: plain, after: shaped });
  return { columns, groups: of, found: phantomSignal(columns, of, shaped) };
}

describe("phantom signal", () => {
  it("is in groups whose rewards differ while all outcomes are the same, before and after", () => {
    const { before, after, living, undecided } = replayed(groups).found;
    assert.deepEqual({ before, after, living, undecided }, { before: 0, after: 2, living: 4, undecided: 1 });
  });

  it("says which terms make up the variance of the reward there", () => {
    // Variances: (0.2 / 2)² of the format and (0.1 / 2)² of the length.
    const { terms } = replayed(groups).found;
    assert.deepEqual(
      terms.map(({ name, part }) => [name, Number(part.toFixed(6))]),
      [
        ["format", 0.8],
        ["short", 0.2],
      ],
    );
  });

  it("gives a negative part to a term that works against the others", () => {
    const { terms } = replayed([group(["fail", 1, 0], ["fail", 0, 1])]).found;
    assert.deepEqual(
      terms.map(({ name, part }) => [name, Number(part.toFixed(6))]),
      [
        ["format", 2],
        ["short", -1],
      ],
    );
  });

  it("is what a filter of kind outcome drops; a group that an unknown outcome leaves open is kept", () => {
    const { columns, groups: of, found } = replayed(groups);
    const filter = GroupFilter.parse({ kind: "outcome" });
    const done = replayFilter(columns, of, { filter, reward: "after" });
    assert.deepEqual(done.keeps, [false, false, true, false, true]);
    assert.deepEqual([done.replay.same, done.replay.dead, done.replay.low], [2, 1, 0]);
    assert.match(
      describeFilter(filter, done, null).join(" "),
      /The filter \(outcome\) keeps 40\.0 % of 5 groups: it drops 1 without spread and 2 with one outcome\./,
    );
    const told = describePhantom(found, [{ kind: "outcome", kept: 2, phantoms: 0 }]).join(" ");
    assert.match(told, /0 → 2 groups of 4 with a spread; in 1 an unknown outcome leaves it open\./);
    assert.match(told, /format 80(\.0)? %, short 20(\.0)? % of the reward's variance/);
    assert.match(told, /outcome 2 and 0\./);
  });

  it("is not spoken of where no group has any", () => {
    assert.deepEqual(describePhantom(replayed([group(["pass", 1, 0], ["fail", 0, 0])]).found, []), []);
    assert.deepEqual(describePhantom(replayed([]).found, []), []);
  });
});
