import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { counted, plural } from "../../../../shared/words/numbers.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { disabledDiagnostics, type Disabled } from "../../diagnosis/disabled.ts";
import type { Adapter } from "../../evidence/adapters/parts/adapter.ts";
import { namesMetricsOnly } from "../../evidence/mapping/readMapping.ts";
import { mappedAdapter, mappingEnding } from "../../evidence/mapping/mapped.ts";
import { adapterNamed } from "../../evidence/adapters/registry.ts";
import { coverageOf, type FormatCoverage } from "../../evidence/archive/coverage.ts";
import { decideBy } from "../../evidence/importing/decide.ts";
import {
  saysSeveral,
  takeOutContradicting,
  type Contradiction,
  type SaysSeveral,
} from "../../evidence/importing/contradictions.ts";
import { importFiles } from "../../evidence/importing/importFiles.ts";
import type { ImportCounts } from "../../evidence/importing/importRun.ts";
import { noNotes, planImport, type PlanNotes } from "../../evidence/importing/plan.ts";
import { safeName } from "../../evidence/importing/runNames.ts";
import { ingestSmall } from "../../evidence/ingest/ingestSmall.ts";
import { ingestFile } from "../../evidence/ingest/ingest.ts";
import { bigintOf, numberOf, stringOf } from "../../evidence/store/rows.ts";
import { storedPath } from "../../evidence/store/sources.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { Split } from "../../../../shared/model/rollout.ts";
import { saysLineage } from "../../../../shared/spec/lineageMapping.ts";

export interface ImportRequest {
  /** Absolute paths of files and folders. */
  readonly paths: readonly string[];
  /** Files that are known to be something else, by the end of their path. */
  readonly claimed?: readonly string[] | undefined;
  readonly as?: string | undefined;
  readonly version?: string | undefined;
  readonly run?: string | undefined;
  readonly split?: Split | undefined;
  /** CEL over a rollout, for sources that have no verdict. */
  readonly passWhen?: string | undefined;
}

/** What an import did, what it could not read, and what the evidence lacks. */
export interface ImportReport {
  readonly files: {
    /** Brought something in. */
    readonly read: number;
    /** Were in the archive already. */
    readonly unchanged: number;
    readonly unrecognised: number;
    readonly refused: number;
  };
  /** Added by this import. */
  readonly rollouts: number;
  readonly metrics: number;
  readonly scores: number;
  readonly quarantined: number;
  /** NaN and Infinity that became null. */
  readonly nonFinite: number;
  /** The first records that were set aside, with file, line and reason. */
  readonly problems: ImportCounts["problems"];
  readonly waiting: ImportCounts["waiting"];
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
  readonly unrecognised: readonly { readonly path: string; readonly reason: string }[];
  /** What else is to be known of how the files were read, in sentences. */
  readonly notes: readonly string[];
  /** What the archive has of the runs that the files belong to, at most 1000. */
  readonly runs: readonly ImportedRun[];
  readonly coverage: readonly FormatCoverage[];
  /** Diagnostics that this evidence cannot feed, or that are made for other domains. */
  readonly disabled: readonly Disabled[];
}

export interface ImportedRun {
  readonly run: string;
  readonly version: string;
  readonly format: string;
  readonly rollouts: number;
  readonly metricSteps: number;
}

export interface ImportOptions {
  readonly diagnostics: readonly DiagnosticSpec[];
  /** Diagnostics for other domains are not used. */
  readonly domain: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (message: string) => void;
}

/** The format of the contract itself, which is read as it is. */
export const contractFormat = "evotrainer";

/** What was brought in, before anybody asks what the archive has of it. */
export interface BroughtIn {
  readonly counts: ImportCounts;
  readonly notes: PlanNotes;
  /** Options that change nothing about files of the contract, as they are written. */
  readonly idle: readonly string[];
}

/**
 * Brings files of any known format into the archive. Repeating it changes nothing.
 * @throws HarnessError badInput, notFound, cancelled, diskFull, storeFailed
 */
