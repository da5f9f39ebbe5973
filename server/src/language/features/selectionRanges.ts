import { visit, isNode, isPair } from "yaml";
import { expressionAt, spanIn } from "../expressions/expressionsOf.ts";
import { tokensOf } from "../expressions/tokens.ts";
import { documentOf, type ParsedSpec, type Span } from "../syntax/parseSpec.ts";

/** What a selection at a place grows to, the smallest first: token, brackets, value, pair, and so on to the whole text. */
export function selectionRanges(spec: ParsedSpec, offset: number): Span[] {
  const holds = ({ start, end }: Span) => start <= offset && offset <= end;
  const spans: Span[] = [{ start: 0, end: spec.text.length }];
  const document = documentOf(spec);
  if (document)
    visit(document, (_, node) => {
      const span = isNode(node) ? spanOf(node.range, spec.text) : pairSpan(node, spec.text);
      if (!span) return undefined;
      if (!holds(span)) return isPair(node) ? undefined : visit.SKIP;
      spans.push(span);
      return undefined;
    });
  spans.push(...insideExpression(spec, offset));
  const sorted = spans.sort((a, b) => a.end - a.start - (b.end - b.start));
  // Each has to lie in the next one; what overlaps otherwise is left out.
  const chain: Span[] = [];
  for (const span of sorted) {
    const last = chain.at(-1);
    if (
      !last ||
      (span.start <= last.start && last.end <= span.end && span.end - span.start > last.end - last.start)
    )
      chain.push(span);
  }
  return chain;
}

function spanOf(range: readonly number[] | null | undefined, text: string): Span | undefined {
  const [start, end] = range ?? [];
  if (start === undefined || end === undefined) return undefined;
  return { start, end: start + text.slice(start, end).trimEnd().length };
}

function pairSpan(node: unknown, text: string): Span | undefined {
  if (!isPair(node) || !isNode(node.key)) return undefined;
  const key = spanOf(node.key.range, text);
  const value = isNode(node.value) ? spanOf(node.value.range, text) : undefined;
  return key && { start: key.start, end: Math.max(key.end, value?.end ?? 0) };
}

/** The token at the place, and every pair of brackets around it. */
function insideExpression(spec: ParsedSpec, offset: number): Span[] {
  const found = expressionAt(spec, offset);
  if (!found) return [];
  const { expression, at } = found;
  const spans: Span[] = [];
  const open: number[] = [];
  for (const { text, type, start, end } of tokensOf(expression.text)) {
    if (start <= at && at <= end) spans.push({ start, end });
    if (type !== "sign") continue;
    if ("([{".includes(text)) open.push(start);
    else if (")]}".includes(text)) {
      const from = open.pop();
      if (from === undefined || from >= at || end <= at) continue;
      spans.push({ start: from, end });
      if (end - from > 2) spans.push({ start: from + 1, end: end - 1 });
    }
  }
  return spans.map((span) => spanIn(expression, span)).filter((span) => span !== undefined);
}
