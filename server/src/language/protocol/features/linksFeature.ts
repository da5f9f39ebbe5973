import { pathToFileURL } from "node:url";
import { documentLinks } from "../../features/documentLinks.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

export const linksFeature: Feature = {
  capabilities: { documentLinkProvider: {} },
  register(session) {
    session.connection.onDocumentLinks(({ textDocument }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      return documentLinks(open.context).map(({ span, file }) => ({
        range: asRange(open.document, span),
        target: pathToFileURL(file).href,
      }));
    });
  },
};
