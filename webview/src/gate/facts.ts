import { answeredWords } from "../../../shared/words/decisions.ts";
import type { ProposerRecord } from "../../../shared/protocol/results/proposerRecord.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import { glossaryWordOf } from "../../../shared/words/glossary.ts";
import { riseText } from "../../../shared/protocol/views/expected.ts";
import { metricWords } from "../../../shared/words/metricWords.ts";
import { element, linkButton, withNames } from "../shared/dom.ts";
import { firstSentence } from "../shared/firstSentence.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { countedText, countText, dateTimeText, setPercentText, valueText } from "../shared/numbers.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";

export type FactHandlers = { readonly recordPending: boolean; readonly openDiff: () => void };

/** What the proposal claims and what is known about that, below the hunks: what decides stands above them (atAGlanceOf). */
export function factsOf(proposal: Proposal, { recordPending, openDiff }: FactHandlers): HTMLElement[] {
  return [
    section("Hypothesis", withNames("p", visibleText(proposal.hypothesis)), ...successOf(proposal)),
    ...(saysMore(proposal) ? [section("Backtest", ...backtestOf(proposal))] : []),
    section(`Record of ${visibleLine(proposal.proposer)}`, recordOf(proposal.record, recordPending)),
    ...(proposal.answers.length === 0 ? [] : [section("Answers so far", earlierAnswers(proposal, openDiff))]),
  ];
}

export function section(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  const made = element("section");
  made.append(element("h2", "", title), ...content);
  return made;
}

const paragraph = (text: string, className = ""): HTMLElement => element("p", className, visibleText(text));

function successOf({ success, guardrails }: Proposal): HTMLElement[] {
  if (success === null) return [];
  const limits = guardrails.map((g) => `${metricWords(g.metric)} is at most ${valueText(g.atMost)}`);
  const text = `Kept if ${metricWords(success.metric)} ${riseText(success)} (${setPercentText(success.confidence)} confidence)${limits.length === 0 ? "" : `, and ${limits.join(", ")}`}.`;
  return [paragraph(text, "quiet")];
}

/** Whether there is more to say of the backtest than the one line of it above. */
const saysMore = ({ backtest }: Proposal): boolean =>
  backtest !== null &&
  (Object.values(backtest.figures).some((value) => value !== null) ||
    firstSentence(backtest.summary)[1] !== "");

function backtestOf({ backtest }: Proposal): HTMLElement[] {
  if (backtest === null) return [];
  const figures = Object.entries(backtest.figures).filter(([, value]) => value !== null);
  if (figures.length === 0) return [paragraph(backtest.summary)];
  const table = element("table", "figures");
  const body = element("tbody");
  for (const [name, value] of figures) {
    const row = element("tr");
    const head = element("th");
    const word = glossaryWordOf(name);
    const text = visibleLine(name.replaceAll("_", " "));
    head.append(word === undefined ? text : glossaryWord(text, word));
    head.scope = "row";
    row.append(head, element("td", "number", value === null ? "" : valueText(value)));
    body.append(row);
  }
  table.append(element("caption", "", "Figures of the backtest"), body);
  return [paragraph(backtest.summary), table];
}

function recordOf(record: ProposerRecord | null, pending: boolean): HTMLElement {
  if (pending) return paragraph("Looking up how earlier predictions came out…", "quiet");
  if (record === null || record.measured === 0)
    return paragraph("None of its predictions has been measured yet.", "quiet");
  const tally = (name: string, t: ProposerRecord["fixes"]): string =>
    t.predicted === 0
      ? `${name}: none predicted`
      : `${name}: ${t.hits} of ${t.predicted} came true (${t.byChance.toFixed(1)} expected by chance), ${t.opposite} went the other way, ${t.unforeseen} not predicted`;
  const list = element("ul");
  for (const text of [tally("Fixes", record.fixes), tally("Risks", record.risks)])
    list.append(element("li", "", text));
  const made = element("div");
  made.append(
    paragraph(`Measured on ${record.measured} of ${countedText(record.versions, "version")}.`, "quiet"),
    list,
  );
  return made;
}

/** Who answered and when, with what the answer rested on: the hunks, which open, and the backtest. */
function earlierAnswers({ answers, files, backtest }: Proposal, openDiff: () => void): HTMLElement {
  const list = element("ol");
  const all = files.reduce((sum, file) => sum + file.hunks.length, 0);
  const figures = backtest === null ? null : deadText(backtest);
  for (const { answer, by, at, comment, hunks } of answers) {
    const line = element("li");
    const said = `${answeredWords[answer]} by ${by}, ${dateTimeText(at)}${comment === null ? "" : `: ${comment}`}`;
    const of =
      hunks === null ? countedText(all, "hunk") : `${hunks.taken} of ${countedText(hunks.of, "hunk")}`;
    line.append(visibleLine(said), element("span", "quiet", "; it rests on "), linkButton(of, openDiff));
    if (figures !== null) line.append(element("span", "quiet", ` and a backtest: ${figures}`));
    list.append(line);
  }
  return list;
}

/** `dead groups 201 → 44 of 320`; null of a backtest that has no such numbers. */
function deadText({ figures }: NonNullable<Proposal["backtest"]>): string | null {
  const { groups, dead_before: before, dead_after: after } = figures;
  if (groups == null || before == null || after == null) return null;
  return `dead groups ${countText(before)} → ${countText(after)} of ${countText(groups)}`;
}
