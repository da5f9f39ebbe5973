import type {
  EvidenceGroups,
  EvidenceQuery,
  EvidenceVersion,
  EvidenceWindow,
} from "../../../shared/protocol/views/evidence.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { countedText, countText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";

/** The filters of a query by what they are called, in a chip and in a sentence. */
export const filterNames = {
  label: "label",
  outcome: "outcome",
  stopReason: "ended as",
  step: "step",
  item: "item",
} as const;

type Counted = {
  /** What the first page said of all of the list. */
  readonly page: Pick<EvidenceWindow, "split" | "counts"> | null;
  readonly query: EvidenceQuery | null;
  readonly versions: readonly EvidenceVersion[];
  /** Of a search: how many rows were found, if that is known. */
  readonly found: number | null;
  readonly isReading: boolean;
};

/** How many rollouts are listed and how they ended, and what a filter kept of all that there are. */
export function countsText({ page, query, versions, found, isReading }: Counted): string {
  if (!page?.counts) return isReading ? "Reading…" : "";
  const { total, pass, fail, unknown } = page.counts;
  const outcomes = `${countText(pass)} passed, ${countText(fail)} failed${unknown > 0 ? `, ${countText(unknown)} unknown` : ""}`;
  const searched =
    query?.search === undefined ? "" : found === null ? "Searching " : `${countText(found)} found in `;
  const filters = query === null ? [] : filtersOf(query);
  const all = versions.find(({ version }) => version === query?.version)?.[page.split] ?? 0;
  if (filters.length > 0 && all > total)
    return `${searched}${countText(total)} of ${countedText(all, "rollout")} match ${filters.length === 1 ? (filters[0] ?? "") : countedText(filters.length, "filter")}: ${outcomes}`;
  const none =
    filters.length > 0 && all === total
      ? `; ${filters.length === 1 ? "the filter leaves" : "the filters leave"} none out`
      : "";
  return `${searched}${countedText(total, "rollout")}: ${outcomes}${none}`;
}

/** What a query filters by, each in words; a search only marks what it finds. */
function filtersOf(query: EvidenceQuery): string[] {
  const named = Object.entries(filterNames).flatMap(([name, words]) => {
    const value = query[name as keyof typeof filterNames];
    return value === undefined ? [] : [`${words} ${visibleLine(String(value))}`];
  });
  return [
    ...named,
    ...(query.where === undefined ? [] : [visibleLine(query.where)]),
    ...(query.note === undefined ? [] : ["notes"]),
  ];
}

/** How much of what is listed is not to be trusted, and why, as far as its groups say so; "" while nobody can say that none is. */
export function voidText(
  notValid: number,
  groups: EvidenceGroups | null,
  { invalidating, isLooked }: { readonly invalidating: ReadonlySet<string>; readonly isLooked: boolean },
): string {
  if (notValid === 0) return isLooked ? `; ${untrusted}: none` : "";
  const labels = groups?.by === "label" ? groups.groups : [];
  const most = labels
    .filter(({ value, rollouts }) => value !== null && invalidating.has(value) && rollouts > 0)
    .toSorted((a, b) => b.rollouts - a.rollouts)[0];
  const because = most === undefined ? "" : `, because of ${visibleLine(most.value ?? "")}`;
  return `; ${untrusted}: ${countText(notValid)}${because}`;
}

const untrusted = `${decisionLooks.invalid.mark} not to be trusted`;
