import assert from "node:assert/strict";
import { GatesSpec } from "../../../../shared/spec/gates.ts";
import { looserGates } from "./looserGates.ts";

describe("gates that let more pass than before", () => {
  const cases: [string, object, object, string[]][] = [
    ["the same", {}, {}, []],
    ["tighter ones", { autonomy: "full" }, { autonomy: "human_gated" }, []],
    [
      "another autonomy",
      {},
      { autonomy: "full" },
      [
        "`design`: the rule answers instead of a person",
        "`completion`: the rule answers instead of a person",
      ],
    ],
    ["the same, said otherwise", { autonomy: "full", design: "human", completion: "human" }, {}, []],
    [
      "one gate",
      { completion: "human" },
      { completion: "rule" },
      ["`completion`: the rule answers instead of a person"],
    ],
    [
      "a proposer for a person",
      { diagnosis: "human" },
      { diagnosis: "proposer-of-another-kind" },
      ["`diagnosis`: a proposer of another kind answers instead of a person"],
    ],
    ["a person for a proposer", { backtest: "proposer-of-another-kind" }, { backtest: "human" }, []],
    [
      "fewer first versions and more failures",
      { autonomy: "full" },
      { autonomy: "full", firstVersionsGated: 0, escalateAfterFailures: 99 },
      ["`firstVersionsGated`: 0 instead of 3", "`escalateAfterFailures`: 99 instead of 2"],
    ],
    ["numbers that decide nothing, where a person answers anyway", {}, { firstVersionsGated: 0 }, []],
  ];
  for (const [what, before, now, expected] of cases)
    it(`are found: ${what}`, () =>
      assert.deepEqual(looserGates(GatesSpec.parse(before), GatesSpec.parse(now)), expected));
});
