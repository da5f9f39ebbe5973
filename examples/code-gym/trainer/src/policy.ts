import type { Active } from "../../../gym/src/columns.ts";
import { elementOf } from "../../../gym/src/matrix.ts";
import type { NetworkShape } from "../../../gym/src/network.ts";
import type { Chosen } from "../../../gym/src/policy.ts";
import { encodeKind, encodePlace, encodeTest, widths, type Memory } from "./encoding.ts";
import { kinds } from "./language.ts";
import { instructionFor, toolNames, type Call } from "./session.ts";

/** Numbers of the pointer heads. */
export const headOf = { place: 1, kind: 2, test: 3 } as const;

export const policyShape: NetworkShape = {
  input: widths.state,
  hidden: 64,
  pointer: 32,
  tools: toolNames.length,
  candidates: [widths.place, widths.kind, widths.test],
};

/** The pointer heads that a tool needs: none for a call that fails in this state. */
export function headsFor(tool: number, { session }: Memory): readonly number[] {
  switch (elementOf(toolNames, tool)) {
    case "write":
      return [headOf.kind];
    case "change":
      return session.program.instructions.length > 0 ? [headOf.place, headOf.kind] : [];
    case "special":
      return session.lastRun === null ? [] : [headOf.test];
    case "undo":
    case "run":
    case "submit":
      return [];
  }
}

/** The place that a kind is for: the one that was picked, or the next one. */
const placeOf = ({ session }: Memory, chosen: Chosen): number =>
  chosen[headOf.place] ?? session.program.instructions.length;

/** Encoded candidates of a head; the kinds depend on the place that was picked. */
export function candidatesOf(head: number, memory: Memory, chosen: Chosen): Active[] {
  const { session } = memory;
  if (head === headOf.place) return session.program.instructions.map((_, at) => encodePlace(at, memory));
  if (head === headOf.test) return (session.lastRun ?? []).map((result) => encodeTest(result, memory));
  return kinds.map((kind) => encodeKind(kind, placeOf(memory, chosen), memory));
}

/** The call that indices into the candidates stand for. */
export function callOf(memory: Memory, chosen: Chosen): Call {
  const { session } = memory;
  const tool = elementOf(toolNames, chosen[0] ?? -1);
  const kind = kinds[chosen[headOf.kind] ?? -1];
  const at = placeOf(memory, chosen);
  const instruction = kind === undefined ? null : instructionFor(kind, session.item.phrases[at]);
  switch (tool) {
    case "write":
      return { tool, instruction };
    case "change":
      return { tool, at, instruction };
    case "special":
      return { tool, test: session.lastRun?.[chosen[headOf.test] ?? -1]?.test ?? null };
    case "undo":
    case "run":
    case "submit":
      return { tool };
  }
}
