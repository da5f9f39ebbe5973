import type { Active } from "../../../gym/src/columns.ts";
import { elementOf } from "../../../gym/src/matrix.ts";
import type { NetworkShape } from "../../../gym/src/network.ts";
import type { Chosen } from "../../../gym/src/policy.ts";
import { answersOf } from "./answers.ts";
import {
  encodeAnswer,
  encodeNumber,
  encodePlace,
  encodeResult,
  takenKey,
  triedKey,
  widths,
  type Memory,
} from "./encoding.ts";
import type { Place } from "./expression.ts";
import { toolNames, type Call, type Step } from "./working.ts";

/** Numbers of the pointer heads. */
export const headOf = { place: 1, result: 2, answer: 3 } as const;

export const policyShape: NetworkShape = {
  input: widths.state,
  hidden: 64,
  pointer: 32,
  tools: toolNames.length,
  candidates: [widths.place, widths.result, widths.answer],
};

/** The pointer heads that a tool needs: none for a step where nothing is left to do. */
export function headsFor(tool: number, { working }: Memory): readonly number[] {
  const name = elementOf(toolNames, tool);
  if (name === "answer") return [headOf.answer];
  if (name !== "step" || working.isDone) return [];
  return working.item.kind === "arithmetic" ? [headOf.place, headOf.result] : [headOf.place];
}

const placeAt = ({ working }: Memory, chosen: Chosen): Place | undefined =>
  working.places[chosen[headOf.place] ?? -1];

/** Encoded candidates of a head; the results depend on the place that was picked. */
export function candidatesOf(head: number, memory: Memory, chosen: Chosen): Active[] {
  const { working } = memory;
  if (head === headOf.answer) return answersOf(working).map((one, i) => encodeAnswer(one, i, memory));
  if (head === headOf.place)
    return working.item.kind === "arithmetic"
      ? working.places.map((place, i) => encodePlace(place, i, memory))
      : working.state.left.map((_, i) => encodeNumber(working.state.left, i, memory));
  const place = placeAt(memory, chosen);
  return place === undefined ? [] : working.results(place).map((r) => encodeResult(r, place, memory));
}

function stepOf(memory: Memory, chosen: Chosen): Step | null {
  const { working } = memory;
  if (working.isDone) return null;
  const picked = chosen[headOf.place] ?? 0;
  if (working.item.kind === "sorting") return { kind: "take", number: elementOf(working.state.left, picked) };
  const place = elementOf(working.places, picked);
  return { kind: "compute", place, result: elementOf(working.results(place), chosen[headOf.result] ?? 0) };
}

/** The line that indices into the candidates stand for. */
export function callOf(memory: Memory, chosen: Chosen): Call {
  const tool = elementOf(toolNames, chosen[0] ?? -1);
  if (tool === "step") return { tool, step: stepOf(memory, chosen) };
  if (tool !== "answer") return { tool };
  const { value, source } = elementOf(answersOf(memory.working), chosen[headOf.answer] ?? 0);
  return { tool, value, source };
}

/** What a step that is taken back leaves in memory. */
export function keyOfStep(memory: Memory): string | undefined {
  const last = memory.working.steps.at(-1);
  if (last === undefined) return undefined;
  return last.step.kind === "compute"
    ? triedKey(last.step.place, last.step.result.value)
    : takenKey(last.step.number, last.before.taken);
}
