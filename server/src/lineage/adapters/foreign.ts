import type { Decision } from "../../../../shared/ledger/ledger.ts";
import type { FailureClass } from "../../../../shared/model/failureClass.ts";

/** Where in the source something was read. */
export interface ForeignPlace {
  readonly file: string;
  /** First line, from 1; null where the format has no lines. */
  readonly line: number | null;
}

/** A part of the source that could not be used. The rest is not affected. */
export interface ForeignProblem extends ForeignPlace {
  readonly reason: string;
}

/** One trial of one item, as the other tool judged it. */
export interface ForeignOutcome {
  readonly item: string;
  readonly outcome: "pass" | "fail" | "unknown";
}

/** One version that another tool made. What the source does not say is null, never a stand-in. */
export interface ForeignNode {
  /** Its id in the source; unique in its lineage. */
  readonly key: string;
  /** A short name to show; the key where there is none. */
  readonly label?: string;
  /** Keys; the first one is the parent that the tree is drawn by. */
  readonly parents: readonly string[];
  readonly title: string;
  /** What it was to change, in words from before it was tried. Words that were written with its outcome are no plan. */
  readonly plan?: string;
  /** Milliseconds since 1970, UTC. */
  readonly at: number | null;
  /** A measurement that was not made, or is not believable, is null. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** The metric that the other tool decided by. */
  readonly primary: string | null;
  readonly outcomes?: readonly ForeignOutcome[];
  /** The word in the source. */
  readonly status: string | null;
  /** Null when the source does not say, or says it with a word that we do not know. */
  readonly decision: Decision | null;
  readonly reason: string;
  readonly failure: {
    readonly class: FailureClass;
    readonly message: string;
    readonly seconds: number | null;
  } | null;
  /** Path to text, for the files that the source holds of this version. */
  readonly files: Readonly<Record<string, string>>;
  /** The whole hash of the commit that is this version, in the lineage's `repository`. */
  readonly commit: string | null;
  readonly unknowns: readonly { readonly field: string; readonly reason: string }[];
  readonly from: ForeignPlace;
}

export type Direction = "higher" | "lower";

/** A lineage that another tool left, read into one model. */
export interface ForeignLineage {
  readonly name: string;
  readonly format: string;
  readonly nodes: readonly ForeignNode[];
  readonly metrics: Readonly<
    Record<string, { readonly direction: Direction | null; readonly unit: string | null }>
  >;
  readonly problems: readonly ForeignProblem[];
  /** Fields of the model that this source cannot provide. */
  readonly missing: readonly { readonly field: string; readonly reason: string }[];
  /** What a reader should know about how it was read. */
  readonly notes: readonly string[];
  /** What to say of a parent that is in no file, by its key. */
  readonly gaps: Readonly<Record<string, string>>;
  /** The folder of the git repository that holds the commits of the nodes. */
  readonly repository: string | null;
}

/** Something that a set of paths holds: a lineage that can be read, or the reason why it cannot. */
export type DetectedLineage = {
  readonly format: string;
  readonly name: string;
  readonly files: readonly string[];
  /** Files that the tool wrote beside them, and that are of no use here. */
  readonly beside?: readonly string[];
} & (
  | { readonly type: "readable"; read(): Promise<ForeignLineage> }
  | { readonly type: "refused"; readonly reason: string }
);

/** The first line of a text, cut to a length that fits one row of a view. */
export function firstLine(text: string, longest = 140): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ") ?? "";
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** A text cut to a length, so that a ledger entry stays small. */
export function cut(text: string, longest = 2000): string {
  const whole = text.trim();
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 1).trimEnd()}…`;
}
