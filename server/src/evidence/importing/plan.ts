import { dirname } from "node:path";
import type { Split } from "../../../../shared/model/rollout.ts";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { Adapter, ForeignFile } from "../adapters/adapter.ts";
import { adapterNamed, detectFormats } from "../adapters/registry.ts";
import type { Store } from "../database.ts";
import { bigintOf, booleanOrNull, numberOf, stringOf } from "../rows.ts";
import { readRegistrations, type SourceKey } from "../registrations.ts";
import { emptyFingerprint, filePath, storedPath } from "../sources.ts";
import { isFields } from "../adapters/untrusted.ts";
import { filesUnder } from "./discover.ts";
import { foreignFile } from "./foreignFile.ts";
import type { Progress } from "./importBatch.ts";
import { RunNames } from "./runNames.ts";

/** A file, how it is read, and how far the archive has it. */
export interface PlannedFile {
  readonly file: ForeignFile;
  readonly adapter: Adapter;
  readonly progress: Progress;
  /** Whether the list of files has it. */
  readonly registered: boolean;
}

export interface PlanOptions {
  readonly paths: readonly string[];
  /** Reads every file in this format, whatever it looks like. */
  readonly as?: Adapter | undefined;
  /** The version that the evidence belongs to; by default one version per run, of the same name. */
  readonly version?: string | undefined;
  readonly run?: string | undefined;
  readonly split?: Split | undefined;
  readonly passWhen?: string | undefined;
  /** Text of the mapping file that `as` came from. */
  readonly mapping?: string | undefined;
}

/** What the plan comes across. Filled while it is walked. */
export interface PlanNotes {
  /** Files that are in no known format. */
  readonly unrecognised: { readonly path: string; readonly reason: string }[];
  unrecognisedCount: number;
  /** Files of the evidence contract, which are read as they are. */
  readonly contract: string[];
  /** Runs that the planned files belong to. */
  readonly runs: Set<string>;
  readonly refused: { readonly path: string; readonly reason: string }[];
}

export function noNotes(): PlanNotes {
  return { unrecognised: [], unrecognisedCount: 0, contract: [], runs: new Set(), refused: [] };
}

const listedFiles = 100;

/** Decides for each file under the paths what it is and where it goes on. */
export async function* planImport(
  store: Store,
  options: PlanOptions,
  notes: PlanNotes,
): AsyncGenerator<PlannedFile> {
  const registered = new Map((await readRegistrations(store.path)).map((key) => [key.path, key]));
  const names = new RunNames(registered.values());
  const known = await knownSources(store, registered);
  let nextSource = await nextSourceId(store);
  for await (const path of filesUnder(options.paths)) {
    const file = await foreignFile(path);
    if (options.as === undefined && (await isContract(file))) {
      notes.contract.push(path);
      continue;
    }
    const { adapter, reason } = await choose(file, options);
    if (adapter === undefined) {
      notes.unrecognisedCount++;
      if (notes.unrecognised.length < listedFiles) notes.unrecognised.push({ path, reason });
      continue;
    }
    const key = keyOf(store, file, adapter, options, names);
    const before = registered.get(key.path);
    const differs = before === undefined ? undefined : differenceOf(before, key, options);
    if (differs !== undefined) {
      notes.refused.push({ path, reason: differs });
      continue;
    }
    notes.runs.add((before ?? key).run ?? key.path);
    const found = known.get(key.path);
    yield {
      file,
      adapter,
      progress: found ?? newProgress(before ?? key, BigInt(nextSource++)),
      registered: before !== undefined,
    };
  }
}

/** The plan that brings registered foreign files in again, for an archive that is made anew. */
export async function* planRegistered(
  store: Store,
  keys: readonly SourceKey[],
  skipped: Pick<PlanNotes, "refused">,
): AsyncGenerator<PlannedFile> {
  let nextSource = await nextSourceId(store);
  for (const key of keys) {
    const path = filePath(store, key.path);
    try {
      if (key.imported === undefined) continue;
      const adapter = adapterNamed(key.imported.format);
      yield {
        file: await foreignFile(path),
        adapter,
        progress: newProgress(key, BigInt(nextSource++)),
        registered: true,
      };
    } catch (e) {
      skipped.refused.push({
        path,
        reason: codeOf(e) === "ENOENT" ? `There is no file ${path}.` : messageOf(e),
      });
    }
  }
}

