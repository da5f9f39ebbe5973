import { gateNames, type GateName, type GatesSpec } from "../../../../shared/spec/gates.ts";
import { whoAnswers } from "./whoAnswers.ts";

/** Who answers a gate, from the one who lets the most pass to the one who is asked the most. */
const strictness = ["rule", "proposer", "human"] as const;
type Who = (typeof strictness)[number];

/** Somebody whom a project could name, so that a gate which asks a proposer is not taken for one that nobody answers. */
const anyProposer = { name: "another", kind: "another", reviews: true };

/**
 * What lets more pass without a person than before, a phrase each, such as "`completion`: the rule answers instead of a person";
 * empty where nothing does.
 */
export function looserGates(before: GatesSpec, now: GatesSpec): string[] {
  const looser = gateNames.flatMap((gate) => {
    const [was, is] = [answererOf(before, gate), answererOf(now, gate)];
    return strictness.indexOf(is) < strictness.indexOf(was)
      ? [`\`${gate}\`: ${words[is]} answers instead of ${words[was]}`]
      : [];
  });
  const isAsked = before.firstVersionsGated > now.firstVersionsGated && looserAtFirst(now);
  if (isAsked)
    looser.push(`\`firstVersionsGated\`: ${now.firstVersionsGated} instead of ${before.firstVersionsGated}`);
  if (now.escalateAfterFailures > before.escalateAfterFailures && looserAtFirst(now))
    looser.push(
      `\`escalateAfterFailures\`: ${now.escalateAfterFailures} instead of ${before.escalateAfterFailures}`,
    );
  return looser;
}

const words: Record<Who, string> = {
  rule: "the rule",
  proposer: "a proposer of another kind",
  human: "a person",
};

/** Who answers when neither the first versions nor failures ask a person. */
function answererOf(gates: GatesSpec, gate: GateName): Who {
  const { who } = whoAnswers({
    ...{ gate, gates, proposers: [anyProposer], author: "author" },
    ...{ versionsDecided: Number.MAX_SAFE_INTEGER, failuresInARow: 0 },
  });
  return who === "nobody" ? "human" : who;
}

/** Whether the number of first versions, or of failures, decides anything: not where a person answers both gates anyway. */
const looserAtFirst = (gates: GatesSpec): boolean =>
  answererOf(gates, "design") !== "human" || answererOf(gates, "completion") !== "human";
