import type { Split } from "../../../../shared/model/rollout.ts";
import { codeOf, HarnessError, messageOf } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import { Refusal, type Adapter, type ForeignFile } from "../adapters/parts/adapter.ts";
import { adapterNamed } from "../adapters/registry.ts";
import type { Store } from "../store/database.ts";
import { bigintOf, booleanOrNull, numberOf, stringOf } from "../store/rows.ts";
import { whyNotCounted } from "../store/elsewhere.ts";
import { readRegistrations, runsOfKey, type Imported, type SourceKey } from "../store/registrations.ts";
import { emptyFingerprint, filePath, storedPath } from "../store/sources.ts";
import { mappedAdapter } from "../mapping/mapped.ts";
import { Companions } from "./companions.ts";
import { decideBy } from "./decide.ts";
import { filesUnder } from "./discover.ts";
import { foreignFile } from "./foreignFile.ts";
import { lookAt, type LookOptions } from "./look.ts";
import type { Progress } from "./importBatch.ts";
import { RunNames } from "./runNames.ts";
import { UnknownFiles, type UnknownNotes } from "./unknownFiles.ts";

/** A file, how it is read, and how far the archive has it. */
export interface PlannedFile {
  readonly file: ForeignFile;
  readonly adapter: Adapter;
  readonly progress: Progress;
  /** Whether the list of files has it as it is read now. */
  readonly registered: boolean;
  /** Whether it was read before in another way, which is to be forgotten. */
  readonly anew: boolean;
}

export interface PlanOptions extends LookOptions {
  readonly paths: readonly string[];
  /** The version that the evidence belongs to; by default one version per run, of the same name. */
  readonly version?: string | undefined;
  readonly run?: string | undefined;
  readonly split?: Split | undefined;
  readonly passWhen?: string | undefined;
  /** Files that are known to be something else, by the end of their path: they are not listed as unrecognised. */
  readonly claimed?: readonly string[] | undefined;
}

/** What the plan comes across. Filled while it is walked. */
export interface PlanNotes extends UnknownNotes {
  /** Files of the evidence contract, which are read as they are. */
  readonly contract: string[];
  /** Files of scores, whose rows name their versions. */
  readonly scores: string[];
  /** Runs that the planned files belong to. */
  readonly runs: Set<string>;
  readonly refused: { readonly path: string; readonly reason: string }[];
  /** Files whose records go from one version to another, as the archive had them and as they were asked for. */
  readonly moved: { readonly path: string; readonly from: string; readonly to: string }[];
}

export function noNotes(): PlanNotes {
  return {
    unrecognised: [],
    unrecognisedCount: 0,
    mappings: [],
    contract: [],
    scores: [],
    runs: new Set(),
    refused: [],
    moved: [],
  };
}

/**
 * Decides for each file under the paths what it is and where it goes on.
 * @throws HarnessError notFound, badInput for a condition that is none
 */
export async function* planImport(
  store: Store,
  options: PlanOptions,
  notes: PlanNotes,
): AsyncGenerator<PlannedFile> {
  decideBy(options.passWhen);
  const registered = new Map((await readRegistrations(store.path)).map((key) => [key.path, key]));
  const names = new RunNames(registered.values());
  const known = await knownSources(store, registered);
  const companions = new Companions();
  const unknown = new UnknownFiles(options.claimed ?? []);
  let nextSource = await nextSourceId(store);
  const refuse = (path: string, reason: string): unknown => notes.refused.push({ path, reason });
  for await (const path of filesUnder(options.paths, refuse)) {
    const look = await lookAt(path, options);
    if (look.type === "refused") {
      refuse(path, look.reason);
      continue;
    }
    if (look.type === "contract") {
      const { imported, version } = registered.get(storedPath(store, path)) ?? {};
      if (imported === undefined) notes.contract.push(path);
      else
        refuse(
          path,
          `it is in the archive as ${imported.format}, not in the contract; ${forgetFirst(version)}`,
        );
      continue;
    }
    const { file, adapter, reason } = look;
    if (adapter === undefined) {
      unknown.add(path, reason);
      continue;
    }
    companions.add(file, look.companions);
    const key = await orRefusal(() => keyOf(store, file, adapter, options, names));
    if (typeof key === "string") {
      refuse(path, key);
      continue;
    }
    const before = registered.get(key.path);
    if (before !== undefined && before.imported === undefined) {
      refuse(path, "it is in the archive as evidence of a run of this project");
      continue;
    }
    const anew = before !== undefined && isOtherwise(before, key, options);
    const wanted =
      before === undefined ? key : anew ? changedKey(before, key, { ...options, adapter }) : before;
    const problem = await whyNoneCounted(store, wanted);
    if (problem !== undefined) {
      refuse(path, problem);
      continue;
    }
    noteFile(notes, { path, adapter, before, wanted });
    const progress = known.get(key.path) ?? newProgress(wanted, BigInt(nextSource++));
    if (anew) progress.source = { ...progress.source, ...wanted };
    yield { file, adapter, progress, registered: before !== undefined && !anew, anew };
  }
  await unknown.noteWithout(companions, notes);
}

