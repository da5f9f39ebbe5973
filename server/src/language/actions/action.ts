import type { TextEdit } from "../rule/rule.ts";

/** A change that is offered for a place or for a whole file: edits of it, and files that are made new. */
export type SpecAction = {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  /** By their path in the project. */
  readonly creates: readonly { readonly path: string; readonly text: string }[];
};
