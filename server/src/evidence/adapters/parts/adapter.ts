import type { ReportedScore } from "../../../../../shared/model/reportedScore.ts";
import type { Split, Turn } from "../../../../../shared/model/rollout.ts";
import type { ParquetHead } from "../../../reading/parquet.ts";

/** Bytes of a JSON document that is held as a whole. */
export const maxWholeDocument = 64 * 1024 * 1024;

/** A file that an adapter looks at. Everything in it is untrusted. */
export interface ForeignFile {
  /** Absolute path. */
  readonly path: string;
  readonly name: string;
  /** Names of the folders it lies in, the nearest first. */
  readonly folders: readonly string[];
  readonly size: number;
  /** Its first bytes, at most 64 KiB. */
  readonly head: Buffer;
  /** The first line as JSON when the file holds one JSON value per line; otherwise undefined. */
  firstRecord(): Promise<unknown>;
  /** The whole file as JSON when it is one document of at most 64 MiB; otherwise undefined. */
  document(): Promise<unknown>;
  /** What the file begins with when it is Parquet. @throws HarnessError badInput */
  parquet(): Promise<ParquetHead>;
  /** A JSON document at a path relative to the file's folder; undefined when there is none. */
  beside(relativePath: string): Promise<unknown>;
  /** A file at a path relative to the file's folder, for a look; undefined when there is none. */
  neighbour(relativePath: string): Promise<ForeignFile | undefined>;
  /** NaN and Infinity that became null in the documents that were read through the file, by their paths. */
  readonly nonFinite: Map<string, number>;
}

/** The value of a document that is read apart from `ForeignFile.document`, once it is noted what of it became null. */
export function noted(
  file: ForeignFile,
  { value, nonFinite }: { readonly value: unknown; readonly nonFinite?: { readonly count: number } },
): unknown {
  if (nonFinite !== undefined) file.nonFinite.set(file.path, nonFinite.count);
  return value;
}

/**
 * What the source says about success. A crash of the evaluator, a null verdict or a lost sandbox is `unknown`; a source
 * that has no verdict at all is `none`, and only that one may be filled in by the condition that the user gives.
 */
export type Verdict =
  | { readonly outcome: "pass" | "fail" }
  | { readonly outcome: "unknown"; readonly reason: string }
  | { readonly outcome: "none"; readonly reason: string };

export const pass: Verdict = { outcome: "pass" };
export const fail: Verdict = { outcome: "fail" };
export const unknown = (reason: string): Verdict => ({ outcome: "unknown", reason });
export const noVerdict = (reason: string): Verdict => ({ outcome: "none", reason });
export const verdictOf = (passed: boolean): Verdict => (passed ? pass : fail);

/**
 * A rollout as its source has it. A field that is left out or null is one that the source does not know; the import
 * gives ids, items, groups and samples to those without.
 */
