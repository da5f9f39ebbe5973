import { formatting } from "../../features/formatting.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

export const formattingFeature: Feature = {
  capabilities: { documentFormattingProvider: true },
  register(session) {
    session.connection.onDocumentFormatting(({ textDocument }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      return formatting(open.context.spec).map(({ span, text }) => ({
        range: asRange(open.document, span),
        newText: text,
      }));
    });
  },
};
