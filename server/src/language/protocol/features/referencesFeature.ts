import { DocumentHighlightKind } from "vscode-languageserver/node";
import { highlightsOf, referencesOf } from "../../features/references.ts";
import type { Feature } from "./feature.ts";
import { asRange, locationsOf, openSpec } from "../session/session.ts";

export const referencesFeature: Feature = {
  capabilities: { referencesProvider: true, documentHighlightProvider: true },
  register(session) {
    session.connection.onReferences(({ textDocument, position, context: { includeDeclaration } }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const offset = open.document.offsetAt(position);
      return locationsOf(session, referencesOf(open.context, offset, { definitions: includeDeclaration }));
    });
    session.connection.onDocumentHighlight(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { context, document } = open;
      return highlightsOf(context, document.offsetAt(position)).map(({ span, role }) => ({
        range: asRange(document, span),
        kind: role === "definition" ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
      }));
    });
  },
};
