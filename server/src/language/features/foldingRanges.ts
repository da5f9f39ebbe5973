import { isMap, isScalar, isSeq, visit } from "yaml";
import { documentOf, type ParsedSpec } from "../syntax/parseSpec.ts";

/** Lines that can be folded away behind the first of them; lines count from 0. */
export type Fold = { readonly start: number; readonly end: number; readonly type: "region" | "comment" };

/** Mappings, lists and texts of several lines, and comments of several lines. */
export function foldingRanges(spec: ParsedSpec): Fold[] {
  const { text } = spec;
  const document = documentOf(spec);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const lineOf = (offset: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const folds = new Map<number, Fold>();
  const add = (from: number, to: number): void => {
    const [start, end] = [lineOf(from), lineOf(from + text.slice(from, to).trimEnd().length)];
    if (end > start && (folds.get(start)?.end ?? -1) < end) folds.set(start, { start, end, type: "region" });
  };
  if (document)
    visit(document, {
      Pair(_, { key, value }) {
        const from = isScalar(key) ? key.range?.[0] : undefined;
        const to = isMap(value) || isSeq(value) || isScalar(value) ? value.range?.[1] : undefined;
        if (from !== undefined && to !== undefined) add(from, to);
      },
      Seq(_, { items }) {
        for (const item of items)
          if ((isMap(item) || isSeq(item)) && item.range) add(item.range[0], item.range[1]);
      },
    });
  return [...folds.values(), ...comments(text)].sort((a, b) => a.start - b.start || b.end - a.end);
}

function comments(text: string): Fold[] {
  const folds: Fold[] = [];
  let first: number | undefined;
  const lines = text.split("\n");
  for (let line = 0; line <= lines.length; line++) {
    if (/^\s*#/.test(lines[line] ?? "")) first ??= line;
    else {
      if (first !== undefined && line - 1 > first)
        folds.push({ start: first, end: line - 1, type: "comment" });
      first = undefined;
    }
  }
  return folds;
}
