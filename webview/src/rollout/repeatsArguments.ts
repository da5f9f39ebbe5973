import type { ShownTurn } from "../../../shared/protocol/views/rollout.ts";

/** A longer text is shown without being looked through. */
const longest = 20_000;

/**
 * Whether a text says nothing but the call once more: the arguments as JSON, or the name of the tool and every value in the
 * trainer's own notation, as in `edit labels.mini:13  let rest = 1`. The arguments stand above it.
 */
export function repeatsArguments({ text, args, tool }: Pick<ShownTurn, "text" | "args" | "tool">): boolean {
  const written = text.trim();
  const values = Object.values(args ?? {});
  if (values.length === 0 || written === "" || written.length > longest) return false;
  return isJsonOf(written, args) || isMadeOf(written, values, tool ?? "");
}

function isJsonOf(written: string, args: ShownTurn["args"]): boolean {
  if (!written.startsWith("{")) return false;
  try {
    return JSON.stringify(JSON.parse(written)) === JSON.stringify(args);
  } catch {
    return false;
  }
}

/** The longest values are taken out first: a short one may be a part of a long one. What is left may only divide them. */
function isMadeOf(written: string, values: readonly unknown[], tool: string): boolean {
  const said = values.map((value) => (typeof value === "string" ? value.trim() : JSON.stringify(value)));
  let left = tool !== "" && written.startsWith(tool) ? ` ${written.slice(tool.length)}` : written;
  for (const value of said.toSorted((a, b) => b.length - a.length)) {
    const at = left.indexOf(value);
    if (value === "" || at < 0) return false;
    left = `${left.slice(0, at)} ${left.slice(at + value.length)}`;
  }
  return !/[\p{L}\p{N}]/u.test(left);
}