/** Whether the file holds rollouts of the evidence contract. */
async function isContract(file: ForeignFile): Promise<boolean> {
  const first = await file.firstRecord();
  return (
    isFields(first) &&
    ["id", "run", "split", "item", "group", "outcome", "turns"].every((name) => name in first)
  );
}

async function choose(
  file: ForeignFile,
  { as }: PlanOptions,
): Promise<{ readonly adapter: Adapter | undefined; readonly reason: string }> {
  if (as !== undefined) return { adapter: as, reason: "" };
  if (file.size === 0) return { adapter: undefined, reason: "the file is empty" };
  try {
    const claims = await detectFormats(file);
    const [only, another] = claims;
    if (only === undefined) return { adapter: undefined, reason: "it is in no known format" };
    if (another === undefined) return { adapter: only, reason: "" };
    return {
      adapter: undefined,
      reason: `it could be ${claims.map((c) => c.name).join(" or ")}; say which with --as`,
    };
  } catch (e) {
    return { adapter: undefined, reason: messageOf(e) };
  }
}

function keyOf(
  store: Store,
  file: ForeignFile,
  adapter: Adapter,
  options: PlanOptions,
  names: RunNames,
): SourceKey {
  const place = adapter.runOf?.(file) ?? { name: file.name.replace(/(\.[a-z]+)+$/i, ""), path: file.path };
  const runPath = options.run === undefined ? place.path : `run:${options.run}`;
  const run = names.nameFor(runPath, options.run ?? place.name);
  return {
    path: storedPath(store, file.path),
    kind: adapter.provides,
    run,
    version: options.version ?? run,
    imported: {
      format: adapter.name,
      runPath,
      ...(options.split === undefined ? {} : { split: options.split }),
      ...(options.passWhen === undefined ? {} : { passWhen: options.passWhen }),
      ...(options.mapping === undefined ? {} : { mapping: options.mapping }),
    },
  };
}

/** Why a file that the archive has cannot be imported as asked now. What was not asked for stays as it was. */
function differenceOf(before: SourceKey, now: SourceKey, asked: PlanOptions): string | undefined {
  const advice = "forget it first, or leave the option out";
  const was = before.imported;
  if (was === undefined) return "it is in the archive as evidence of a run of this project";
  if (was.format !== now.imported?.format) return `it is in the archive as ${was.format}; ${advice}`;
  for (const option of ["version", "run"] as const)
    if (asked[option] !== undefined && before[option] !== asked[option])
      return `it is in the archive with ${option} ${String(before[option])}; ${advice}`;
  for (const option of ["split", "passWhen", "mapping"] as const)
    if (asked[option] !== undefined && was[option] !== asked[option])
      return `it was imported with another ${option}; ${advice}`;
  return undefined;
}

function newProgress(source: SourceKey, id: bigint): Progress {
  return {
    source: { ...source, source: id, consumed: 0, lines: 0, fingerprint: emptyFingerprint },
    isNew: true,
    consumed: 0,
    records: 0,
    fingerprint: emptyFingerprint,
    complete: false,
  };
}

async function knownSources(
  store: Store,
  registered: ReadonlyMap<string, SourceKey>,
): Promise<Map<string, Progress>> {
  const known = new Map<string, Progress>();
  for await (const rows of store.pages({ sql: "SELECT * FROM sources WHERE format IS NOT NULL", params: [] }))
    for (const row of rows) {
      const path = stringOf(row, "path");
      const key = registered.get(path);
      if (key === undefined) continue;
      const [consumed, records] = [numberOf(row, "consumed"), numberOf(row, "lines")];
      const fingerprint = stringOf(row, "fingerprint");
      known.set(path, {
        source: { ...key, source: bigintOf(row, "source"), consumed, lines: records, fingerprint },
        isNew: false,
        consumed,
        records,
        fingerprint,
        complete: booleanOrNull(row, "complete") ?? false,
      });
    }
  return known;
}

async function nextSourceId(store: Store): Promise<number> {
  const sql = "SELECT coalesce(max(source) + 1, 0)::BIGINT AS next FROM sources";
  return numberOf((await store.query({ sql, params: [] }))[0] ?? {}, "next");
}

/** The folder of a file as the place of its run, under a given name. */
export const folderRun = (file: ForeignFile, name = file.folders[0] ?? "run") => ({
  name,
  path: dirname(file.path),
});