function noteFile(
  notes: PlanNotes,
  {
    path,
    adapter,
    before,
    wanted,
  }: { path: string; adapter: Adapter; before: SourceKey | undefined; wanted: SourceKey },
): void {
  for (const run of runsOfKey(wanted)) notes.runs.add(run);
  if (adapter.provides === "scores") notes.scores.push(path);
  else if (before !== undefined && before.version !== wanted.version)
    notes.moved.push({ path, from: before.version, to: wanted.version });
}

/** Why nothing of a file is taken for evidence of its versions; undefined where it may be. */
async function whyNoneCounted(store: Store, key: SourceKey): Promise<string | undefined> {
  for (const version of versionsOfKey(key)) {
    const problem = await whyNotCounted(store, { ...key, version, run: null });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const forgetFirst = (version = ""): string =>
  `to read it again, remove it first with: evotrainer archive forget ${JSON.stringify(version)}`;

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
      const problem = await whyNoneCounted(store, key);
      if (problem !== undefined) throw new HarnessError("badInput", problem);
      const { format, mapping } = key.imported;
      const adapter = mapping === undefined ? await adapterNamed(format) : mappedAdapter(mapping, format);
      yield {
        file: await foreignFile(path),
        adapter,
        progress: newProgress(key, BigInt(nextSource++)),
        registered: true,
        anew: false,
      };
    } catch (e) {
      skipped.refused.push({
        path,
        reason: codeOf(e) === "ENOENT" ? `There is no file ${path}.` : messageOf(e),
      });
    }
  }
}

/** What is made, or why a mapping cannot say where the file belongs. */
async function orRefusal<T>(make: () => Promise<T>): Promise<T | string> {
  try {
    return await make();
  } catch (e) {
    if (Refusal.is(e)) return e.message;
    throw e;
  }
}

type ImportedKey = SourceKey & { readonly imported: Imported };

async function keyOf(
  store: Store,
  file: ForeignFile,
  adapter: Adapter,
  options: PlanOptions,
  names: RunNames,
): Promise<ImportedKey> {
  const place = adapter.runOf?.(file) ?? { name: file.name.replace(/(\.[a-z]+)+$/i, ""), path: file.path };
  const runPath = options.run === undefined ? place.path : `run:${options.run}`;
  const run = names.nameFor(runPath, options.run ?? place.name);
  return {
    path: storedPath(store, file.path),
    kind: adapter.provides,
    run,
    version: options.version ?? adapter.versionOf?.(file) ?? run,
    imported: {
      format: adapter.name,
      runPath,
      ...(options.split === undefined ? {} : { split: options.split }),
      ...(options.passWhen === undefined ? {} : { passWhen: options.passWhen }),
      ...(adapter.mapping === undefined ? {} : { mapping: adapter.mapping }),
      ...(await severalRuns(file, adapter, options, names)),
    },
  };
}

/** The runs of a file that holds several. @throws Refusal */
async function severalRuns(
  file: ForeignFile,
  adapter: Adapter,
  options: PlanOptions,
  names: RunNames,
): Promise<Pick<Imported, "runs" | "runsAreVersions">> {
  const places = [...((await adapter.runsOf?.(file)) ?? [])];
  if (places.length === 0) return {};
  if (options.run !== undefined)
    throw new Refusal(
      `it holds ${places.length} runs (${listed(
        places.map(([called]) => called),
        "and",
      )}), which have their own names; leave --run out`,
    );
  const runs = places.map(([called, { path, name }]) => [called, names.nameFor(path, name)] as const);
  return { runs: Object.fromEntries(runs), runsAreVersions: options.version === undefined };
}

/** The versions that a file says something of. */
const versionsOfKey = (key: SourceKey): readonly string[] =>
  key.imported?.runsAreVersions === true ? runsOfKey(key) : [key.version];

/** Whether a file is to be read in another way than before. What was not asked for stays as it was. */
function isOtherwise(before: SourceKey, now: SourceKey, asked: PlanOptions): boolean {
  const [was, will] = [before.imported, now.imported];
  return (
    was?.format !== will?.format ||
    was?.mapping !== will?.mapping ||
    Object.keys(will?.runs ?? {}).some((called) => was?.runs?.[called] === undefined) ||
    (asked.version !== undefined && before.version !== asked.version) ||
    (asked.run !== undefined && before.run !== now.run) ||
    (asked.split !== undefined && was?.split !== asked.split) ||
    (asked.passWhen !== undefined && was?.passWhen !== asked.passWhen)
  );
}

/** The options that are given now over those that were given before. */
function changedKey(
  before: SourceKey,
  now: ImportedKey,
  { adapter, ...asked }: PlanOptions & { readonly adapter: Adapter },
): SourceKey {
  const isMapped = before.imported?.mapping !== now.imported.mapping;
  const isNamed = asked.run !== undefined || (isMapped && adapter.runOf !== undefined);
  const run = isNamed ? now.run : before.run;
  const runPath = isNamed ? undefined : before.imported?.runPath;
  const says = adapter.versionOf !== undefined || adapter.runOf !== undefined;
  const said = isMapped && says ? now.version : before.version;
  return {
    ...now,
    run,
    version: asked.version ?? said,
    imported: {
      ...before.imported,
      ...now.imported,
      runPath: runPath ?? now.imported.runPath,
      mapping: now.imported.mapping,
      runsAreVersions:
        asked.version === undefined
          ? (before.imported?.runsAreVersions ?? now.imported.runsAreVersions)
          : false,
    },
  };
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
