import { CompletionItemKind, type CompletionItem } from "vscode-languageserver/node";
import { complete } from "../features/completion.ts";
import { specKindIn } from "../syntax/specKind.ts";
import type { Feature } from "./feature.ts";
import { asRange } from "./session.ts";

export const completionFeature: Feature = {
  capabilities: { completionProvider: { triggerCharacters: [":", " ", "-"] } },
  register({ connection, documents }) {
    connection.onCompletion(({ textDocument, position }) => {
      const document = documents.get(textDocument.uri);
      const text = document?.getText() ?? "";
      const kind = document && specKindIn(document.uri, text);
      if (!document || !kind) return [];
      return complete({ kind, text }, document.offsetAt(position)).map((item): CompletionItem => ({
        label: item.label,
        kind: item.kind === "key" ? CompletionItemKind.Property : CompletionItemKind.EnumMember,
        detail: item.detail,
        ...(item.documentation !== undefined && { documentation: item.documentation }),
        sortText: `${item.required ? 0 : 1}${item.label}`,
        textEdit: { range: asRange(document, item.replace), newText: item.text },
      }));
    });
  },
};
