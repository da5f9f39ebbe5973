import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CodeActionKind,
  type CodeAction,
  type CreateFile,
  type TextDocumentEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { fixesFor } from "../features/codeActions.ts";
import type { Fix } from "../rule.ts";
import { allRules } from "../ruleSet.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec, type OpenSpec, type Session } from "./session.ts";

export const codeActionFeature: Feature = {
  capabilities: { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] } },
  register(session) {
    session.connection.onCodeAction(({ textDocument, context: { diagnostics } }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { documentChanges, resourceOperations = [] } = session.client.workspace?.workspaceEdit ?? {};
      const canCreate = documentChanges === true && resourceOperations.includes("create");
      return diagnostics
        .filter(({ source }) => source === "evotrainer")
        .flatMap((diagnostic) => {
          const data: unknown = diagnostic.data;
          return fixesFor(open.context, allRules, { code: diagnostic.code, data })
            .filter(({ creates = [] }) => creates.length === 0 || canCreate)
            .map((fix, i): CodeAction => ({
              title: fix.title,
              kind: CodeActionKind.QuickFix,
              diagnostics: [diagnostic],
              isPreferred: i === 0,
              edit: editOf(session, open, fix),
            }));
        });
    });
  },
};

/** New files are made beside the edits in one step; a client that cannot make files is offered no such fix. */
function editOf(
  { index }: Session,
  { document, path }: OpenSpec,
  { edits, creates = [] }: Fix,
): WorkspaceEdit {
  const changes = edits.map(({ span, text }) => ({ range: asRange(document, span), newText: text }));
  if (creates.length === 0) return { changes: { [document.uri]: changes } };
  const start = { line: 0, character: 0 };
  return {
    documentChanges: [
      ...creates.flatMap((file): (CreateFile | TextDocumentEdit)[] => {
        const uri = pathToFileURL(join(index.rootOf(path) ?? dirname(path), file.path)).href;
        const whole = { range: { start, end: start }, newText: file.text };
        return [
          { kind: "create", uri, options: { ignoreIfExists: false } },
          { textDocument: { uri, version: null }, edits: [whole] },
        ];
      }),
      { textDocument: { uri: document.uri, version: null }, edits: changes },
    ],
  };
}
