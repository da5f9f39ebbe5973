import { isDeepStrictEqual } from "node:util";
import { visit } from "yaml";
import type { TextEdit } from "../rule/rule.ts";
import { documentOf, parseText, type ParsedText } from "../syntax/parseSpec.ts";

const width = 110;

/**
 * The edit that gives a spec the usual form: two blanks per level, one blank around what is in braces. Comments and blank
 * lines stay; so do the values, or nothing is changed. A text that does not parse is left as it is.
 */
export function formatting(spec: ParsedText): TextEdit[] {
  const { text, problems, value } = spec;
  const document = documentOf(spec);
  if (!document || problems.length > 0 || text.trim() === "") return [];
  const folded: unknown[] = [];
  visit(document, {
    Collection(_, node) {
      if (node.flow === true && node.range && text.slice(node.range[0], node.range[1]).includes("\n"))
        folded.push(node);
    },
  });
  const written = documentOf(parseText(text))?.toString({
    indent: 2,
    indentSeq: true,
    flowCollectionPadding: true,
    // With a width, long plain texts would be folded too: only where a collection was folded by hand.
    lineWidth: folded.length > 0 ? width : 0,
  });
  if (written === undefined) return [];
  const formatted = withoutPadding(written);
  if (formatted === text) return [];
  const again = parseText(formatted);
  if (again.problems.length > 0 || !isDeepStrictEqual(again.value, value)) return [];
  return [shortest(text, formatted)];
}

/** Braces have a blank inside, brackets have none. */
function withoutPadding(text: string): string {
  const blanks: number[] = [];
  const document = documentOf(parseText(text));
  if (document)
    visit(document, {
      Seq(_, { flow, range, items }) {
        if (flow !== true || !range || items.length === 0) return;
        if (text.startsWith("[ ", range[0])) blanks.push(range[0] + 1);
        if (text.endsWith(" ]", range[1]) && text.slice(0, range[1] - 2).trimEnd().length === range[1] - 2)
          blanks.push(range[1] - 2);
      },
    });
  let done = text;
  for (const at of blanks.sort((a, b) => b - a)) done = done.slice(0, at) + done.slice(at + 1);
  return done;
}

/** What differs, without what both have at the start and at the end. */
function shortest(before: string, after: string): TextEdit {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  return {
    span: { start, end: before.length - end },
    text: after.slice(start, after.length - end),
  };
}
