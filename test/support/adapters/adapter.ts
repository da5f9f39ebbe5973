import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { filesUnder } from "../../../server/src/evidence/importing/discover.ts";
import { foreignFile } from "../../../server/src/evidence/importing/foreignFile.ts";
import { parseForeignJson } from "../../../server/src/evidence/adapters/parts/foreignJson.ts";
import { toRollout } from "../../../server/src/evidence/importing/toRollout.ts";
import type { Adapter, Draft, ForeignFile } from "../../../server/src/evidence/adapters/parts/adapter.ts";

/** For tests: the rollouts of all files under a path that the adapter claims, quickly, because without an archive. */
export async function rolloutsOf(adapter: Adapter, path: string): Promise<Rollout[]> {
  const rollouts: Rollout[] = [];
  const samples = new Map<string, number>();
  for await (const found of filesUnder([path])) {
    const file = await foreignFile(found);
    if (!(await adapter.detect(file))) continue;
    const run = adapter.runOf?.(file).name ?? file.name;
    const split = adapter.splitOf?.(file) ?? "selection";
    for (const [record, draft] of await draftsOf(adapter, file)) {
      if (draft.type !== "rollout") continue;
      const nextSample = (group: string, step: number): number => {
        const key = JSON.stringify([run, group, step]);
        const n = samples.get(key) ?? 0;
        samples.set(key, n + 1);
        return n;
      };
      rollouts.push(toRollout(draft, { run, split, place: String(record), nextSample }));
    }
  }
  return rollouts;
}

async function draftsOf(adapter: Adapter, file: ForeignFile): Promise<(readonly [number, Draft])[]> {
  const drafts: (readonly [number, Draft])[] = [];
  if (adapter.unit === "file") {
    for await (const entry of adapter.read(file))
      if ("drafts" in entry) drafts.push(...entry.drafts.map((draft) => [entry.record, draft] as const));
      else if ("problem" in entry) assert.fail(`${file.path}: ${entry.problem}`);
    return drafts;
  }
  const prepared = await adapter.prepare?.(file);
  const text = await readFile(file.path, "utf8");
  for (const [i, line] of text.split("\n").entries()) {
    const bytes = Buffer.from(line);
    const parsed = parseForeignJson({ start: 1, end: bytes.length, bytes, tooLong: false, complete: true });
    if (parsed.type === "blank") continue;
    if (parsed.type === "bad") assert.fail(`${file.path}: ${parsed.reason}`);
    for (const draft of adapter.convert(parsed.record, { file, line: i + 1, prepared }))
      drafts.push([i + 1, draft]);
  }
  return drafts;
}

const fields = [
  "step",
  "seed",
  "reward",
  "components",
  "stop_reason",
  "tokens",
  "logprob_mean",
  "policy",
  "harness",
  "started_at",
  "duration_ms",
] as const;
const turnFields = ["tool", "args", "ok", "tokens", "ms"] as const;

/**
 * For tests: no rollout has a field that the adapter calls absent, and the adapter calls absent every field that no rollout
 * has, except for fields that other files of the format have.
 */
export function assertCoverage(
  adapter: Adapter,
  rollouts: readonly Rollout[],
  elsewhere: readonly string[] = [],
): void {
  const found = new Set<string>();
  for (const rollout of rollouts) {
    for (const field of fields) if (holds(rollout[field])) found.add(field);
    for (const turn of rollout.turns)
      for (const field of turnFields) if (turn[field] !== undefined) found.add(`turns.${field}`);
  }
  const missing = [...fields, ...turnFields.map((f) => `turns.${f}`)].filter((f) => !found.has(f));
  const absent = Object.keys(adapter.absent).filter(
    (field) => !["group", "sample", "item", "id"].includes(field),
  );
  assert.deepEqual(
    absent.filter((f) => found.has(f)),
    [],
    "called absent, but found",
  );
  assert.deepEqual(
    missing.filter((f) => !(f in adapter.absent) && !elsewhere.includes(f)),
    [],
    "found nowhere",
  );
}

/** A rollout without a step has step 0. */
function holds(value: unknown): boolean {
  if (value === null || value === undefined || value === 0) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
