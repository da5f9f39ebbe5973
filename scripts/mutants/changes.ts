import { of } from "./mutant.ts";

const outcome = ["server/src/proposals/outcomeProblems.test.ts"];

/** What a proposal may change, and what may become of it. */
export const changeGuards = [
  ...of("server/src/proposals/outcomeProblems.ts", outcome, [
    ["A proposal changes something.", `if (changed.length === 0) return`, "if (false) return"],
    ["A proposal leaves every spec valid.", "...changed.flatMap(specProblems),", ""],
    ["A proposal leaves the evaluation's own settings alone.", "...protocolProblems(was.spec, is.spec),", ""],
    ["A proposal stays on the declared surfaces.", "...misplaced,", ""],
    ["A proposal changes one factor.", "factors.length > 1 &&", "false &&"],
    [
      "A merge brings no other factors than those of its second parent.",
      "!factors.every((factor) => merged.includes(factor))",
      "false",
    ],
    ["A proposal changes more than bookkeeping.", "isPlaced && factors.length === 0", "false"],
  ]),
];
