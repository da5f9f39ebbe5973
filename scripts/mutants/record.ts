import { of } from "./mutant.ts";

const door = ["server/src/proposals/standing/auditDoor.test.ts"];
const trust = ["server/src/lineage/trust/trust.test.ts"];
const watch = ["server/src/lineage/watchLedger.test.ts"];
const gates = ["server/src/decision/gates/gates.test.ts"];
const budgets = ["server/src/decision/budgets/budgets.test.ts"];
const doorInUse = ["test/engine/auditDoor.test.ts"];

/** What the ledger says, who wrote it, and what it opens. */
export const recordGuards = [
  ...of("server/src/proposals/standing/auditDoor.ts", door, [
    [
      "A version that was promoted is not measured again.",
      `if (version.promotion !== undefined) return`,
      "if (false) return",
    ],
    [
      "Only a version that is fit for it opens the audit split.",
      "if (unfit !== null) return closed(unfit);",
      "",
    ],
    ["A baseline that is a claim opens nothing.", `if (baseline.standing === "claim")`, "if (false)"],
    ["Gates that nobody can read open nothing.", "if (gates === null)", "if (false)"],
    [
      "Where a person answers, only an approval opens the audit split.",
      `answer?.answer !== "approve"`,
      "false",
    ],
    ["An imported version is not promoted.", "if (origin !== undefined)", "if (false)"],
    ["A version that is a claim is not promoted.", `version.standing === "claim" || (`, "("],
    ["A version without a decision is not promoted.", "if (decision === undefined)", "if (false)"],
    ["Only a kept version is promoted.", `if (decision.decision !== "keep")`, "if (false)"],
    ["A baseline is not promoted.", "if (!isProposal(version))", "if (false)"],
    [
      "A version that is not better is not promoted.",
      `decision.comparison === null || decision.comparison.verdict !== "improved"`,
      "false",
    ],
    ["A reverted version is not promoted.", "if (revert !== undefined)", "if (false)"],
  ]),
  ...of(
    "server/src/engine/training/mayTrain.ts",
    doorInUse,
    [
      [
        "A commit that the ledger does not have is not trained.",
        "if (version.commit !== commit)",
        "if (false)",
      ],
      [
        "A proposal that nobody approved is not trained.",
        `gateAnswer(version)?.answer === "approve"`,
        `gateAnswer(version)?.answer !== "revise"`,
      ],
    ],
    { built: true },
  ),
  ...of("server/src/decision/gates/whoAnswers.ts", gates, [
    [
      "An approval in advance does not answer an escalation.",
      "inAdvance !== null && !answerer.isEscalated",
      "inAdvance !== null",
    ],
    [
      "The author of a draft does not answer its gate.",
      "p.reviews && p.kind !== author).map",
      "p.reviews).map",
    ],
  ]),
  ...of("server/src/decision/gates/overrides.ts", gates, [
    [
      "An option does not open the audit split where the commit asks a person.",
      `gates.autonomy === "human_gated" ? "human" : undefined`,
      "undefined",
    ],
  ]),
  ...of("server/src/decision/budgets/withinBudget.ts", budgets, [
    ["A budget that is spent ends the evolution.", "used >= limit - slack && isUsed", "false"],
    ["What does not fit into a budget is not begun.", "isKnown && used + wanted > limit + slack", "false"],
  ]),
  ...of("server/src/lineage/trust/standing.ts", trust, [
    [
      "An entry without a signature is a claim.",
      `if (signature === undefined) return "claim";`,
      `if (signature === undefined) return "signed";`,
    ],
    ["A signature counts for the version that it was made for.", "isAbout && trusted.has(", "trusted.has("],
    [
      "A key that nobody trusts signs nothing.",
      "trusted.has(signature.key) && isSound(entry) ?",
      "isSound(entry) ?",
    ],
    ["A signature must be valid.", "&& isSound(entry) ? ", "? "],
  ]),
  ...of("server/src/lineage/trust/signature.ts", trust, [
    [
      "A signature is checked with the key that it names.",
      'verify(null, bytes, key, Buffer.from(signature.value, "base64url")),',
      "true,",
    ],
  ]),
  ...of(
    "server/src/lineage/trust/signedEntry.ts",
    ["server/src/runner/job/closeRun.test.ts"],
    [
      [
        "An entry that nobody trusted signed closes no run.",
        `standingOf(entry, trusted, undefined) === "signed"`,
        "trusted !== undefined",
      ],
      ["A closing from another project closes no run.", "(bound === null || isHere) &&", ""],
    ],
  ),
  ...of("server/src/lineage/watchLedger.ts", watch, [
    [
      "A ledger that does not go on from what was seen is reported.",
      "head !== undefined && (await goesOn(repository, seen.head, head))",
      "head !== undefined",
    ],
    ["What was seen of a ledger that was rewound stays.", "if (!isNext) return;", ""],
  ]),
];
