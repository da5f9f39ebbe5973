import assert from "node:assert/strict";
import type { Factor } from "../../../../shared/spec/common.ts";
import type { Case, CaseEdit } from "../../memory/cases/case.ts";
import { beliefsFrom, expectedImprovement, type Belief } from "./belief.ts";

const editOf = (path: string): CaseEdit[] => [{ type: "value", file: "train.yaml", path, from: 1, to: 2 }];

const tried = (path: string, factor: Factor, difference: number): Case => ({
  ...{ version: `v-${path}`, parent: "v1", factor, template: null, triggers: ["low-score"] },
  edits: editOf(path),
  profile: { rates: new Map(), alerts: [] },
  effect: { difference, low: difference - 0.04, high: difference + 0.04, confidence: 0.95, error: 0.02 },
  ...{ decision: "reject", ended: "noise", seconds: null },
});

const believed = (cases: readonly Case[], path: string, factor: Factor): Belief =>
  beliefsFrom(cases)({
    parts: [{ factor, template: null, edits: editOf(path) }],
    ...{ triggers: ["low-score"], declared: null, backtest: null },
  });

describe("what the search believes of a change", () => {
  it("is not that it may do much because another change ruined the policy", () => {
    const before = believed([], "new", "optimisation");
    const after = believed([tried("ruin", "reward", -0.6)], "new", "optimisation");
    assert.ok(expectedImprovement(after) <= expectedImprovement(before), JSON.stringify({ before, after }));
    assert.ok(believed([tried("ruin", "reward", -0.6)], "ruin", "reward").mean < -0.02);
  });

  it("is that it may do much where the changes of its factor did, and little where they did little", () => {
    const cases = [
      ...["a", "b", "c", "d"].map((path, i) => tried(path, "reward", i % 2 === 0 ? 0.12 : -0.12)),
      ...["e", "f", "g", "h"].map((path, i) => tried(path, "optimisation", i % 2 === 0 ? 0.005 : -0.005)),
    ];
    const [reward, optimisation] = [believed(cases, "new", "reward"), believed(cases, "new", "optimisation")];
    assert.ok(reward.sd > 1.3 * optimisation.sd, `${reward.sd} ${optimisation.sd}`);
  });

  it("is the opposite of what the change did that it takes back", () => {
    const gained = tried("a", "reward", 0.2);
    const back: CaseEdit[] = [{ type: "value", file: "train.yaml", path: "a", from: 2, to: 1 }];
    const { mean } = beliefsFrom([gained])({
      parts: [{ factor: "reward", template: null, edits: back }],
      ...{ triggers: [], declared: null, backtest: null },
    });
    assert.ok(mean < 0, String(mean));
  });

  it("is better where those passed that a new term pays most, and worse where they failed", () => {
    const told = (passing: number | null): number =>
      beliefsFrom([])({
        parts: [{ factor: "reward", template: null, edits: editOf("a") }],
        ...{ triggers: [], declared: null, backtest: null, passing },
      }).mean;
    assert.ok(told(0.5) > 0.003 && told(-0.5) < -0.003, `${told(0.5)} ${told(-0.5)}`);
    assert.equal(told(null), 0);
  });
});
