import { points } from "../gates/decide.ts";
import { doubtText } from "../statistics/doubts.ts";
import type { Comparison } from "../../../shared/model/ledger.ts";
import type { FlipDivergence } from "../engine/flipDivergence.ts";
import type { Flip, Flips } from "../statistics/flips.ts";
import type { OutcomeCounts } from "../statistics/outcomes.ts";
import { evidenceVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { table } from "./table.ts";

/** Flips whose rollouts are read to find where they part: each is two rollouts with all their text. */
const divergencesShown = 20;

/** `evotrainer compare <a> <b>`: paired comparison of b with a on the selection split, with the items that flipped. */
export async function compare(
  io: Io,
  cwd: string,
  options: { a: string; b: string; flips: boolean },
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const { engine } = inspection;
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    const divergences = options.flips ? divergencesShown : 0;
    const result = await engine.request("versions.compare", { a, b, divergences });
    printResult(io, result, () => {
      const { flips, flipped } = result;
      const text = comparisonText(result.version, result);
      const list = options.flips ? `\n${flipTable(flips)}` : "; --flips lists them.";
      return `${text}\n${flipText(flipped)}${list}`;
    });
  });
}

/** The comparison in sentences: difference, verdict, how it was made, what more would tell, what to doubt. */
export function comparisonText(version: string, c: Comparison): string {
  const verdict = { improved: "improved", regressed: "regressed", inside_noise: "inside the noise" }[
    c.verdict
  ];
  const lines = [
    `${version} against ${c.against}: ${points(c.difference)} ${range([c.low, c.high])}, ${verdict}, ${c.items} paired items.`,
  ];
  if (c.method !== undefined) lines.push(`${percentText(c.confidence)} interval: ${c.method}.`);
  if (c.outer !== undefined) lines.push(`With unknown outcomes counted either way: ${range(c.outer)}.`);
  if (c.itemsNeeded !== null)
    lines.push(`About ${c.itemsNeeded} items are needed to tell a difference of this size.`);
  if (c.seedsNeeded !== undefined && c.seedsNeeded !== null)
    lines.push(`About ${c.seedsNeeded} seeds of each are needed for it.`);
  if (c.detectable !== undefined && c.detectable !== null)
    lines.push(`These items find a difference of ${points(c.detectable)} in 80 of 100 cases.`);
  return [...lines, ...(c.doubts ?? []).map(doubtText)].join("\n");
}

const range = ([low, high]: readonly [number, number]): string => `[${points(low)}, ${points(high)}]`;
const percentText = (x: number): string => `${Math.round(x * 1e4) / 100} %`;

function flipText({ fixed, broken, same, p }: Omit<Flips, "flips">): string {
  return `${fixed} items pass more often, ${broken} less often, ${same} the same (exact test: p = ${p.toPrecision(2)})`;
}

function flipTable(flips: readonly (Flip & { readonly divergence: FlipDivergence | null })[]): string {
  const rows = flips.map((f) => [
    f.item,
    countText(f.before),
    countText(f.after),
    f.direction,
    whereText(f.divergence),
  ]);
  return table([["item", "passes before", "after", "", "first different action"], ...rows], [1, 2]);
}

function countText({ pass, fail, unknown }: OutcomeCounts): string {
  return `${pass}/${pass + fail}${unknown === 0 ? "" : ` +${unknown}?`}`;
}

function whereText(divergence: FlipDivergence | null): string {
  if (divergence === null) return "";
  const { before, after, first } = divergence;
  const at = ({ run, id }: { run: string; id: string }, turn: number | null | undefined): string =>
    `${run}/${id}${turn === null || turn === undefined ? "" : ` turn ${turn}`}`;
  return `${at(before, first?.a)} | ${at(after, first?.b)}${first === null ? " (none found)" : ` (${first.reason})`}`;
}
