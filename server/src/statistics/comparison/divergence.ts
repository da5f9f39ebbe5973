import { isDeepStrictEqual } from "node:util";
import type { Turn } from "../../../../shared/model/rollout.ts";

export interface Divergence {
  /** Where each of the two does something else, as an index into its turns; null where it has ended. */
  readonly a: number | null;
  readonly b: number | null;
  /** What differs: the tool, its arguments, what the policy wrote, or that one goes on where the other has ended. */
  readonly reason: "tool" | "args" | "text" | "ended";
}

/**
 * The first action in which two rollouts of an item differ. The turns of the policy are compared one by one: tool and
 * arguments; only when all actions are the same, the text, since a policy seldom words the same thought twice. Null when
 * nothing differs.
 */
export function firstDivergence(turnsA: readonly Turn[], turnsB: readonly Turn[]): Divergence | null {
  const a = policyTurns(turnsA);
  const b = policyTurns(turnsB);
  let wording: Divergence | null = null;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]];
    if (x === undefined || y === undefined) break;
    const at = { a: x.index, b: y.index };
    if (x.turn.tool !== y.turn.tool) return { ...at, reason: "tool" };
    if (!isDeepStrictEqual(x.turn.args ?? {}, y.turn.args ?? {})) return { ...at, reason: "args" };
    if (x.turn.text !== y.turn.text) wording ??= { ...at, reason: "text" };
  }
  if (a.length !== b.length) {
    const i = Math.min(a.length, b.length);
    return { a: a[i]?.index ?? null, b: b[i]?.index ?? null, reason: "ended" };
  }
  return wording;
}

function policyTurns(turns: readonly Turn[]): { readonly index: number; readonly turn: Turn }[] {
  return turns.map((turn, index) => ({ turn, index })).filter(({ turn }) => turn.role === "assistant");
}
