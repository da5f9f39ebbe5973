import * as z from "zod";

/** Failure classes of a training job. */
export const failureClasses = [
  "crash",
  "preflight_crash",
  "size_blocked",
  "train_budget_overrun",
  "eval_budget_overrun",
  "disqualified",
  "harness_abort",
  "incomplete",
] as const;
export const FailureClass = z.enum(failureClasses);
export type FailureClass = z.infer<typeof FailureClass>;