export async function bringIn(
  store: Store,
  request: ImportRequest,
  { signal, onProgress }: Omit<ImportOptions, "diagnostics" | "domain">,
): Promise<BroughtIn> {
  decideBy(request.passWhen);
  const idle = idleInContract(request);
  const contract = request.as === contractFormat ? true : undefined;
  if (contract === true && idle.length > 0)
    throw new HarnessError("badInput", `${idleSentence(idle, "the evidence contract")}; leave it out.`);
  const formats = await readMappings(request);
  const notes = noNotes();
  const tell = (counts: ImportCounts): void =>
    onProgress?.(
      `${counted(counts.read + counts.unchanged, "file")}, ${counted(counts.rollouts, "rollout")}`,
    );
  const counts = await store.exclusive("ingest", async () => {
    const from = await nextSource(store);
    const brought = await importFiles(
      { store, signal, onProgress: tell },
      planImport(store, { ...request, ...formats, contract }, notes),
    );
    for (const file of brought.metrics === 0
      ? []
      : await takeOutContradicting(store, [...notes.runs], from)) {
      brought.refused.push({ path: file.path, reason: contradicts(file) });
      brought.read--;
      brought.metrics -= file.steps;
    }
    return brought;
  });
  await readContract(store, request, { notes, counts, signal, tell });
  return { counts, notes, idle };
}

async function nextSource(store: Store): Promise<bigint> {
  const sql = "SELECT coalesce(max(source) + 1, 0)::BIGINT AS next FROM sources";
  return bigintOf((await store.query({ sql, params: [] }))[0] ?? {}, "next");
}

const contradicts = ({ other, run, steps, differing }: Contradiction): string =>
  `its values differ from those of ${other} at ${differing} of its ${counted(steps, "step")}, so the two files cannot both belong to the run ${run}; import this one alone with --run <another name>`;

const severalText = ({ path, run, steps, differing }: SaysSeveral): string =>
  `${path} gives several values of a metric in ${differing} of the ${counted(steps, "step")} of ${run}. The last line of a step counts; if the file holds more than one run, split it.`;

/**
 * Brings files in as `bringIn` does, and says what they lack.
 * @throws HarnessError badInput, notFound, cancelled, diskFull, storeFailed
 */
export async function importEvidence(
  store: Store,
  request: ImportRequest,
  { diagnostics, domain, ...options }: ImportOptions,
): Promise<ImportReport> {
  const { counts, notes, idle } = await bringIn(store, request, options);
  const runs = await runsOf(store, [...notes.runs]);
  const coverage = await coverageOf(store, [...notes.runs]);
  const refused = [...notes.refused, ...counts.refused];
  return {
    files: {
      read: counts.read,
      unchanged: counts.unchanged,
      unrecognised: notes.unrecognisedCount,
      refused: refused.length,
    },
    rollouts: counts.rollouts,
    metrics: counts.metrics,
    scores: counts.scores,
    quarantined: counts.quarantined,
    nonFinite: counts.nonFinite,
    problems: counts.problems,
    waiting: counts.waiting,
    refused: refused.slice(0, 100),
    unrecognised: notes.unrecognised,
    notes: [
      ...contractNotes(idle, notes.contract),
      ...scoreNotes(request, notes),
      ...movedNotes(notes),
      ...mappingNotes(request, notes),
      ...joinedNotes(request, runs),
      ...(await saysSeveral(store, [...notes.runs])).slice(0, mostNotes).map(severalText),
    ],
    runs,
    coverage,
    disabled: disabledDiagnostics(coverage, diagnostics, domain),
  };
}

interface Formats {
  readonly paths: readonly string[];
  readonly as: Adapter | undefined;
  readonly mapped: readonly Adapter[];
}

