/** Why a number cannot be had from what is there. */
export type RefusalReason =
  | "nothing_measured"
  | "no_common_item"
  | "all_unknown"
  | "one_item"
  | "one_run"
  | "one_seed"
  | "no_spread"
  | "too_few_samples"
  | "no_effect"
  | "never_enough"
  | "not_comparable";

/** An answer that is no number: the reason, and one sentence that says what is missing. */
export interface Refusal {
  readonly type: "refused";
  readonly reason: RefusalReason;
  readonly message: string;
}

/** A known result, or the reason why there is none. No function of this folder answers NaN. */
export type Answer<T> = ({ readonly type: "known" } & T) | Refusal;

export function refuse(reason: RefusalReason, message: string): Refusal {
  return { type: "refused", reason, message };
}

export function known<T extends object>(value: T): Answer<T> {
  return { type: "known", ...value };
}
