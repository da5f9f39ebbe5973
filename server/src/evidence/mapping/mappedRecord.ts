import type { Outcome, Split, Turn } from "../../../../shared/model/rollout.ts";

/** Where a record comes from, as expressions see it. */
export interface MappedFile {
  /** File name with its ending. */
  readonly name: string;
  /** The name without its last ending. */
  readonly stem: string;
  /** The folders above it from the top of the file system, with forward slashes between them. */
  readonly folder: string;
  /** The training step that the name tells, such as 40 in step_40.jsonl or 40.jsonl; null when it tells none. */
  readonly step: number | null;
}

/** A record as evidence: every field of the contract that a source can have, null where this one has none. */
export interface MappedRecord {
  /** Null where the mapping names none: the place in the file stands for it. */
  readonly id: string | null;
  /** Null where the mapping names none: `prompt` stands for it. */
  readonly item: string | null;
  readonly prompt: string | null;
  readonly outcome: Outcome;
  /** Not null exactly when the outcome is unknown. */
  readonly unknown_reason: string | null;
  readonly turns: readonly Turn[];
  readonly group: string | null;
  readonly sample: number | null;
  readonly step: number | null;
  readonly split: Split | null;
  readonly reward: number | null;
  readonly components: Readonly<Record<string, number>> | null;
  readonly stop_reason: string | null;
  readonly tokens: number | null;
  readonly logprob_mean: number | null;
  readonly policy: string | null;
  readonly harness: string | null;
  readonly seed: number | null;
  readonly started_at: string | null;
  readonly duration_ms: number | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Why one field of one record has no value: count them by field and message. */
export interface FieldProblem {
  /** Such as reward, components.tests, turns.text. */
  readonly field: string;
  readonly expression: string;
  readonly message: string;
}

/** A record that cannot be formed goes to quarantine with its reason; other problems leave a null behind. */
export type MappedResult =
  | { readonly ok: true; readonly record: MappedRecord; readonly problems: readonly FieldProblem[] }
  | { readonly ok: false; readonly reason: string; readonly problems: readonly FieldProblem[] };

/** The parts of a path that expressions see as `file`. */
export function mappedFile(of: string): MappedFile {
  const path = of.replaceAll("\\", "/");
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  const dot = name.lastIndexOf(".");
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const digits = /^\d{1,15}$/.exec(stem)?.[0] ?? /(?:^|[^a-z])step[_-]?(\d{1,15})(?!\d)/i.exec(stem)?.[1];
  return {
    name,
    stem,
    folder: slash < 0 ? "" : path.slice(0, slash),
    step: digits === undefined ? null : Number(digits),
  };
}
