import { ErrorCodes, ResponseError, type TextEdit } from "vscode-languageserver/node";
import { renameable, renamed } from "../../features/rename.ts";
import type { Feature } from "./feature.ts";
import { asRange, locationOf, openSpec } from "../session/session.ts";

export const renameFeature: Feature = {
  capabilities: { renameProvider: { prepareProvider: true } },
  register(session) {
    session.connection.onPrepareRename(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      const found = open && renameable(open.context, open.document.offsetAt(position));
      if (!open || !found) return null;
      if (!found.ok) return new ResponseError(ErrorCodes.InvalidRequest, found.message);
      return { range: asRange(open.document, found.span), placeholder: found.name };
    });
    session.connection.onRenameRequest(({ textDocument, position, newName }) => {
      const open = openSpec(session, textDocument);
      if (!open) return null;
      const result = renamed(open.context, open.document.offsetAt(position), newName);
      if (!result.ok) return new ResponseError(ErrorCodes.InvalidParams, result.message);
      const changes: Record<string, TextEdit[]> = {};
      for (const edit of result.edits) {
        const place = locationOf(session, edit);
        if (place) (changes[place.uri] ??= []).push({ range: place.range, newText: edit.text });
      }
      return { changes };
    });
  },
};
