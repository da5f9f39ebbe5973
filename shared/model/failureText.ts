import type { FailureClass } from "./failureClass.ts";

// No schema is asked: the editor draws with this before it needs any.
const words: Readonly<Record<FailureClass, string>> = {
  preflight_crash: "failed before its first evidence",
  crash: "crashed",
  size_blocked: "wrote more evidence than it may",
  train_budget_overrun: "ran out of time while training",
  eval_budget_overrun: "ran out of time while evaluating",
  disqualified: "changed its evaluation files",
  harness_abort: "was cancelled, or ended by the engine",
  incomplete: "ended without all of its evidence",
};

/** What became of a job of this class of failure, as the end of a sentence about it; a class of a later release as its words. */
export function failureText(failure: string): string {
  const isKnown = (text: string): text is FailureClass => Object.hasOwn(words, text);
  return isKnown(failure) ? words[failure] : failure.replaceAll("_", " ");
}

/** The same before the message of a job, without what the message says as well. */
export function failureBeside({
  failure,
  message,
}: {
  readonly failure: string;
  readonly message: string;
}): string {
  const text = failureText(failure);
  const [, at] = / (before its first evidence)$/.exec(text) ?? [];
  return at !== undefined && message.includes(at) ? "failed" : text;
}
