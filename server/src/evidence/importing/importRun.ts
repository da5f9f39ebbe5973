import type { Store } from "../store/database.ts";

export interface ImportProblem {
  readonly path: string;
  /** Line, or record of a file that is read as a whole, from 1. */
  readonly line: number;
  readonly reason: string;
}

export interface ImportCounts {
  /** Files that brought something in, and files that had nothing new. */
  read: number;
  unchanged: number;
  rollouts: number;
  /** Training steps with metrics. */
  metrics: number;
  /** Scores of versions without rollouts. */
  scores: number;
  quarantined: number;
  /** NaN and Infinity that became null. */
  nonFinite: number;
  /** The first records that were quarantined, at most 100. */
  problems: ImportProblem[];
  /** Files whose last line is not complete: it is taken once it is. */
  waiting: { path: string; bytes: number }[];
  /** Files that could not be read, or not to their end. */
  refused: { path: string; reason: string }[];
}

export interface ImportRun {
  readonly store: Store;
  readonly signal?: AbortSignal | undefined;
  /** Called after every commit and every file. */
  readonly onProgress?: ((counts: ImportCounts) => void) | undefined;
}

export function noCounts(): ImportCounts {
  const none = { read: 0, unchanged: 0, rollouts: 0, metrics: 0, scores: 0, quarantined: 0, nonFinite: 0 };
  return { ...none, problems: [], waiting: [], refused: [] };
}