export interface RolloutDraft {
  readonly type: "rollout";
  readonly verdict: Verdict;
  readonly turns: readonly Turn[];
  /** Unique within the run; otherwise the place in the file is the id. */
  readonly id?: string | null;
  /** The source's own name of the task. */
  readonly item?: string | null;
  /** What the policy was asked, for sources that do not name the task: equal prompts are one item. */
  readonly prompt?: string;
  readonly group?: string | null;
  readonly sample?: number | null;
  readonly step?: number | null;
  readonly split?: Split;
  readonly reward?: number | null;
  readonly components?: Readonly<Record<string, number | null>>;
  readonly stop_reason?: string | null;
  readonly tokens?: number | null;
  readonly logprob_mean?: number | null;
  readonly policy?: string | null;
  readonly harness?: string | null;
  readonly seed?: number | null;
  readonly started_at?: string | null;
  readonly duration_ms?: number | null;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Named values of one training step. */
export interface MetricDraft {
  readonly type: "metrics";
  /** What the file calls the run, where it holds several. */
  readonly run?: string;
  readonly step: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** A score of a version without its rollouts. */
export type ScoreDraft = { readonly type: "score" } & Readonly<ReportedScore>;

export type Draft = RolloutDraft | MetricDraft | ScoreDraft;

/** As of HarnessError: an adapter is loaded when it is needed, and may come with a second copy of this module. */
const refusal = Symbol.for("evotrainer.Refusal");

/** A record that cannot be brought in, with the reason as a clause: it goes to the quarantine. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly [refusal] = true;

  static is(e: unknown): e is Refusal {
    return e instanceof Error && refusal in e;
  }
}

/** What one record gives: drafts, or a reason why it gives none. `record` counts from 1 in the order of the file. */
export type Entry =
  | {
      readonly record: number;
      readonly drafts: readonly Draft[];
      /** NaN and Infinity in the record that became null, where the file is not read as one document. */
      readonly nonFinite?: number | undefined;
    }
  | { readonly record: number; readonly problem: string; readonly raw?: string }
  /** The last entry: bytes of a record that is still being written. */
  | { readonly waiting: number };

/** Fields of the contract, and `turns.…` of its turns, that a coverage report speaks of. */
export type CoverageField = string;

/** What docs/importing.md says about a format in addition to what its adapter says. */
export interface FormatNote {
  readonly writer: string;
  /** How the files are usually named; their content decides. */
  readonly files: string;
  /** Where outcomes come from; left out for metrics. */
  readonly verdict?: string;
}

interface Common {
  /** What `--as` takes. */
  readonly name: string;
  /** What the format is called in sentences. */
  readonly title: string;
  /** For the page about importing; left out for a format that a mapping file describes. */
  readonly note?: FormatNote;
  /** Who writes it, with the place in the source that this adapter follows. */
  readonly source: string;
  readonly provides: "rollouts" | "metrics" | "scores";
  /** Names at the top of its records that tell it, to hint at a format that a file almost has. */
  readonly signature?: readonly string[];
  /** Whether the file certainly is of this format. No two adapters may claim one file. */
  detect(file: ForeignFile): boolean | Promise<boolean>;
  /**
   * The run that the file belongs to: a short name, and the path that stands for the run, so that files of one run
   * meet. Default: the file itself.
   */
  runOf?(file: ForeignFile): RunPlace;
  /** The runs of a file that holds metrics of several, by what its drafts call them; undefined of a file of one run. */
  runsOf?(file: ForeignFile): Promise<ReadonlyMap<string, RunPlace> | undefined>;
  /** The version that the file belongs to; left out where the format does not say: then it is the run. @throws Refusal */
  versionOf?(file: ForeignFile): string;
  /** Files that belong to the file and hold no evidence of their own: an import does not list them as unknown. */
  companions?(file: ForeignFile): readonly Companion[] | Promise<readonly Companion[]>;
  /** The split of its rollouts when the drafts do not say; `train` for training dumps, `selection` for evaluations. */
  splitOf?(file: ForeignFile): Split;
  /** Text of the mapping file that describes the format; left out for the formats that are built in. */
  readonly mapping?: string;
  /** Contract fields that the format never has, with the reason. */
  readonly absent: Readonly<Record<CoverageField, string>>;
  /** Contract fields that the adapter derives, with how. */
  readonly inferred: Readonly<Record<CoverageField, string>>;
}

/**
 * A path relative to the folder of a file, with forward slashes, in which `*` stands for a part of a name; with a look
 * into the file where the name says too little.
 */
export type Companion =
  | string
  | { readonly path: string; readonly holds: (companion: ForeignFile) => Promise<boolean> };

export interface RunPlace {
  readonly name: string;
  readonly path: string;
}

/** A format of one JSON value per line: read while it grows, resumed at a byte offset. */
export interface LineAdapter extends Common {
  readonly unit: "line";
  /** Reads what lies beside the file, once per file; what it returns is handed to `convert`. */
  prepare?(file: ForeignFile): Promise<unknown>;
  /** @throws Refusal */
  convert(record: unknown, at: LinePlace): readonly Draft[];
}

export interface LinePlace {
  readonly file: ForeignFile;
  readonly line: number;
  readonly prepared: unknown;
}

/** A format that is read as a whole: when the file changes, what it said before is replaced. */
export interface FileAdapter extends Common {
  readonly unit: "file";
  /** @throws Refusal, HarnessError badInput when nothing of the file can be read */
  read(file: ForeignFile): AsyncIterable<Entry> | Iterable<Entry>;
}

export type Adapter = LineAdapter | FileAdapter;
