import { betterText, doubtsOf, worseText } from "../../../shared/protocol/views/expected.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { alertLooks, verdictLooks, type Look } from "../../../shared/words/decisions.ts";
import { element } from "../shared/dom.ts";
import { firstSentence } from "../shared/firstSentence.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { countedText, countText, durationText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleText } from "../shared/visibleText.ts";
import { findingsOf, type TriedHandlers } from "./tried.ts";

/**
 * What somebody decides by, in a few lines above the hunks: what should get better, what could get worse and what not to trust;
 * then what the change answers, what the backtest and the trial say, and what it costs.
 */
export function atAGlanceOf(
  proposal: Proposal,
  { recordPending }: { readonly recordPending: boolean },
  on: TriedHandlers,
): HTMLElement[] {
  const [verdicts, grounds] = [element("dl", "glance verdicts"), element("dl", "glance")];
  verdicts.setAttribute("aria-label", "What to decide by");
  grounds.setAttribute("aria-label", "What that rests on");
  const put = (list: HTMLElement, head: HTMLElement, lines: readonly (HTMLElement | string)[]): void => {
    if (lines.length === 0) return;
    const answer = element("dd");
    for (const line of lines)
      answer.append(typeof line === "string" ? element("p", "", visibleText(line)) : line);
    list.append(head, answer);
  };
  const add = (name: string, ...lines: readonly (HTMLElement | string)[]): void =>
    put(grounds, element("dt", "quiet", name), lines);
  const signed = ({ mark, colour }: Look, name: string, lines: readonly string[]): void => {
    const head = element("dt", "verdict");
    head.append(signElement(mark, `sign colour-${colour}`), ` ${name}`);
    put(verdicts, head, lines);
  };
  if (proposal.reason !== null) add("why not trained", proposal.reason);
  signed(verdictLooks.improved, "should get better", [betterText(proposal)]);
  signed(verdictLooks.regressed, "could get worse", [worseText(proposal)]);
  signed(
    verdictLooks.withheld,
    "not to be trusted",
    [doubtsOf(proposal, { recordPending }).join("; ")].filter((text) => text !== ""),
  );
  add("answers", ...findingsOf(proposal, { recordPending }, on));
  add("backtest", backtestLine(proposal.backtest));
  if (proposal.trial != null) add("trial", proposal.trial);
  add("cost", costText(proposal.cost));
  return [verdicts, grounds];
}

/** The two numbers that a replayed reward is judged by, or else the first of its sentences: the most important one. */
function backtestLine(backtest: Proposal["backtest"]): HTMLElement {
  const line = element("p");
  if (backtest === null) {
    line.append("not backtested yet");
    return line;
  }
  const { groups, dead_before: before, dead_after: after, order_violations: violations } = backtest.figures;
  if (groups == null || before == null || after == null) {
    line.append(visibleText(firstSentence(backtest.summary)[0]));
    return line;
  }
  const change = element("strong", "", `${countText(before)} → ${countText(after)}`);
  if (after !== before)
    line.append(signElement(after < before ? "↓" : "↑", after < before ? "colour-green" : "colour-red"), " ");
  line.append(glossaryWord("dead groups", "dead group"), " ", change, ` of ${countText(groups)}`);
  if (violations != null) {
    line.append(", ");
    if (violations > 0)
      line.append(signElement(alertLooks.warning.mark, `colour-${alertLooks.warning.colour}`), " ");
    line.append(glossaryWord("order violations", "order violation"), ` ${countText(violations)}`);
  }
  return line;
}

function costText(cost: Proposal["cost"]): string {
  if (cost === null) return "not known: no version has been trained yet";
  return cost.versions === 1
    ? `about ${durationText(cost.median)} for all of its jobs, like the one version before it`
    : `about ${durationText(cost.median)} for all of its jobs; the ${countedText(cost.versions, "version")} before it took ${durationText(cost.low)} to ${durationText(cost.high)}`;
}
