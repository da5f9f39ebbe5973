import type { ForeignFile, Companion } from "../parts/adapter.ts";
import { namesBeside } from "../parts/beside.ts";
import { isFields, listAt, type Fields } from "../parts/untrusted.ts";
import { firstRecord, traceRecords } from "./records.ts";

/** A score that a source states, apart from the trace that it is about: of a step, or of the trace as a whole. */
export interface Stated {
  readonly trace?: string | undefined;
  readonly span?: string | undefined;
  readonly name: string;
  /** Left out where somebody only said something in words. */
  readonly value?: number | undefined;
  /** Who said it, and what else. */
  readonly more: Fields;
}

/** Reads the scores in a record; none from a record that is something else. */
export type StatedIn = (record: unknown) => readonly Stated[];

/** Tools export scores as files of their own beside the traces; only such names are looked at. */
const names = ["annotation", "feedback", "score"];

/** The files beside a file of traces that hold the scores of a tool. */
export const scoreCompanions = (statedIn: StatedIn): readonly Companion[] =>
  names.map((name) => ({
    path: `*${name}*`,
    holds: async (file) => statedIn(recordsIn(await firstRecord(file))[0]).length > 0,
  }));

/** Scores that stand in files beside a file of traces. What cannot be read there costs itself only. */
export async function scoresBeside(file: ForeignFile, statedIn: StatedIn): Promise<readonly Stated[]> {
  const found: Stated[] = [];
  for (const name of await namesBeside(file, ".")) {
    if (name === file.name || !names.some((part) => name.includes(part))) continue;
    const neighbour = await file.neighbour(name);
    if (neighbour === undefined) continue;
    for await (const item of traceRecords(neighbour))
      if ("value" in item) found.push(...recordsIn(item.value).flatMap(statedIn));
  }
  return found;
}

/** An answer of an interface holds its records as `data` or `result`. */
const recordsIn = (value: unknown): readonly unknown[] =>
  listAt(value, "data") ?? listAt(value, "result") ?? [value];

/** Of scores with one name the later one counts; what is said of a single step is no score of the whole trace. */
export function scoresOf(stated: readonly Stated[], root: string | undefined): Record<string, number> {
  return Object.fromEntries(
    stated.flatMap(({ name, value, span }) =>
      value === undefined || (span !== undefined && span !== root) ? [] : [[name, value]],
    ),
  );
}

/** What was stated, as it is kept beside the conversation. */
export const keptStated = (stated: readonly Stated[]): readonly Fields[] =>
  stated.map(({ name, value, span, more }) => ({ name, value, step: span, ...(isFields(more) ? more : {}) }));
