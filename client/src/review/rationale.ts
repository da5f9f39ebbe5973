import { betterText, doubtsOf, worseText } from "../../../shared/protocol/views/expected.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { verdictLooks } from "../../../shared/words/decisions.ts";

/** What the comment at a changed hunk says, a paragraph each: what somebody decides by comes first, as on the card. */
export function rationaleOf(
  proposal: Proposal,
  known: { readonly recordPending: boolean },
): readonly string[] {
  const { hypothesis, backtest } = proposal;
  const { improved, regressed, withheld } = verdictLooks;
  const doubts = doubtsOf(proposal, known);
  return [
    `${improved.mark} Should get better: ${betterText(proposal)}`,
    `${regressed.mark} Could get worse: ${worseText(proposal)}`,
    ...(doubts.length === 0 ? [] : [`${withheld.mark} Not to be trusted: ${doubts.join("; ")}`]),
    hypothesis,
    ...(backtest === null ? [] : [`Backtest: ${backtest.summary}`]),
  ];
}