/** Mapping files are named with --as, or lie among the paths, where they say themselves which files they are for. */
async function readMappings({ paths, as }: ImportRequest): Promise<Formats> {
  const isMapping = (path: string): boolean => path.endsWith(mappingEnding);
  const mapped: Adapter[] = [];
  for (const path of paths.filter(isMapping)) {
    const text = await textOf(path);
    // A mapping of a lineage has the same ending, and is read elsewhere; names of metrics are read by who diagnoses.
    if (!saysLineage(text) && !namesMetricsOnly(text)) mapped.push(mappedAdapter(text, basename(path)));
  }
  const named = as === undefined || as === contractFormat ? undefined : as;
  return {
    paths: paths.filter((path) => !isMapping(path)),
    as:
      named === undefined
        ? undefined
        : isMapping(named)
          ? mappedAdapter(await textOf(named), basename(named))
          : await adapterNamed(named),
    mapped,
  };
}

/** @throws HarnessError notFound, badInput */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (e) {
    const code = codeOf(e);
    if (code === undefined) throw e;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new HarnessError(
        "notFound",
        `There is no mapping ${path}; give the path of a file *${mappingEnding}, or leave it out.`,
        { cause: e },
      );
    throw new HarnessError(
      "badInput",
      `The mapping ${path} cannot be read (${code}); it must be a file that you may read.`,
      { cause: e },
    );
  }
}

/** The options that are given and change nothing about files of the contract, as they are written. */
function idleInContract({ run, split, passWhen }: ImportRequest): string[] {
  const given = { "--run": run, "--split": split, "--pass-when": passWhen };
  return Object.entries(given).flatMap(([option, value]) => (value === undefined ? [] : [option]));
}

const idleSentence = (idle: readonly string[], where: string): string =>
  `${idle.join(" and ")} ${plural(idle.length, "has", "have")} no effect on ${where}, where each rollout says its run, split and outcome itself`;

function contractNotes(idle: readonly string[], files: readonly string[]): string[] {
  if (idle.length === 0 || files.length === 0) return [];
  const where = plural(files.length, "a file", `${files.length} files`);
  return [`${idleSentence(idle, `${where} of the evidence contract`)}: ${listed(files)}.`];
}

/** A row of scores says itself what it is of. */
function scoreNotes({ version, split, passWhen }: ImportRequest, { scores }: PlanNotes): string[] {
  const given = { "--version": version, "--split": split, "--pass-when": passWhen };
  const idle = Object.entries(given).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  if (idle.length === 0 || scores.length === 0) return [];
  return [
    `${idle.join(" and ")} ${plural(idle.length, "has", "have")} no effect on scores without rollouts, where each row names its version: ${listed(scores)}.`,
  ];
}

/** Rollouts that go from one version to another change the numbers of both. */
function movedNotes({ moved }: PlanNotes): string[] {
  const between = new Map<string, PlanNotes["moved"]>();
  for (const file of moved) {
    const key = JSON.stringify([file.from, file.to]);
    between.set(key, [...(between.get(key) ?? []), file]);
  }
  return [...between.values()].map((files) => {
    const [{ from, to } = { from: "", to: "" }] = files;
    const names = listed(files.map(({ path }) => basename(path)));
    return `Moved from version ${from} to ${to}, and ${from} no longer has ${plural(files.length, "it", "them")}: ${names}.`;
  });
}

/**
 * Runs whose rollouts one tool wrote and whose metrics another: that they lie in one folder does not tell that they belong
 * together. What one framework writes in two forms has its name in both.
 */
function joinedNotes({ run: named }: ImportRequest, runs: readonly ImportedRun[]): string[] {
  if (named !== undefined) return [];
  const foreign = runs.filter(({ format }) => format !== contractFormat);
  const joined = foreign
    .filter(({ metricSteps }) => metricSteps > 0)
    .flatMap(({ run, format: metrics }) =>
      foreign
        .filter(
          ({ rollouts, format }) => rollouts > 0 && format !== metrics && !metrics.startsWith(`${format}-`),
        )
        .filter((other) => other.run === run)
        .map(
          ({ format }) =>
            `${run} has rollouts of ${format} and metrics of ${metrics} because they lie in one folder; if they are of two runs, import one of them alone with --run <another name>.`,
        ),
    );
  return joined.slice(0, mostNotes);
}

