import { definitionOf } from "../../features/definition.ts";
import type { Feature } from "./feature.ts";
import { locationsOf, openSpec } from "../session/session.ts";

export const definitionFeature: Feature = {
  capabilities: { definitionProvider: true },
  register(session) {
    session.connection.onDefinition(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      if (!open) return null;
      return locationsOf(session, definitionOf(open.context, open.document.offsetAt(position)));
    });
  },
};
