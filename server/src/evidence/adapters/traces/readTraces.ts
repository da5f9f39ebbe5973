import { counted } from "../../../../../shared/words/numbers.ts";
import { Refusal, type Entry, type ForeignFile } from "../parts/adapter.ts";
import { isFields } from "../parts/untrusted.ts";
import { gatheredEntries, traceRecords, type TraceRecord } from "./records.ts";
import { rootOf, traceDraft, type Span, type Trace } from "./spans.ts";
import { keptStated, scoresOf, type Stated } from "./stated.ts";

/** What one record says about a trace: a step of it, or the trace as a whole. */
export interface TracePart extends Partial<Omit<Trace, "id" | "spans">> {
  readonly trace: string;
  readonly span?: Span;
  /** What was said of the trace, or of this step of it. */
  readonly stated?: readonly Stated[];
}

interface Found {
  readonly record: number;
  readonly spans: Map<string, Span>;
  readonly stated: Stated[];
  whole: Omit<Trace, "id" | "spans">;
}

/**
 * The rollouts of a file whose records are steps of traces, or whole traces. A step that is told in several records, as tools
 * write its beginning and its end, is one step. `beside` are scores that stand apart from the traces. Traces in which no model says anything are counted as one problem at the end.
 * @throws Refusal, HarnessError badInput
 */
export async function* readTraces(
  file: ForeignFile,
  partsOf: (value: unknown) => readonly TracePart[],
  beside: readonly Stated[] = [],
): AsyncGenerator<Entry> {
  const traces = new Map<string, Found>();
  const problems: TraceRecord[] = [];
  let last = 0;
  for await (const item of traceRecords(file)) {
    if ("record" in item) last = item.record;
    if (!("value" in item)) problems.push(item);
    else
      try {
        for (const part of partsOf(item.value)) take(traces, part, item.record);
      } catch (e) {
        if (!Refusal.is(e)) throw e;
        const raw = JSON.stringify(item.value).slice(0, 4096);
        problems.push({ record: item.record, problem: e.message, raw });
      }
  }
  giveTo(traces, beside);
  const drafts = [...traces].map(([id, found]) => ({
    record: found.record,
    draft: traceDraft(traceOf(id, found)),
  }));
  const silent = drafts.filter(({ draft }) => draft === undefined).length;
  if (silent > 0)
    problems.push({
      record: last + 1,
      problem: `${silent} of ${counted(drafts.length, "trace")} have no messages of a model: they are no rollouts`,
    });
  const told = drafts.flatMap(({ record, draft }) =>
    draft === undefined ? [] : [{ record, drafts: () => [draft] }],
  );
  yield* gatheredEntries(told, problems);
}

/** Each score goes to its trace, or to those that have its step: looked up once, however many there are of either. */
function giveTo(traces: ReadonlyMap<string, Found>, beside: readonly Stated[]): void {
  if (beside.length === 0) return;
  const ofSpan = new Map<string, Found[]>();
  for (const found of traces.values())
    for (const span of found.spans.keys()) ofSpan.set(span, [...(ofSpan.get(span) ?? []), found]);
  for (const one of beside) {
    const { trace, span } = one;
    const named = trace === undefined ? undefined : traces.get(trace);
    const of = span === undefined ? (named === undefined ? [] : [named]) : (ofSpan.get(span) ?? []);
    for (const found of of) found.stated.push(one);
  }
}

/** The trace with what is said of it. */
function traceOf(id: string, { spans, stated: all, whole }: Found): Trace {
  const steps = [...spans.values()];
  if (all.length === 0) return { id, spans: steps, ...whole };
  return {
    ...{ id, spans: steps, ...whole },
    scores: { ...whole.scores, ...scoresOf(all, rootOf(steps)?.id) },
    extra: { ...whole.extra, stated: keptStated(all) },
  };
}

function take(traces: Map<string, Found>, part: TracePart, record: number): void {
  const { trace, span, stated, ...whole } = part;
  const found = traces.get(trace) ?? { record, spans: new Map<string, Span>(), stated: [], whole: {} };
  traces.set(trace, found);
  found.stated.push(...(stated ?? []));
  found.whole = {
    ...found.whole,
    ...whole,
    scores: { ...found.whole.scores, ...whole.scores },
    extra: { ...found.whole.extra, ...whole.extra },
  };
  if (span === undefined) return;
  const before = found.spans.get(span.id);
  found.spans.set(span.id, before === undefined ? span : updated(before, span));
}

/** A step as a later record tells it again: what the record leaves out stays. */
function updated(before: Span, now: Span): Span {
  const told = Object.entries(now).filter(([, value]) => saysSomething(value));
  return Object.assign({ ...before }, Object.fromEntries(told));
}

const saysSomething = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isFields(value) && Object.keys(value).length === 0);
