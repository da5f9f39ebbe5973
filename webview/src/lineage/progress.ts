import { isTrusted } from "../../../shared/model/isTrusted.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { SeedScores } from "../../../shared/protocol/results/items.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { auditGapText } from "../../../shared/words/auditText.ts";
import { percentText } from "../shared/numbers.ts";
import type { ScoredVersion } from "../shared/charts/scoreByVersion.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { intervalText } from "./text.ts";

export type Seeds = ReadonlyMap<string, SeedScores["seeds"]>;

/** Whether a version stands: the best score that was kept is one of these. What is held may be a shortcut. */
const stands = (table: LineageTable, i: number): boolean =>
  ["keep", "merge", "base"].includes(table.decisionOf(i)) && table.held[i] !== 1;

/**
 * The versions of the picture in the order of their making. Where there are more than have room, each place has the best one of
 * its versions that was kept, or else the best. Linear in the versions.
 */
export function scoredVersions(
  table: LineageTable,
  shown: readonly number[],
  { room, seeds }: { readonly room: number; readonly seeds: Seeds },
): ScoredVersion[] {
  const scored = shown.filter((i) => !Number.isNaN(table.score[i] ?? NaN)).sort((a, b) => a - b);
  const best = table.bestKept();
  const size = Math.max(1, Math.ceil(scored.length / room));
  const found: ScoredVersion[] = [];
  let frontier: number | null = null;
  for (let from = 0; from < scored.length; from += size) {
    const bin = scored.slice(from, from + size);
    for (const i of bin) if (stands(table, i)) frontier = Math.max(frontier ?? 0, table.counted(i) || 0);
    const worth = (i: number): number =>
      (i === best ? 4 : stands(table, i) ? 2 : 0) + (Number.isNaN(table.counted(i)) ? 0 : table.counted(i));
    const chosen = bin.reduce((a, b) => (worth(b) > worth(a) ? b : a));
    found.push(scoredVersion(table, chosen, { frontier, seeds, isBest: chosen === best, of: bin.length }));
  }
  return found;
}

function scoredVersion(
  table: LineageTable,
  i: number,
  {
    frontier,
    seeds,
    isBest,
    of,
  }: {
    readonly frontier: number | null;
    readonly seeds: Seeds;
    readonly isBest: boolean;
    readonly of: number;
  },
): ScoredVersion {
  const name = table.name[i] ?? "";
  const orNull = (value: number | undefined): number | null =>
    value === undefined || Number.isNaN(value) ? null : value;
  const version = {
    name: visibleLine(name),
    decision: table.decisionOf(i),
    verdict: table.comparedOf(i)?.verdict,
    score: orNull(table.score[i]),
    low: orNull(table.low[i]),
    high: orNull(table.high[i]),
    clean: table.clean.get(i) ?? null,
    audit: table.audit.get(i)?.score ?? null,
  };
  const own = seeds.get(name) ?? [];
  return {
    ...version,
    isTrusted: isTrusted(version),
    isBest,
    seeds: own.map(({ score }) => score),
    frontier,
    says: saidOf(table, i, { version, own, of }),
  };
}

function saidOf(
  table: LineageTable,
  i: number,
  {
    version,
    own,
    of,
  }: {
    readonly version: Pick<ScoredVersion, "name" | "decision" | "score" | "low" | "high" | "audit">;
    readonly own: SeedScores["seeds"];
    readonly of: number;
  },
): string {
  const { name, score, audit } = version;
  const clean = table.clean.get(i);
  const became = `${decisionText(table.stagedOf(i), "became")}${table.promoted[i] === 1 ? ", promoted" : ""}`;
  return [
    `${name} ${became}`,
    isTrusted(version)
      ? `${percentText(score ?? 0)} ${intervalText(version)}`.trim()
      : `${percentText(score ?? 0)} does not count${clean === undefined ? "" : `, ${percentText(clean)} without what was found`}`,
    audit === null ? "" : `audit ${percentText(audit)}${auditGapText(table.audit.get(i)?.gap)}`,
    own.length > 1 ? `seeds ${own.map((s) => `${s.seed}: ${percentText(s.score)}`).join(", ")}` : "",
    visibleLine(table.title[i] ?? ""),
    of > 1 ? `one of ${of} versions here` : "",
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
