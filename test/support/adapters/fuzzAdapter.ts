import { strict as assert } from "node:assert";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { HarnessError } from "../../../server/src/base/errors.ts";
import { fuzzRuns } from "../base/fuzz.ts";
import { isRollout } from "../../../server/src/evidence/contract/check.ts";
import { foreignFile } from "../../../server/src/evidence/importing/foreignFile.ts";
import { toRollout } from "../../../server/src/evidence/importing/toRollout.ts";
import {
  Refusal,
  type Adapter,
  type Draft,
  type LineAdapter,
} from "../../../server/src/evidence/adapters/parts/adapter.ts";

/** A record of a line format as JSON, or the bytes of a file that is read as a whole, with the name that the file needs. */
export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A record or document of the format, and the name of its file. */
export interface FuzzSample {
  readonly name: string;
  readonly value: unknown;
}

/** For tests: a value as the only line or document of a file. */
export const jsonSample = (name: string, value: unknown): Sample => ({
  name,
  bytes: Buffer.from(`${JSON.stringify(value)}\n`),
});

/**
 * For tests: changes the samples at random (keys deleted, types changed, lists cut, bytes flipped) and asserts that the
 * adapter gives rollouts that keep the contract, or a refusal in words, and never anything else.
 */
export async function fuzzAdapter(
  adapter: Adapter,
  samples: readonly (Sample | FuzzSample)[],
  runs = 200,
): Promise<void> {
  const files = samples.map((sample) => ("bytes" in sample ? sample : jsonSample(sample.name, sample.value)));
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-fuzz-"));
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: files.length - 1 }),
        fc.array(fc.record({ at: fc.nat(), how: fc.nat(), value: odd }), { minLength: 1, maxLength: 4 }),
        async (which, changes) => {
          const { name, bytes } = files[which] ?? { name: "none", bytes: new Uint8Array() };
          const path = join(folder, name);
          await writeFile(path, mutated(bytes, changes));
          await readsOrRefuses(adapter, path);
        },
      ),
      { numRuns: fuzzRuns(runs) },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Change {
  readonly at: number;
  readonly how: number;
  readonly value: unknown;
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    -1,
    1.5,
    1e308,
    true,
    [],
    {},
    [[]],
    [null],
    { a: null },
    "NaN",
    "__proto__",
  ),
  fc.string({ maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** JSON is changed as a value, so one field is wrong and not the whole text; other bytes are flipped. */
function mutated(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return flipped(bytes, changes);
  }
  for (const change of changes) value = changed(value, change);
  const text = Buffer.from(`${JSON.stringify(value ?? null)}\n`);
  const [first] = changes;
  return first !== undefined && first.how % 11 === 0 ? text.subarray(0, first.at % text.length) : text;
}

function changed(root: unknown, { at, how, value }: Change): unknown {
  const places: { readonly holder: object; readonly key: string }[] = [];
  collect(root, places);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return structuredClone(value);
  const { holder, key } = place;
  if (how % 3 === 0) Reflect.deleteProperty(holder, key);
  // A copy: a value that is inserted twice must not become a part of itself.
  else
    Reflect.defineProperty(holder, key, {
      value: structuredClone(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return root;
}

function collect(value: unknown, places: { holder: object; key: string }[]): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    places.push({ holder: value, key });
    collect(inner, places);
  }
}

function flipped(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const { at, how } of changes) copy[at % copy.length] = how % 256;
  const [first] = changes;
  return first !== undefined && first.how % 5 === 0 ? copy.subarray(0, first.at % copy.length) : copy;
}

async function readsOrRefuses(adapter: Adapter, path: string): Promise<void> {
  const file = await foreignFile(path);
  try {
    await adapter.detect(file);
    adapter.runOf?.(file);
    adapter.splitOf?.(file);
    if (adapter.unit === "line") {
      const record = await file.firstRecord();
      if (record === undefined) return;
      const prepared = await adapter.prepare?.(file);
      keepsContract(() => (adapter satisfies LineAdapter).convert(record, { file, line: 1, prepared }));
      return;
    }
    for await (const entry of adapter.read(file))
      if ("drafts" in entry) keepsContract(() => entry.drafts);
      else if ("problem" in entry) assert.ok(entry.problem !== "");
  } catch (e) {
    assert.ok(
      e instanceof Refusal || HarnessError.is(e, "badInput"),
      e instanceof Error ? e.stack : String(e),
    );
    assert.match(e.message, /\S/);
  }
}

function keepsContract(produce: () => readonly Draft[]): void {
  for (const draft of produce()) {
    if (draft.type !== "rollout") continue;
    const rollout = toRollout(draft, { run: "r", split: "train", place: "1", nextSample: () => 0 });
    assert.ok(isRollout(rollout));
    JSON.stringify(rollout);
  }
}
