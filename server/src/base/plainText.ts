import { inBlock, inLine, replaceUnseen } from "../../../shared/words/unseen.ts";

// The editor shows text in the same way.
export { inBlock, inLine };

/**
 * Text of others (evidence, arguments, specs, git, logs) as text, wherever it is shown: no terminal acts on it, and
 * nothing in it is hidden. What has no look of its own is written as its code, such as \x1b or \u202e. Text that has
 * been through one of these functions stays as it is in the next one.
 */

/** In a block whose first line is ours: the further lines are indented, so that none of them can pass for one of ours. */
export function inHangingBlock(text: string): string {
  const block = inBlock(text.trimEnd());
  return /\n(?! {2})/.test(block) ? block.replaceAll("\n", "\n  ") : block;
}

/** A value as a JSON document that holds the same and shows everything. */
export function jsonText(value: unknown, indent?: number): string {
  const units = (c: string): string =>
    Array.from({ length: c.length }, (_, i) => `\\u${c.charCodeAt(i).toString(16).padStart(4, "0")}`).join(
      "",
    );
  // Outside its strings JSON has no such character but the line feeds of its layout.
  return replaceUnseen(JSON.stringify(value, null, indent), (c) => (c === "\n" ? c : units(c)));
}

/** A value in which every text, and every name of a field, is as in a line; the value itself where nothing changes. */
export function withPlainTexts<T>(value: T): T;
export function withPlainTexts(value: unknown): unknown {
  if (typeof value === "string") return inLine(value);
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((v: unknown) => withPlainTexts(v)),
    );
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const fields = Object.entries(value);
  const shown = fields.map(([name, field]): [string, unknown] => [inLine(name), withPlainTexts(field)]);
  const isSame = shown.every(([name, field], i) => name === fields[i]?.[0] && field === fields[i][1]);
  return isSame ? value : Object.fromEntries(shown);
}

const sameOr = (list: readonly unknown[], shown: readonly unknown[]): readonly unknown[] =>
  shown.every((v, i) => v === list[i]) ? list : shown;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
