import { betterText, doubtsOf, worseText } from "../../../shared/protocol/views/expected.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { verdictLooks } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";

/** How far that is which takes long to look up: what the parent has of what the change answers, and its proposer's record. */
export type LookedUp = "pending" | "known" | "unknown";

/** What the comment at a changed hunk says, a paragraph each: what somebody decides by comes first, as on the card. */
export function rationaleOf(proposal: Proposal, lookedUp: LookedUp): readonly string[] {
  const { hypothesis, backtest } = proposal;
  const { improved, regressed, withheld } = verdictLooks;
  const doubts = doubtsOf(proposal, { recordPending: lookedUp !== "known" });
  return [
    `${improved.mark} Should get better: ${betterText(proposal)}`,
    `${regressed.mark} Could get worse: ${worseText(proposal)}`,
    ...(doubts.length === 0 ? [] : [`${withheld.mark} Not to be trusted: ${doubts.join("; ")}`]),
    ...(lookedUp === "pending"
      ? [`Looking up what ${shortName(proposal.parent)} has of that, and how earlier predictions came out…`]
      : []),
    hypothesis,
    ...(backtest === null ? [] : [`Backtest: ${backtest.summary}`]),
  ];
}
