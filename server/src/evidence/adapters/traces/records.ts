import { dirname } from "node:path";
import { jsonOf } from "../../../base/jsonLines.ts";
import { fileBytes } from "../../../reading/bytes.ts";
import { readElements } from "../../../reading/elements.ts";
import { openEvidence, readLines } from "../../contract/readLines.ts";
import { Refusal, type Draft, type Entry, type ForeignFile, type RunPlace } from "../parts/adapter.ts";
import { parseForeignJson } from "../parts/foreignJson.ts";
import { rowRecords, tableKind } from "./tables.ts";

/** A file above this size is refused: its records belong together, so it is held in memory. */
const maxBytes = 256 * 1024 * 1024;

/** One value of the file, counted from 1, or why it is none, or bytes of one that is still being written. */
export type TraceRecord =
  | { readonly record: number; readonly value: unknown; readonly nonFinite: number }
  | Extract<Entry, { readonly problem: string } | { readonly waiting: number }>;

/**
 * The values of a file that is a JSON document, a list of values in one document, one value per line, or a table. What is
 * broken costs itself only.
 * @throws Refusal, HarnessError badInput
 */
export async function* traceRecords(file: ForeignFile): AsyncGenerator<TraceRecord> {
  if (file.size > maxBytes) throw new Refusal(`the file is larger than ${maxBytes / 1024 / 1024} MiB`);
  const kind = tableKind(file);
  if (kind !== undefined) yield* rowsOf(file, kind);
  else if (/^(?:\ufeff)?\s*\[/.test(file.head.toString("utf8", 0, 256))) yield* elementsOf(file);
  else if ((await file.firstRecord()) === undefined && (await file.document()) !== undefined)
    yield { record: 1, value: await file.document(), nonFinite: 0 };
  else yield* linesOf(file);
}

/**
 * The first value of such a file, for a look at what it is: of a list its first element. Undefined where there is none.
 * @throws HarnessError badInput
 */
export async function firstRecord(file: ForeignFile): Promise<unknown> {
  if (tableKind(file) !== undefined) {
    for await (const item of traceRecords(file)) return "value" in item ? item.value : undefined;
    return undefined;
  }
  const first = (await file.firstRecord()) ?? (await file.document());
  return Array.isArray(first) ? first[0] : first;
}

async function* rowsOf(
  file: ForeignFile,
  kind: NonNullable<ReturnType<typeof tableKind>>,
): AsyncGenerator<TraceRecord> {
  for await (const item of rowRecords(file, kind)) yield "value" in item ? { ...item, nonFinite: 0 } : item;
}

async function* elementsOf(file: ForeignFile): AsyncGenerator<TraceRecord> {
  for await (const item of readElements(fileBytes(file.path), { name: file.path })) {
    const record = item.index + 1;
    yield item.type === "problem"
      ? { record, problem: item.reason }
      : { record, value: item.value, nonFinite: item.nonFinite?.count ?? 0 };
  }
}

async function* linesOf(file: ForeignFile): AsyncGenerator<TraceRecord> {
  const handle = await openEvidence(file.path);
  let record = 0;
  try {
    for await (const lines of readLines(handle, 0))
      for (const line of lines) {
        record++;
        const parsed = parseForeignJson(line);
        if (parsed.type === "record") yield { record, value: parsed.record, nonFinite: parsed.nonFinite };
        else if (parsed.type === "bad" && !line.complete) yield { waiting: line.end - line.start };
        else if (parsed.type === "bad")
          yield { record, problem: parsed.reason, raw: line.bytes.subarray(0, 4096).toString("utf8") };
      }
  } finally {
    await handle.close();
  }
}

/** A trace or session whose records may lie apart in the file: it counts as the first of them. */
export interface Gathered {
  readonly record: number;
  drafts(): readonly Draft[];
}

/**
 * The entries of a file whose records were gathered, in the order of the file. Broken records stand among them. What cannot
 * be read of one gathered thing costs that one only.
 */
export function* gatheredEntries(
  gathered: Iterable<Gathered>,
  problems: readonly TraceRecord[],
): Generator<Entry> {
  const byRecord = new Map<number, Gathered[]>();
  for (const one of gathered) byRecord.set(one.record, [...(byRecord.get(one.record) ?? []), one]);
  const entries = [...byRecord].map(([record, all]) => entryOf(record, all));
  const broken = problems.filter((p) => "problem" in p);
  yield* [...entries, ...broken].sort((a, b) => recordOf(a) - recordOf(b));
  yield* problems.filter((p) => "waiting" in p);
}

const recordOf = (entry: Entry): number => ("record" in entry ? entry.record : Infinity);

function entryOf(record: number, all: readonly Gathered[]): Entry {
  try {
    return { record, drafts: all.flatMap((one) => one.drafts()) };
  } catch (e) {
    if (Refusal.is(e)) return { record, problem: e.message };
    throw e;
  }
}

/** The run of a file of traces: tools that write a file per trace put those of one project into one folder. */
export const traceRun = (file: ForeignFile): RunPlace =>
  file.name.endsWith(".json")
    ? { name: file.folders[0] ?? "traces", path: dirname(file.path) }
    : { name: file.name.replace(/\.[a-z]+$/i, ""), path: file.path };

/** The whole lines at the beginning of a file that are JSON, for a look at what the file is. */
export function headRecords(file: ForeignFile): unknown[] {
  const text = file.head.toString("utf8");
  const lines = text.split("\n").slice(0, 50);
  if (file.size > file.head.length) lines.pop();
  return lines.map(jsonOf).filter((value) => value !== undefined);
}
