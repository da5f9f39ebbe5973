import type { ShownDecision } from "../../../shared/model/decisions.ts";

/** What became of a version, in a word. */
export const decisionTexts: Readonly<Record<ShownDecision, string>> = {
  base: "base",
  keep: "kept",
  reject: "rejected",
  invalid: "invalid",
  edit: "edited",
  prune: "pruned",
  merge: "merged",
  revert: "reverted",
  pending: "proposed",
};
