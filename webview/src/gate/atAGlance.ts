import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { element } from "../shared/dom.ts";
import { firstSentence } from "../shared/firstSentence.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { countedText, countText, durationText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";
import { findingsOf, type TriedHandlers } from "./tried.ts";

/**
 * What somebody decides by, in a few lines above the hunks: what the change answers, what it should bring, what the backtest and
 * the trial say, and what it costs.
 */
export function atAGlanceOf(proposal: Proposal, on: TriedHandlers): HTMLElement {
  const list = element("dl", "glance");
  list.setAttribute("aria-label", "What to decide by");
  const add = (name: string, ...lines: readonly (HTMLElement | string)[]): void => {
    if (lines.length === 0) return;
    const answer = element("dd");
    for (const line of lines)
      answer.append(typeof line === "string" ? element("p", "", visibleText(line)) : line);
    list.append(element("dt", "quiet", name), answer);
  };
  if (proposal.reason !== null) add("why not trained", proposal.reason);
  add("answers", ...findingsOf(proposal, on));
  add("expects", expectedOf(proposal));
  add("backtest", backtestLine(proposal.backtest));
  if (proposal.trial != null) add("trial", proposal.trial);
  add("cost", costText(proposal.cost));
  return list;
}

function expectedOf({ fixes, risks }: Proposal): HTMLElement {
  const line = element("p");
  const add = (sign: string, kind: string, words: string, labels: readonly string[]): void => {
    if (labels.length === 0) return;
    if (line.hasChildNodes()) line.append("; ");
    const said = element("span", kind);
    said.append(signElement(sign), ` ${words}: ${labels.map(visibleLine).join(", ")}`);
    line.append(said);
  };
  add("↓", "pass", "should become rarer", fixes);
  add("↑", "fail", "may become more frequent", risks);
  if (!line.hasChildNodes()) line.append("no label is said to become rarer or more frequent");
  return line;
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
    line.append(signElement(after < before ? "▾" : "▴", after < before ? "colour-green" : "colour-red"), " ");
  line.append(glossaryWord("dead groups", "dead group"), " ", change, ` of ${countText(groups)}`);
  if (violations != null) {
    line.append(", ");
    if (violations > 0) line.append(signElement("△", "colour-orange"), " ");
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
