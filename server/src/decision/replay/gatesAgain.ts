import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { whoAnswers } from "../gates/whoAnswers.ts";
import type { ReplayRules } from "./rules.ts";

/** How the design gate of a version was answered. */
export interface RecordedAnswer {
  readonly answer: "approve" | "revise" | "reject";
  readonly by: string;
}

/** Who answers the design gate of a version under other rules, where that is not who answered it. */
export interface GateChange {
  readonly recorded: string;
  readonly now: "human" | "rule";
  /** One sentence. */
  readonly says: string;
}

/** What the loop knows when it asks the design gate of a generation. */
interface Moment {
  readonly versionsDecided: number;
  readonly failuresInARow: number;
}

/** How an answer of the rule in force begins in the ledger; anything else is the name of a person. */
const isRule = (by: string): boolean => by.startsWith("rule");

/**
 * Asks the design gate of a version again. Null where the rules leave the gates alone, where nobody answered, or where the
 * same one answers.
 */
export function gateAgain(
  recorded: RecordedAnswer | null,
  asked: ReplayRules["gates"],
  gates: ProjectSpec["gates"],
  moment: Moment,
): GateChange | null {
  if (asked === null || recorded === null) return null;
  const keeper = whoAnswers({
    ...{ gate: "design", proposers: [], author: null },
    gates: { ...gates, design: asked === "human" ? "human" : "rule" },
    ...moment,
  });
  const by = isRule(recorded.by) ? "the rule" : recorded.by;
  if (keeper.who === "human")
    return isRule(recorded.by)
      ? {
          ...{ recorded: recorded.by, now: "human" },
          says: `Its gate would have waited for a person${asked === "human" ? "" : `, because ${keeper.why}`}; the rule approved it.`,
        }
      : null;
  if (isRule(recorded.by)) return null;
  return {
    ...{ recorded: recorded.by, now: "rule" },
    says:
      recorded.answer === "approve"
        ? `The rule would have approved it without asking; ${by} approved it.`
        : `The rule would have let it be trained; ${by} ${recorded.answer === "reject" ? "rejected it" : "sent it back"}, so nobody knows how it would have been decided.`,
  };
}
