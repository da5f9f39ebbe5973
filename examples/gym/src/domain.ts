import type * as z from "zod";
import type { Turn } from "../../../shared/model/rollout.ts";
import type { Active } from "./columns.ts";
import type { NetworkShape } from "./network.ts";
import type { Chosen, Decision } from "./policy.ts";
import type { Random } from "./random.ts";

/** One item of a data file, ready to be worked on. */
export interface Task {
  readonly id: string;
  /** From 0 to 1. */
  readonly difficulty: number;
}

/** What harness/environment.yaml sets in every domain. */
export interface Settings {
  readonly turnLimit: number;
}

/** How a finished rollout is judged, and the raw signals that a reward may be composed of. */
export interface Verdict {
  readonly passed: boolean;
  readonly stop: string;
  readonly components: Readonly<Record<string, number>>;
}

/** One rollout's work on one task, and what the policy sees of it. */
export interface Episode {
  readonly isOver: boolean;
  /** The state as columns: made only of what the task says and the tools answered. */
  encode(): Active;
  /** The pointer heads that a tool needs in this state, in ascending order. */
  headsOf(tool: number): readonly number[];
  /** Encoded candidates of a pointer head; they may depend on what was chosen before it in this turn. */
  candidates(head: number, chosen: Chosen): readonly Active[];
  /** Does what was chosen. `chosen[0]` is the tool. */
  act(chosen: Chosen): void;
  judge(): Verdict;
  /** The rollout as a person reads it. */
  turns(decisions: readonly Decision[]): Turn[];
}

/** What a domain gives to the trainer. */
export interface Domain<T extends Task, S extends Settings> {
  /** Eight letters that begin a policy file, so that no domain reads the policy of another. */
  readonly mark: string;
  readonly shape: NetworkShape;
  readonly environment: z.ZodType<S>;
  /** Tasks of a JSONL text; throws with the line number at the first line that is not one. */
  parse(text: string, where: string): T[];
  start(task: T, settings: S): Episode;
  /** One scripted rollout as decisions to imitate. */
  demonstrate(task: T, random: Random, turnLimit: number): Decision[];
}
