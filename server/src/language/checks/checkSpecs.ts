import { relative, sep } from "node:path";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { questionsOf, type Question, type TriedConditions } from "../archive/triedConditions.ts";
import { diagnose } from "../features/diagnostics.ts";
import { findSpecs } from "../specs/findSpecs.ts";
import type { Severity } from "../rule/rule.ts";
import { allRules } from "./ruleSet.ts";
import { SpecIndex } from "../specs/specIndex.ts";

/** One finding as a person reads it: lines and columns count from 1, the file is relative to the project. */
export type SpecFinding = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
};

/** What an archive says: what it holds, and what it makes of the conditions of diagnostics. */
export type Archived = { readonly facts: ArchiveFacts; readonly tried: TriedConditions };

/** What is known of a project besides its files. */
export type Known = {
  /** Asks its archive; undefined where there is none to ask. */
  readonly archived?: (questions: readonly Question[]) => Promise<Archived | undefined>;
  /** The version that the work tree goes on from. */
  readonly parent?: { readonly name: string; readonly files: ReadonlyMap<string, string> } | undefined;
};

/**
 * Everything that the language server would show for the specs below a folder, and for the configs that its projects
 * name, without an editor. What is known is known of the project in the folder itself.
 */
export async function checkSpecs(root: string, { archived, parent }: Known = {}): Promise<SpecFinding[]> {
  const index = new SpecIndex();
  const specs = await findSpecs(root);
  for (const path of specs) index.add(path);
  const known = await archived?.(questionsOf(index.project(root)));
  if (known) {
    index.noteFacts(root, known.facts);
    index.noteTried(root, known.tried);
  }
  index.noteParent(root, parent);
  return [...specs, ...index.configs()].sort().flatMap((path) => findingsIn(index, root, path));
}

function findingsIn(index: SpecIndex, root: string, path: string): SpecFinding[] {
  const context = index.context(path);
  if (!context) return [];
  // Counts lines as editors do: a carriage return alone ends one too.
  const document = TextDocument.create("", "", 0, context.spec.text);
  return diagnose(context, allRules).map(({ span, severity, code, message }) => {
    const { line, character } = document.positionAt(span.start);
    return {
      file: relative(root, path).split(sep).join("/"),
      line: line + 1,
      column: character + 1,
      severity,
      code,
      message,
    };
  });
}
