import {
  percent,
  percentInterval,
  points,
  pointsInterval,
  pValue,
  setPercent,
} from "../../../../shared/words/numbers.ts";
import type { PickReport } from "../../engine/comparison/picked.ts";
import type { ProfilePoint } from "../../statistics/comparison/profiles.ts";
import type { Answer } from "../../statistics/intervals/refusal.ts";
import { table, type Screen } from "../terminal/table.ts";

/** The candidates beside each other, with intervals that hold together. */
export function candidateTable(screen: Screen, { among, because, refused }: PickReport): string {
  if (among.length === 0)
    return (
      refused?.message ?? `There is nothing to compare it with: ${because}, and no other version is measured.`
    );
  const rows = among.map((c) => [
    c.version,
    points(c.difference),
    c.low === null || c.high === null ? "too few items differ" : pointsInterval(c.low, c.high),
    c.p === null ? "" : pValue(c.p),
    percent(c.wins),
  ]);
  return table(
    [["version", "difference", "95 % over items, for all together", "p", "best in"], ...rows],
    [1, 3, 4],
    screen,
  );
}

type Profile = Answer<{ readonly points: readonly ProfilePoint[] }>;

/** The performance profiles of both versions, a threshold a line. */
export function profileTable(
  screen: Screen,
  names: { readonly a: string; readonly b: string },
  profile: { readonly a: Profile; readonly b: Profile },
): string {
  const { a, b } = profile;
  if (a.type === "refused") return a.message;
  if (b.type === "refused") return b.message;
  const cell = (p: ProfilePoint | undefined): string =>
    p === undefined
      ? ""
      : `${percent(p.share)}${p.low === null || p.high === null ? "" : ` ${percentInterval(p.low, p.high)}`}`;
  const rows = a.points.map((p, i) => [`> ${setPercent(p.threshold)}`, cell(p), cell(b.points[i])]);
  const bands = [a, b].every((p) => p.points.every(({ low }) => low === null))
    ? "\nOne seed each: there is no band, because nobody knows how another training run would turn out."
    : "";
  return `${table([["items solved", names.a, names.b], ...rows], [1, 2], screen)}${bands}`;
}
