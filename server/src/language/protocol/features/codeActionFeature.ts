import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  CodeActionKind,
  type CodeAction,
  type CodeActionContext,
  type TextDocumentEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import type { SpecAction } from "../../actions/action.ts";
import { fixesFor } from "../../features/codeActions.ts";
import { createSpecs } from "../../features/createSpec.ts";
import { diagnose } from "../../features/diagnostics.ts";
import { fixAll } from "../../features/fixAll.ts";
import { migrate } from "../../features/migrate.ts";
import { quarantine } from "../../features/quarantine.ts";
import { allRules } from "../../checks/ruleSet.ts";
import type { Feature } from "./feature.ts";
import { proposalActions } from "./proposalActions.ts";
import { asRange, openSpec, type OpenSpec, type Session } from "../session/session.ts";

const { QuickFix, Refactor, SourceFixAll } = CodeActionKind;

export const codeActionFeature: Feature = {
  capabilities: { codeActionProvider: { codeActionKinds: [QuickFix, Refactor, SourceFixAll] } },
  register(session) {
    session.connection.onCodeAction(({ textDocument, range, context: { diagnostics, only } }) => {
      const wants = (kind: string) => only?.some((o) => kind === o || kind.startsWith(`${o}.`)) ?? true;
      const document = session.documents.get(textDocument.uri);
      const proposed = document ? proposalActions(session, document, wants) : [];
      const open = openSpec(session, textDocument);
      if (!open) return proposed;
      const offset = open.document.offsetAt(range.start);
      return [
        ...(wants(QuickFix) ? fixes(session, open, diagnostics) : []),
        ...(wants(QuickFix) ? asActions(session, open, QuickFix, migrate(open.context.spec)) : []),
        ...(wants(QuickFix) ? asActions(session, open, QuickFix, createSpecs(open.context, offset)) : []),
        ...(wants(Refactor) ? asActions(session, open, Refactor, quarantine(open.context, offset)) : []),
        ...(wants(SourceFixAll) ? all(session, open) : []),
        ...proposed,
      ];
    });
  },
};

function fixes(
  session: Session,
  open: OpenSpec,
  diagnostics: CodeActionContext["diagnostics"],
): CodeAction[] {
  return diagnostics
    .filter(({ source }) => source === "evotrainer")
    .flatMap((diagnostic) => {
      const data: unknown = diagnostic.data;
      const found = fixesFor(open.context, allRules, { code: diagnostic.code, data });
      const actions = found.map(({ title, edits, creates = [] }) => ({ title, edits, creates }));
      return asActions(session, open, QuickFix, actions).map((action, i): CodeAction => ({
        ...action,
        diagnostics: [diagnostic],
        isPreferred: i === 0,
      }));
    });
}

function all(session: Session, open: OpenSpec): CodeAction[] {
  const edits = fixAll(open.context, allRules, diagnose(open.context, allRules));
  if (edits.length === 0) return [];
  return asActions(session, open, SourceFixAll, [
    { title: "Fix everything that has one fix", edits, creates: [] },
  ]);
}

function asActions(
  session: Session,
  open: OpenSpec,
  kind: string,
  actions: readonly SpecAction[],
): CodeAction[] {
  const { documentChanges, resourceOperations = [] } = session.client.workspace?.workspaceEdit ?? {};
  const canCreate = documentChanges === true && resourceOperations.includes("create");
  return actions
    .filter(({ creates }) => creates.length === 0 || canCreate)
    .filter(({ creates }) => !creates.some(({ path }) => existsSync(join(open.context.root ?? "", path))))
    .map((action) => ({ title: action.title, kind, edit: asEdit(open, action) }));
}

function asEdit({ document, context }: OpenSpec, { edits, creates }: SpecAction): WorkspaceEdit {
  const changes = edits.map(({ span, text }) => ({ range: asRange(document, span), newText: text }));
  if (creates.length === 0) return { changes: { [document.uri]: changes } };
  const start = { line: 0, character: 0 };
  return {
    documentChanges: [
      ...creates.flatMap(({ path, text }) => {
        const uri = pathToFileURL(join(context.root ?? "", path)).href;
        const fill: TextDocumentEdit = {
          textDocument: { uri, version: null },
          edits: [{ range: { start, end: start }, newText: text }],
        };
        return [{ kind: "create" as const, uri, options: { ignoreIfExists: false } }, fill];
      }),
      ...(changes.length > 0 ? [{ textDocument: { uri: document.uri, version: null }, edits: changes }] : []),
    ],
  };
}
