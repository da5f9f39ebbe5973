import {
  DocumentDiagnosticReportKind,
  type DocumentDiagnosticReport,
  type ServerCapabilities,
  type WorkspaceDocumentDiagnosticReport,
} from "vscode-languageserver/node";
import { createHash } from "node:crypto";
import { specKindOf } from "../syntax/specKind.ts";
import { findingsOf } from "./session/checks.ts";
import { pathOf, uriOf, type Session } from "./session/session.ts";

export const pullCapability: ServerCapabilities = {
  diagnosticProvider: {
    identifier: "evotrainer",
    interFileDependencies: true,
    workspaceDiagnostics: true,
  },
};

/** Findings for an editor that asks for them, of one file or of all; those that it has already are not sent again. */
export function answerPulls(session: Session): void {
  const { diagnostics } = session.connection.languages;

  diagnostics.on(({ textDocument, previousResultId }) => {
    const path = pathOf(textDocument.uri);
    return path === undefined ? full("", []) : reportOf(session, path, previousResultId);
  });

  diagnostics.onWorkspace(async ({ previousResultIds }) => {
    await session.ready;
    const previous = new Map(previousResultIds.map(({ uri, value }) => [uri, value]));
    const paths = session.index.paths.filter((path) => specKindOf(path) !== undefined);
    const items = paths.map((path): WorkspaceDocumentDiagnosticReport => {
      const uri = uriOf(session, path);
      const version = session.documents.get(uri)?.version ?? null;
      return { ...reportOf(session, path, previous.get(uri)), uri, version };
    });
    // What had findings and is gone has none.
    const known = new Set(items.map(({ uri }) => uri));
    const gone = [...previous.keys()].filter((uri) => !known.has(uri));
    return { items: [...items, ...gone.map((uri) => ({ ...full("", []), uri, version: null }))] };
  });
}

type Report = DocumentDiagnosticReport & { relatedDocuments?: never };

function reportOf(session: Session, path: string, previous: string | undefined): Report {
  const items = findingsOf(session, path);
  const resultId = createHash("sha256").update(JSON.stringify(items)).digest("hex").slice(0, 16);
  return resultId === previous
    ? { kind: DocumentDiagnosticReportKind.Unchanged, resultId }
    : full(resultId, items);
}

const full = (resultId: string, items: ReturnType<typeof findingsOf>) => ({
  kind: DocumentDiagnosticReportKind.Full as typeof DocumentDiagnosticReportKind.Full,
  resultId,
  items,
});
