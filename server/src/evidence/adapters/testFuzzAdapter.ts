import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { Draft } from "./adapter.ts";
import { Refusal, type Adapter, type ForeignFile } from "./adapter.ts";
import { HarnessError } from "../../base/errors.ts";
import { fuzzRuns } from "../../base/testFuzz.ts";
import { isRollout } from "../check.ts";
import { foreignFile } from "../importing/foreignFile.ts";
import { toRollout } from "../importing/toRollout.ts";

/** A record or document of the format, and the name of the file that it stands in. */
export interface FuzzSample {
  readonly value: unknown;
  readonly name: string;
}

/**
 * For tests: breaks real records in every place and reads them. Whatever comes of it must be a rollout of the contract
 * or a reason why there is none; anything else fails the test with the mutated record.
 */
export async function fuzzAdapter(adapter: Adapter, samples: readonly FuzzSample[]): Promise<void> {
  assert.ok(samples.length > 0);
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-fuzz-"));
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(samples.length - 1),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        async (n, changes) => {
          const sample = samples[n];
          assert.ok(sample !== undefined);
          let value = sample.value;
          for (const change of changes) value = mutated(value, change);
          // What JSON cannot hold does not come from a file.
          const text = JSON.stringify(value);
          const path = join(folder, sample.name);
          await writeFile(path, text);
          const file = await foreignFile(path);
          await adapter.detect(file);
          adapter.runOf?.(file);
          adapter.splitOf?.(file);
          for (const draft of await draftsOf(adapter, file, JSON.parse(text) as unknown)) check(draft);
        },
      ),
      { numRuns: fuzzRuns() },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function draftsOf(adapter: Adapter, file: ForeignFile, record: unknown): Promise<readonly Draft[]> {
  try {
    if (adapter.unit === "line")
      return adapter.convert(record, { file, line: 1, prepared: await adapter.prepare?.(file) });
    const drafts: Draft[] = [];
    for await (const entry of adapter.read(file)) if ("drafts" in entry) drafts.push(...entry.drafts);
    return drafts;
  } catch (e) {
    if (e instanceof Refusal || HarnessError.is(e, "badInput")) return [];
    throw e;
  }
}

function check(draft: Draft): void {
  if (draft.type !== "rollout") return;
  const place = { run: "run", split: "train", place: "1", nextSample: () => 0 } as const;
  try {
    assert.ok(isRollout(toRollout(draft, place)));
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
  }
}

interface Mutation {
  /** Which child to descend into at each level; the walk ends where there is none. */
  readonly path: readonly number[];
  readonly kind: "delete" | "replace" | "wrap" | "shorten";
  readonly by: unknown;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  path: fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }),
  kind: fc.constantFrom("delete", "replace", "wrap", "shorten"),
  by: fc.oneof(
    fc.constantFrom(null, true, false, "", "0.5", "NaN", -1, 0, 1e308, 1e15, [], {}, [null], "__proto__", {
      a: [],
    }),
    fc.jsonValue({ maxDepth: 2 }),
  ),
});

function mutated(value: unknown, { path, kind, by }: Mutation): unknown {
  const [n = 0, ...deeper] = path;
  if (typeof value === "string" && kind === "shorten") return value.slice(0, Math.floor(value.length / 2));
  if (typeof value !== "object" || value === null) return kind === "wrap" ? [value] : by;
  const keys = Object.keys(value);
  const key = keys[n % Math.max(keys.length, 1)];
  if (key === undefined) return by;
  const descend = deeper.length > 0;
  const child: unknown = Reflect.get(value, key);
  const replaced = descend ? mutated(child, { path: deeper, kind, by }) : changed(child, kind, by);
  const drop = !descend && kind === "delete";
  if (Array.isArray(value)) {
    const list: unknown[] = [...(value as unknown[])];
    if (drop) list.splice(Number(key), 1);
    else list[Number(key)] = replaced;
    return list;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([k, v]) => (k !== key ? [[k, v]] : drop ? [] : [[k, replaced]])),
  );
}

function changed(child: unknown, kind: Mutation["kind"], by: unknown): unknown {
  if (kind === "wrap") return { inner: child };
  if (kind === "shorten" && typeof child === "string") return child.slice(0, Math.floor(child.length / 2));
  if (kind === "shorten" && Array.isArray(child))
    return child.slice(0, Math.floor(child.length / 2)) as unknown[];
  return by;
}
