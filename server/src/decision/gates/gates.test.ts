import assert from "node:assert/strict";
import { GatesSpec } from "../../../../shared/spec/gates.ts";
import { overrideTexts, withOverride } from "./overrides.ts";
import { questionProcedure, type ProcedureQuestion } from "./questionProcedure.ts";
import { passage, unanswerableGates, whoAnswers, type GateQuestion } from "./whoAnswers.ts";

const gates = (settings: Partial<GatesSpec>): GatesSpec => GatesSpec.parse({ autonomy: "full", ...settings });
const catalogue = { name: "catalogue", kind: "catalogue", reviews: false };
const model = { name: "critic", kind: "model", reviews: true };

describe("who answers a gate", () => {
  const ask = (question: Partial<GateQuestion>): string => {
    const answerer = whoAnswers({
      ...{ gate: "design", gates: gates({}), versionsDecided: 9, failuresInARow: 0 },
      ...{ proposers: [catalogue], author: "catalogue" },
      ...question,
    });
    return answerer.who === "human" && answerer.isEscalated ? "human, escalated" : answerer.who;
  };
  const cases: [string, Partial<GateQuestion>, string][] = [
    ["the rule with full autonomy", {}, "rule"],
    ["a person for the first versions", { versionsDecided: 2 }, "human"],
    [
      "a person for the first versions, also where the rule is named",
      { versionsDecided: 2, gates: gates({ design: "rule" }) },
      "human",
    ],
    ["a person for the first promotions", { gate: "completion", versionsDecided: 2 }, "human"],
    ["the rule for the first diagnoses", { gate: "diagnosis", versionsDecided: 0 }, "rule"],
    ["a person after two failures", { failuresInARow: 2 }, "human, escalated"],
    [
      "a person after two failures where the rule is named",
      { failuresInARow: 2, gates: gates({ design: "rule" }) },
      "human, escalated",
    ],
    [
      "a person after two failures where the project is gated",
      { failuresInARow: 2, gates: gates({ autonomy: "human_gated" }) },
      "human, escalated",
    ],
    ["the rule of the backtest gate after failures", { gate: "backtest", failuresInARow: 5 }, "rule"],
    ["a person where the project is gated", { gates: gates({ autonomy: "human_gated" }) }, "human"],
    ["the rule where only another gate is a person's", { gates: gates({ backtest: "human" }) }, "rule"],
    ["a person where the gate names one", { gate: "backtest", gates: gates({ backtest: "human" }) }, "human"],
    [
      "the rule where the gate names it in a gated project",
      { gates: gates({ autonomy: "human_gated", design: "rule" }) },
      "rule",
    ],
    ["nobody with one proposer", { gates: gates({ design: "proposer-of-another-kind" }) }, "nobody"],
    [
      "the other proposer",
      { gates: gates({ design: "proposer-of-another-kind" }), proposers: [catalogue, model] },
      "proposer",
    ],
    [
      "never the author",
      {
        gates: gates({ design: "proposer-of-another-kind" }),
        proposers: [catalogue, model],
        author: "model",
      },
      "nobody",
    ],
  ];
  for (const [what, question, expected] of cases) it(what, () => assert.equal(ask(question), expected));

  it("finds gates that nobody can answer as the project is declared", () => {
    const asked = gates({ design: "proposer-of-another-kind", completion: "proposer-of-another-kind" });
    assert.deepEqual(
      unanswerableGates(asked, [catalogue]).map(({ gate }) => gate),
      ["design", "completion"],
    );
    assert.match(
      unanswerableGates(asked, [catalogue])[0]?.message ?? "",
      /^Nobody can answer the design gate: .* write human or rule/,
    );
    const other = { ...model, name: "agent", kind: "agent" };
    assert.deepEqual(unanswerableGates(asked, [model, other]), []);
    assert.equal(
      unanswerableGates(asked, [catalogue, model]).length,
      2,
      "nobody judges what the model wrote",
    );
  });

  it("lets an approval in advance pass a gate, but not an escalation", () => {
    assert.deepEqual(passage({ who: "human", why: "w", isEscalated: false }, "me"), {
      type: "passes",
      by: "me",
    });
    assert.equal(passage({ who: "human", why: "w", isEscalated: true }, "me").type, "waits");
    assert.equal(passage({ who: "nobody", why: "w" }, "me").type, "closed");
  });
});

describe("what the command line overrides", () => {
  it("is every gate but the promotion, for full autonomy", () => {
    const committed = GatesSpec.parse({ backtest: "human" });
    const now = withOverride(committed, "full");
    assert.deepEqual([now.autonomy, now.backtest, now.completion], ["full", undefined, "human"]);
    assert.match(
      overrideTexts(committed, { autonomy: "full", approvedBy: null })[0] ?? "",
      /autonomy: human_gated, backtest: human/,
    );
  });
  it("is nothing where it says what is committed", () => {
    assert.deepEqual(overrideTexts(gates({}), { autonomy: "full", approvedBy: null }), []);
    assert.deepEqual(overrideTexts(GatesSpec.parse({}), { autonomy: "human_gated", approvedBy: null }), []);
  });
});

describe("the procedure after failures in a row", () => {
  const failed = (factor: "reward" | "sampling", finding: string | null = "a") => ({
    version: `v-${factor}`,
    factor,
    finding,
  });
  const question: ProcedureQuestion = {
    ...{
      failuresInARow: 3,
      after: 3,
      parent: "v5",
      failed: [failed("reward"), failed("reward", "b"), failed("reward")],
    },
    ...{
      stack: ["v5", "v2"],
      openFactors: ["reward", "sampling"],
      otherParents: ["v4"],
      below: "v2",
      taken: [],
    },
    able: ["subtract", "another-factor", "another-parent", "roll-back", "revise-diagnostic"],
  };
  const mixed = [failed("reward"), failed("sampling", "b")];
  const cases: [string, Partial<ProcedureQuestion>, string | null][] = [
    ["is not questioned before", { failuresInARow: 2 }, null],
    ["changes another factor where all changed one", {}, "another-factor"],
    ["subtracts where several factors failed", { failed: mixed }, "subtract"],
    [
      "revises the diagnostic where all answered one finding",
      { failed: [failed("reward"), failed("sampling")] },
      "revise-diagnostic",
    ],
    [
      "starts from another parent where there is nothing to subtract",
      { failed: mixed, stack: ["v5"] },
      "another-parent",
    ],
    [
      "rolls back where there is no other parent",
      { failed: mixed, stack: ["v5"], otherParents: [] },
      "roll-back",
    ],
    ["does not take a step twice", { failed: mixed, taken: ["subtract", "another-parent"] }, "roll-back"],
    ["takes no step that it cannot take", { failed: mixed, able: ["roll-back"] }, "roll-back"],
    [
      "has no step left",
      { failed: mixed, stack: [], otherParents: [], below: null, openFactors: ["reward"] },
      null,
    ],
    [
      "changes a factor that no failure changed",
      { failed: mixed, stack: [], otherParents: [], below: null, openFactors: ["data"] },
      "another-factor",
    ],
  ];
  for (const [what, change, expected] of cases)
    it(what, () => {
      const answer = questionProcedure({ ...question, ...change });
      assert.equal(answer?.step ?? null, expected);
      assert.ok(answer === null || /\.$/.test(answer.why));
    });
});
