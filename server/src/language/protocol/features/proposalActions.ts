import { readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import {
  CodeActionKind,
  type AnnotatedTextEdit,
  type ChangeAnnotation,
  type CodeAction,
  type Range,
  type TextDocumentEdit,
} from "vscode-languageserver/node";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Proposal } from "../../../../../shared/protocol/views/proposals.ts";
import { codeOf } from "../../../base/errors.ts";
import { placeHunks } from "../../features/takeProposal.ts";
import { asDocument, asRange, pathOf, uriOf, type Session } from "../session/session.ts";

const kind = `${CodeActionKind.Refactor}.proposal`;

/**
 * The proposals that touch an open file, each as a change of all their files that the editor shows hunk by hunk before
 * anything is changed. The last known list is taken: nobody waits for the engine here.
 */
export function proposalActions(
  session: Session,
  document: TextDocument,
  wants: (kind: string) => boolean,
): CodeAction[] {
  const { documentChanges, changeAnnotationSupport } = session.client.workspace?.workspaceEdit ?? {};
  if (!wants(kind) || documentChanges !== true || !changeAnnotationSupport) return [];
  const path = pathOf(document.uri);
  const root = path === undefined ? undefined : rootOf(session, path);
  if (path === undefined || root === undefined) return [];
  const file = relative(root, path).split(sep).join("/");
  return session.proposalsOn(root, file).flatMap((proposal) => actionOf(session, root, proposal));
}

/** The innermost project that a file lies in. */
function rootOf({ index }: Session, path: string): string | undefined {
  return index.projects.filter((root) => path.startsWith(root + sep)).sort((a, b) => b.length - a.length)[0];
}

function actionOf(session: Session, root: string, proposal: Proposal): CodeAction[] {
  const changeAnnotations: Record<string, ChangeAnnotation> = {};
  const changes: TextDocumentEdit[] = [];
  for (const file of proposal.files) {
    const path = join(root, file.path);
    const document = textOf(session, path);
    if (document === undefined) continue;
    const edits = placeHunks(document.getText(), file).map(({ id, span, text }): AnnotatedTextEdit => {
      const range: Range = asRange(document, span);
      changeAnnotations[id] = {
        label: `${proposal.id}, ${file.path} line ${range.start.line + 1}`,
        description: proposal.hypothesis,
        needsConfirmation: true,
      };
      return { range, newText: text, annotationId: id };
    });
    if (edits.length === 0) continue;
    // The version of an open text makes the editor refuse the change when it was edited meanwhile.
    const open = session.documents.get(uriOf(session, path));
    changes.push({ textDocument: { uri: uriOf(session, path), version: open?.version ?? null }, edits });
  }
  if (changes.length === 0) return [];
  const title = `Try proposal ${proposal.id} here: ${proposal.title}`;
  return [{ title, kind, edit: { documentChanges: changes, changeAnnotations } }];
}

/** The text of a file as the editor has it, else as the disk has it; undefined for one that is not there. */
function textOf(session: Session, path: string): TextDocument | undefined {
  const open = session.documents.get(uriOf(session, path));
  if (open !== undefined) return open;
  try {
    return asDocument(readFileSync(path, "utf8"));
  } catch (e) {
    if (codeOf(e) === "ENOENT" || codeOf(e) === "EISDIR" || codeOf(e) === "ENOTDIR") return undefined;
    throw e;
  }
}
