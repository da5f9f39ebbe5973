import type { Active } from "./columns.ts";

/** One sampled choice: among which candidates, which one, and with what log-probability. */
export interface Pick {
  /** Number of the head: 0 picks the tool, the others its arguments. */
  readonly head: number;
  /** Encoded candidates; empty for the tool head. */
  readonly candidates: readonly Active[];
  readonly chosen: number;
  readonly logp: number;
}

/** One turn of a rollout as the trainer needs it: the encoded state and the choices made in it. */
export interface Decision {
  readonly state: Active;
  readonly picks: readonly Pick[];
}

/** What was chosen in a turn so far, by head. */
export type Chosen = readonly (number | undefined)[];
