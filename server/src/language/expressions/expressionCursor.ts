import { probe } from "../syntax/cursor.ts";
import type { Path } from "../syntax/parseSpec.ts";
import type { SpecKind } from "../syntax/specKind.ts";
import { surroundingsAt, type Surroundings } from "./expressionsOf.ts";

/** Where an expression is being written: what stands before the cursor and behind it. */
export type ExpressionCursor = {
  readonly path: Path;
  readonly before: string;
  readonly after: string;
  readonly around: Surroundings;
};

/** The expression at a cursor, also an empty one and one that is half written. */
export function expressionCursor(
  { kind, text }: { readonly kind: SpecKind; readonly text: string },
  offset: number,
): ExpressionCursor | undefined {
  if (kind !== "diagnostic" && kind !== "evidence") return undefined;
  const found = probe(text, offset);
  if (!found) return undefined;
  const around = surroundingsAt({ kind, value: found.value }, found.path);
  if (!around) return undefined;
  if (kind === "evidence" && found.isKey) return undefined;
  const { path, before, after } = found;
  if (kind !== "diagnostic" || path[1] !== "message")
    return found.isKey ? undefined : { path, before, after, around };
  // In a sentence only what is in braces is an expression.
  const open = before.lastIndexOf("{");
  if (open < 0 || before.lastIndexOf("}") > open) return undefined;
  const close = after.search(/%?\}/);
  return { path, before: before.slice(open + 1), after: close < 0 ? after : after.slice(0, close), around };
}
