import { MarkupKind } from "vscode-languageserver/node";
import { hover } from "../../features/hover.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

export const hoverFeature: Feature = {
  capabilities: { hoverProvider: true },
  register(session) {
    session.connection.onHover(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      const found = open && hover(open.context, open.document.offsetAt(position));
      return found
        ? {
            contents: { kind: MarkupKind.Markdown, value: found.markdown },
            range: asRange(open.document, found.span),
          }
        : null;
    });
  },
};
