import type { z } from "zod";
import type { ArchiveFacts } from "../../../shared/protocol/archiveFacts.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import type { ParsedSpec, ParsedText, Span } from "./syntax/parseSpec.ts";
import type { SpecKind } from "./syntax/specKind.ts";

/** What a rule may look at besides the spec itself: the project around it. Reads only. */
export type ProjectContext = {
  /** The project's evotrainer.yaml as far as it is valid. */
  readonly spec: ProjectSpec | undefined;
  /** A YAML or JSON file of the project by its relative path; undefined when there is none. */
  readonly read: (path: string) => ParsedText | undefined;
  /** What the archive holds, when it was asked and answered; a rule that needs it is silent without it. */
  readonly facts: ArchiveFacts | undefined;
};

export type RuleContext = { readonly spec: ParsedSpec; readonly project: ProjectContext | undefined };
export type Severity = "error" | "warning" | "info";
export type Finding<Data> = {
  readonly span: Span;
  readonly message: string;
  /** What the fix needs; it travels with the diagnostic, so that the server keeps no state between requests. */
  readonly data: Data;
};
export type TextEdit = { readonly span: Span; readonly text: string };
export type Fix = { readonly title: string; readonly edits: readonly TextEdit[] };

/** One check: what it is, where it holds, and how what it finds can be mended. Its file is named after its id. */
export type Rule<Data> = {
  readonly meta: {
    readonly id: string;
    readonly severity: Severity;
    readonly kinds: readonly SpecKind[] | "all";
    readonly docs: string;
  };
  readonly data: z.ZodType<Data>;
  readonly check: (context: RuleContext) => Iterable<Finding<Data>>;
  readonly fix?: (context: RuleContext, data: Data) => readonly Fix[];
};

/** A rule of a list: what its data is, only the rule itself knows. */
export type AnyRule = Omit<Rule<unknown>, "data">;

/** Seals a rule: data that comes back from an editor is parsed before the fix sees it. */
export function defineRule<Data>(rule: Rule<Data>): AnyRule {
  const { meta, check, fix } = rule;
  if (!fix) return { meta, check };
  return {
    meta,
    check,
    fix: (context, data) => {
      const parsed = rule.data.safeParse(data);
      return parsed.success ? fix(context, parsed.data) : [];
    },
  };
}
