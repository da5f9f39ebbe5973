import type { z } from "zod";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import type { Links } from "../../project/frozen/links.ts";
import type { TriedConditions } from "../archive/triedConditions.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { ParsedSpec, ParsedText, Span } from "../syntax/parseSpec.ts";
import type { SpecKind } from "../syntax/specKind.ts";

/** A spec of the project; its path is relative to the project's folder, its name empty when it has none. */
export type NamedSpec = { readonly path: string; readonly name: string; readonly spec: ParsedSpec };

/** The version that the work tree goes on from: its files as they were. */
export type ParentVersion = {
  readonly name: string;
  /** A file of the parent as YAML or JSON; undefined when it had none. */
  readonly read: (path: string) => ParsedText | undefined;
  readonly text: (path: string) => string | undefined;
};

/** What a rule may look at besides the spec itself: the project around it. Reads only. */
export type ProjectContext = {
  /** Its folder, where it lies on a disk. */
  readonly root?: string;
  /** The project's evotrainer.yaml as far as it is valid. */
  readonly spec: ProjectSpec | undefined;
  /** A YAML or JSON file of the project by its relative path; undefined when there is none. */
  readonly read: (path: string) => ParsedText | undefined;
  /** Any file of the project as it is; undefined when there is none or it is larger than 8 MB. */
  readonly text: (path: string) => string | undefined;
  /** The project's symbolic links, where it lies on a disk. */
  readonly links?: Links;
  /** Every spec of the project, in the order of their paths; the same list as long as none has changed. */
  readonly specs: () => readonly NamedSpec[];
  /** Undefined when it is not known; a rule that compares with it is silent then. */
  readonly parent: ParentVersion | undefined;
  /** What the archive holds, when it was asked and answered; a rule that needs it is silent without it. */
  readonly facts: ArchiveFacts | undefined;
  /** What the archive makes of conditions of diagnostics, as far as it was asked. */
  readonly tried?: TriedConditions | undefined;
  /** Whoever wants to know what a check has read: it is told of values of the whole project instead of what they are made of. */
  readonly watch?: {
    readonly project: ProjectContext;
    readonly derived: (derive: (project: ProjectContext) => unknown, made: unknown) => void;
  };
};

export type RuleContext = {
  readonly spec: ParsedSpec;
  readonly project: ProjectContext | undefined;
  /** Where the spec lies, relative to the project's folder. */
  readonly path?: string | undefined;
};
export type Severity = "error" | "warning" | "info";
export type Finding<Data> = {
  readonly span: Span;
  readonly message: string;
  /** What the fix needs; it travels with the diagnostic, so that the server keeps no state between requests. */
  readonly data: Data;
};
export type TextEdit = { readonly span: Span; readonly text: string };
/** A change of the checked file, and files that are made new: their paths are relative to the project's folder. */
export type Fix = {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  readonly creates?: readonly { readonly path: string; readonly text: string }[];
};

/** One check: what it is, where it holds, and how what it finds can be mended. Its file is named after its id. */
export type Rule<Data> = {
  readonly meta: {
    readonly id: string;
    readonly severity: Severity;
    readonly kinds: readonly SpecKind[] | "all";
    /** Whether it compares with what is archived, always or for a part of what it finds: without an archive that is silent. */
    readonly archive?: "all" | "part";
    /** What must hold, and why where that is not plain, in a sentence or two. */
    readonly docs: string;
    /** YAML that the rule finds fault with, and how it should read. */
    readonly example: { readonly wrong: string; readonly right: string };
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
