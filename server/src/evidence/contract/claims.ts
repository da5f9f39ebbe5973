import type { Split } from "../../../../shared/model/rollout.ts";

/** What a rollout says that it is of: held against what its job was asked for. */
export interface Claims {
  readonly split: Split;
  readonly step: number;
  readonly item: string;
  readonly harness: string | null;
  readonly seed: number | null;
}