/** How many notes of one kind an import shows. */
const mostNotes = 20;

const listed = (names: readonly string[]): string =>
  [...names.slice(0, 3), ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(", ");

/** A mapping that was found, not named, reads nothing: that is worth a word where files were left. */
function mappingNotes(
  { paths, as = "" }: ImportRequest,
  { mappings, unrecognisedCount }: PlanNotes,
): string[] {
  const unused = mappings.filter((path) => path !== as && !paths.includes(path));
  if (unused.length === 0 || unrecognisedCount === 0) return [];
  return [`Mappings in a folder are used only if you name them among the paths: ${listed(unused)}.`];
}

/** Files of the contract name their runs line by line; the version is the file's own name unless one is given. */
async function readContract(
  store: Store,
  { version }: ImportRequest,
  {
    notes,
    counts,
    signal,
    tell,
  }: { notes: PlanNotes; counts: ImportCounts; signal: AbortSignal; tell: (counts: ImportCounts) => void },
): Promise<void> {
  const files = notes.contract.map((path) => ({
    path,
    version: version ?? safeName(basename(path).replace(/\.[a-z]+$/i, "")),
  }));
  const taken: string[] = [];
  const small = await ingestSmall(store, files, {
    signal,
    onFiles: (done) => tell({ ...counts, read: counts.read + done }),
  });
  for (const file of files) {
    const { path } = file;
    try {
      const report = small.get(path) ?? (await ingestFile(store, { ...file, kind: "rollouts", signal }));
      counts[report.bytes > 0 ? "read" : "unchanged"]++;
      counts.rollouts += report.rows;
      counts.quarantined += report.bad;
      for (const { line, reason } of report.quarantined)
        if (counts.problems.length < 100) counts.problems.push({ path, line, reason });
      if (report.pending > 0) counts.waiting.push({ path, bytes: report.pending });
      taken.push(path);
    } catch (e) {
      if (!HarnessError.is(e, "badInput") && !HarnessError.is(e, "notFound")) throw e;
      counts.refused.push({ path, reason: e.message });
    }
  }
  for (const run of await contractRuns(store, taken)) notes.runs.add(run);
}

async function contractRuns(store: Store, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const rows = await store.query({
    sql: `SELECT DISTINCT run FROM rollouts WHERE source IN (
            SELECT source FROM sources WHERE path IN (SELECT unnest(from_json(?, '["VARCHAR"]')))) ORDER BY run`,
    params: [JSON.stringify(paths.map((path) => storedPath(store, path)))],
  });
  return rows.map((row) => stringOf(row, "run"));
}

async function runsOf(store: Store, runs: readonly string[]): Promise<ImportedRun[]> {
  const rows = await store.query({
    sql: `WITH asked AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS run),
               counted AS (SELECT run, version, any_value(source) AS source, count(*) AS rollouts, 0 AS steps
                           FROM rollouts SEMI JOIN asked USING (run) GROUP BY run, version
                           UNION ALL
                           SELECT run, version, any_value(source), 0, count(DISTINCT step)
                           FROM metrics SEMI JOIN asked USING (run) GROUP BY run, version)
          SELECT c.run, c.version, coalesce(s.format, 'evotrainer') AS format,
                 sum(c.rollouts)::BIGINT AS rollouts, sum(c.steps)::BIGINT AS steps
          FROM counted c JOIN sources s USING (source) GROUP BY ALL ORDER BY c.run, format LIMIT 1000`,
    params: [JSON.stringify(runs)],
  });
  return rows.map((row) => ({
    run: stringOf(row, "run"),
    version: stringOf(row, "version"),
    format: stringOf(row, "format"),
    rollouts: numberOf(row, "rollouts"),
    metricSteps: numberOf(row, "steps"),
  }));
}
