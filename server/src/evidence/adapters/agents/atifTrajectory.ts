import type { Turn } from "../../../../../shared/model/rollout.ts";
import { Refusal } from "../parts/adapter.ts";
import { delegatesOf, isAtif, StepReader, type Delegate } from "./atifSteps.ts";
import { timeAt } from "../parts/times.ts";
import { millisBetween } from "../parts/times.ts";
import { at, countAt, isFields, listAt, nameAt, type Fields } from "../parts/untrusted.ts";

/** Reads the trajectory that a path in another trajectory names; undefined when there is none. */
export type LoadAtif = (path: string) => Promise<unknown>;

/** Files and embedded documents that one rollout may be made of. */
const maxParts = 256;

/** One rollout of an agent, with the segments that continue it and the subagents that it called. */
export interface AtifRollout {
  readonly turns: readonly Turn[];
  readonly tokens: number | null;
  /** Of all tokens that were generated; undefined where some were not recorded. */
  readonly logprobs: readonly number[] | undefined;
  readonly model: string | null;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

interface Reading {
  readonly load: LoadAtif;
  readonly reader: StepReader;
  /** Paths and documents that were read, so that a circle of references ends. */
  readonly seen: Set<unknown>;
  readonly times: string[];
  readonly subagents: Record<string, unknown>[];
  /** References to trajectories that are not there. */
  missing: number;
}

/** @throws Refusal */
export async function readTrajectory(document: Fields, load: LoadAtif): Promise<AtifRollout> {
  const reading: Reading = {
    load,
    reader: new StepReader(),
    seen: new Set([document]),
    times: [],
    subagents: [],
    missing: 0,
  };
  let last = document;
  await readSegment(document, undefined, reading);
  const continuations: string[] = [];
  for (let next = continuationOf(document); next !== undefined; next = continuationOf(last)) {
    const segment = await loadOnce(next, reading);
    if (segment === undefined) break;
    continuations.push(next);
    await readSegment(segment, undefined, reading);
    last = segment;
  }
  const { reader, times, subagents } = reading;
  return {
    turns: reader.turns,
    tokens: tokensOf(reader, last),
    logprobs: reader.logprobs,
    model: nameAt(document, "agent", "model_name") ?? modelOfSteps(document),
    startedAt: times[0] ?? null,
    durationMs: millisBetween(times[0], times.at(-1)) ?? null,
    extra: {
      schema_version: document["schema_version"],
      session_id: document["session_id"],
      agent: { name: nameAt(document, "agent", "name"), version: nameAt(document, "agent", "version") },
      agent_extra: at(document, "agent", "extra"),
      notes: document["notes"],
      final_metrics: last["final_metrics"],
      extra: document["extra"],
      continuations,
      subagents,
      missing_trajectories: reading.missing === 0 ? undefined : reading.missing,
    },
  };
}

export const continuationOf = (document: unknown): string | undefined =>
  nameAt(document, "continued_trajectory_ref");

/**
 * The sum over all steps, or the total of the last segment where that is more: it knows of generations that became no
 * step, and of subagents whose trajectories are not there.
 */
function tokensOf(reader: StepReader, last: Fields): number | null {
  const total = reader.hasCopiedTokens ? 0 : (countAt(last, "final_metrics", "total_completion_tokens") ?? 0);
  return reader.isCounted || total > 0 ? Math.max(reader.tokens, total) : null;
}

const modelOfSteps = (document: Fields): string | null =>
  (listAt(document, "steps") ?? []).map((step) => nameAt(step, "model_name")).find((m) => m !== undefined) ??
  null;

/** `speaker` names the subagent whose segment it is. */
async function readSegment(document: Fields, speaker: string | undefined, reading: Reading): Promise<void> {
  const steps = listAt(document, "steps") ?? [];
  const called = new Set<unknown>();
  for (const [i, step] of steps.entries()) {
    if (!isFields(step)) throw new Refusal(`step ${i + 1} must be an object`);
    const source = step["source"];
    if (source !== "agent" && source !== "user" && source !== "system")
      throw new Refusal(`the source of step ${i + 1} must be system, user or agent`);
    const time = timeAt(step, "timestamp");
    if (time !== undefined) reading.times.push(time);
    for (const delegate of reading.reader.add(step, speaker)) {
      const subagent = await delegated(delegate, document, reading);
      if (subagent === undefined) reading.missing++;
      else {
        called.add(subagent);
        await readSubagent(subagent, reading);
      }
    }
  }
  for (const embedded of listAt(document, "subagent_trajectories") ?? [])
    if (!called.has(embedded) && isAtif(embedded) && !reading.seen.has(embedded)) {
      enter(embedded, reading);
      await readSubagent(embedded, reading);
    }
}

async function readSubagent(document: Fields, reading: Reading): Promise<void> {
  const name = nameAt(document, "agent", "name") ?? "subagent";
  const steps = listAt(document, "steps")?.length ?? 0;
  reading.subagents.push({ name, steps, trajectory_id: document["trajectory_id"] ?? document["session_id"] });
  await readSegment(document, name, reading);
}

async function delegated(
  { id, path }: Delegate,
  parent: Fields,
  reading: Reading,
): Promise<Fields | undefined> {
  if (id !== undefined) {
    const embedded = (listAt(parent, "subagent_trajectories") ?? []).find(
      (document) => nameAt(document, "trajectory_id") === id,
    );
    if (isAtif(embedded) && !reading.seen.has(embedded)) {
      enter(embedded, reading);
      return embedded;
    }
  }
  return path === undefined ? undefined : loadOnce(path, reading);
}

async function loadOnce(path: string, reading: Reading): Promise<Fields | undefined> {
  if (reading.seen.has(path)) return undefined;
  enter(path, reading);
  const document = await reading.load(path);
  return isAtif(document) ? document : undefined;
}

function enter(part: unknown, { seen }: Reading): void {
  if (seen.size >= maxParts) throw new Refusal(`the trajectory consists of more than ${maxParts} parts`);
  seen.add(part);
}

/** Every path that a trajectory names: its continuation, and the subagents of its steps. */
export function pathsIn(document: Fields): string[] {
  const next = continuationOf(document);
  const results = (listAt(document, "steps") ?? []).flatMap(
    (step) => listAt(step, "observation", "results") ?? [],
  );
  const called = results.flatMap(delegatesOf).flatMap(({ path }) => (path === undefined ? [] : [path]));
  return [...(next === undefined ? [] : [next]), ...called];
}
