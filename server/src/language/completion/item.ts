import type { ProjectContext } from "../rule/rule.ts";
import type { Symbols } from "../symbols/occurrence.ts";
import type { ParsedSpec, Span } from "../syntax/parseSpec.ts";

export const completionKinds = [
  "spec",
  "key",
  "value",
  "label",
  "metric",
  "file",
  "folder",
  "path",
  "version",
  "variable",
  "field",
  "function",
] as const;

export type Completion = {
  readonly label: string;
  readonly kind: (typeof completionKinds)[number];
  readonly detail: string;
  readonly documentation: string | undefined;
  readonly replace: Span;
  readonly text: string;
  /** Whether `text` has places to fill in: `${1:name}`. */
  readonly snippet?: boolean;
  /** The same for an editor that knows no such places, where it is not simply without what is between parentheses. */
  readonly plain?: string;
  readonly required: boolean;
};

/** What a completion looks at: a text that need not parse, and the project around it. */
export type CompletionContext = {
  readonly spec: Pick<ParsedSpec, "kind" | "text">;
  readonly project?: ProjectContext | undefined;
  readonly root?: string | undefined;
  /** Where the spec lies: its name comes from there. */
  readonly file?: string | undefined;
  readonly symbols?: Symbols | undefined;
};
