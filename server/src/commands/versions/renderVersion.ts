import { foldedLabels, withAlso } from "../../../../shared/model/foldedLabels.ts";
import { hasSeedsSince } from "../../../../shared/model/seedsSince.ts";
import { labelsFound } from "../../../../shared/model/labelShare.ts";
import { shortShareText } from "../../../../shared/model/shareText.ts";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import {
  duration,
  measuredElsewhere,
  money,
  percent,
  percentInterval,
  points,
} from "../../../../shared/words/numbers.ts";
import { elsewhereText, newWayText } from "../../../../shared/ledger/newWayText.ts";
import { auditGapText } from "../../../../shared/words/auditText.ts";
import { failureText } from "../../../../shared/model/failureText.ts";
import { here } from "../../engine/workspace/machineNames.ts";
import { decisionText } from "../../../../shared/words/stages.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import type { PeopleOnLabels } from "./peopleBeside.ts";
import { paint, type Io } from "../terminal/io.ts";
import { sentences, wrap } from "../terminal/table.ts";

/** One version: where it comes from, what it changed, what was measured, how it was decided, and what people said. */
export function renderVersion(
  io: Io,
  v: VersionReport & PeopleOnLabels,
  { versions }: LineageReport,
): string {
  const children = versions.filter(({ parent, merges }) => parent === v.name || merges === v.name);
  const facts: readonly (readonly [string, string | null])[] = [
    ["decision", `${decisionText(v)}${v.revertedBy === undefined ? "" : `, reverted by ${v.revertedBy}`}`],
    ["because", sentences(v.reason)],
    ["since", sinceText(v, versions)],
    ...(v.newWays ?? []).map((way) => ["look at", newWayText(way, v.parent ?? "its parent")] as const),
    ["elsewhere", v.inParentEnvironment === undefined ? null : elsewhereText(v.inParentEnvironment)],
    ["parent", parentText(v)],
    ["children", joined(children.map(({ name }) => name))],
    [
      "change",
      v.factor === null
        ? v.intervention
        : `${v.factor}${v.intervention === null ? "" : `, ${v.intervention}`}`,
    ],
    ["hypothesis", v.hypothesis === null ? null : sentences(v.hypothesis)],
    ["backtest", v.backtest === null ? null : sentences(v.backtest)],
    ["score", scoreText(v)],
    ["audit", v.audit === null ? null : `${withInterval(v.audit)}${auditGapText(v.audit.gap)}`],
    ["labels", joined(labelTexts(v, undefined))],
    ["groups", joined(labelTexts(v, "group"))],
    ...peopleSaid(v.people ?? []).map((text) => ["", text] as const),
    ["evidence", joined(v.evidence.map(({ rollout, label }) => `${rollout} (${label})`))],
    ["failure", v.failure === null ? null : `its job ${failureText(v.failure)}`],
    ["promoted", v.promotion === null ? null : sentences(v.promotion)],
    ["unconfined", v.unconfined === undefined ? null : sentences(v.unconfined)],
    ["proposer", v.trial?.proposer ?? v.author],
    ["tried", trialText(v)],
    ["name", v.alias],
    ["tags", joined(v.tags)],
    ...v.notes.map(({ at, by, text }) => ["note", `${sentences(text)} (${by}, ${at})`] as const),
    ["commit", v.commit],
    ["made", v.at],
  ];
  const title = paint(io, "bold", `${v.name}${v.promoted ? " ★" : ""}: ${v.title}`);
  return [wrap(title, io.columns, "  "), ...facts.flatMap(([name, text]) => line(io, name, text))].join("\n");
}

/** Names stand in a column; a text goes on under itself. */
const nameWidth = 12;

function line(io: Io, name: string, text: string | null): string[] {
  if (text === null || text === "") return [];
  return [`  ${wrap(name.padEnd(nameWidth) + text, io.columns - 2, " ".repeat(nameWidth + 2))}`];
}

function parentText({ parent, merges, joins }: VersionReport): string | null {
  if (parent === null) return null;
  if (merges !== undefined) return `${parent}, merged with ${merges}`;
  return joins === undefined ? parent : `${parent}, with the edits of ${joins} as well`;
}

/** Where more seeds were trained since the decision: what the scores on all seeds make of the difference that it went by. */
function sinceText(
  { name, score, trial, comparison }: VersionReport,
  versions: LineageReport["versions"],
): string | null {
  const other = versions.find((one) => one.name === comparison?.against);
  if (other === undefined || other.score === null || score === null) return null;
  const [a, b] = [other, { trial }].map((one) => one.trial?.seeds.length ?? 0);
  if (!hasSeedsSince(comparison?.seeds, [a ?? 0, b ?? 0])) return null;
  return `On all seeds by now, ${b} against ${a}: ${points(score - other.score)} against ${other.name}. \`evotrainer compare ${other.name} ${name}\` gives the interval.`;
}

const joined = (words: readonly string[]): string | null => (words.length === 0 ? null : words.join(", "));

/** The labels of rollouts, which are of the selection split, or those of groups, each with the split of the groups. */
const labelTexts = ({ labels }: VersionReport, over: "group" | undefined): string[] =>
  foldedLabels(labelsFound(labels).filter((label) => label.over === over)).map(
    ({ label, said }) =>
      `${withAlso(label.name, said)} ${shortShareText(label)}${label.split === undefined ? "" : ` of the ${label.split} split`}`,
  );

const withInterval = ({ score, low, high }: { score: number; low: number; high: number }): string =>
  `${percent(score)} ${percentInterval(low, high)}`;

function scoreText({ score, low, high, measured, cleanScore, decision }: VersionReport): string | null {
  if (score === null)
    return measured?.value == null ? null : `${measuredElsewhere(measured.value)} (${measured.metric})`;
  const shown = low === null || high === null ? percent(score) : withInterval({ score, low, high });
  return cleanScore === null || decision !== "invalid"
    ? shown
    : `${shown}; ${percent(cleanScore)} without its leak`;
}

function trialText({ trial }: VersionReport): string | null {
  if (trial == null) return null;
  const { seeds, seconds, host, cost } = trial;
  return joined([
    ...(seeds.length === 0 ? [] : [`seeds ${seeds.join(", ")}`]),
    ...(seconds === null ? [] : [duration(seconds)]),
    ...(host === null ? [] : [host === here ? "on this machine" : `on ${host}`]),
    ...(cost === null ? [] : [money(cost)]),
  ]);
}
