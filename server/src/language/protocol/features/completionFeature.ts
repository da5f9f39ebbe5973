import {
  CompletionItemKind,
  InsertTextFormat,
  InsertTextMode,
  type CompletionItem,
} from "vscode-languageserver/node";
import type { Completion } from "../../completion/item.ts";
import { complete } from "../../features/completion.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

const kinds: Readonly<Record<Completion["kind"], CompletionItemKind>> = {
  spec: CompletionItemKind.Snippet,
  key: CompletionItemKind.Property,
  value: CompletionItemKind.EnumMember,
  label: CompletionItemKind.Event,
  metric: CompletionItemKind.Unit,
  file: CompletionItemKind.File,
  folder: CompletionItemKind.Folder,
  path: CompletionItemKind.Reference,
  version: CompletionItemKind.Constant,
  variable: CompletionItemKind.Variable,
  field: CompletionItemKind.Field,
  function: CompletionItemKind.Function,
};

export const completionFeature: Feature = {
  capabilities: {
    completionProvider: { triggerCharacters: [":", " ", "-", ".", "/", '"', "'", "[", "("] },
  },
  register(session) {
    const hasSnippets = () =>
      session.client.textDocument?.completion?.completionItem?.snippetSupport === true;
    session.connection.onCompletion(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { document, context } = open;
      const all = complete(context, document.offsetAt(position));
      const items = all.length > most ? nearest(all, document.getText()) : all;
      const shown = items.slice(0, most).map((item): CompletionItem => {
        const isSnippet = item.snippet === true && hasSnippets();
        return {
          label: item.label,
          kind: kinds[item.kind],
          detail: item.detail,
          ...(item.documentation !== undefined && { documentation: item.documentation }),
          sortText: `${item.required ? 0 : 1}${item.label}`,
          // Lines below are indented as they have to be, whatever stands on this one.
          ...(item.text.includes("\n") && { insertTextMode: InsertTextMode.asIs }),
          insertTextFormat: isSnippet ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
          textEdit: {
            range: asRange(document, item.replace),
            newText:
              item.snippet === true && !isSnippet ? (item.plain ?? withoutHoles(item.text)) : item.text,
          },
        };
      });
      return { isIncomplete: items.length < all.length || items.length > most, items: shown };
    });
  },
};

/** More are not sent at once: the editor asks again as the word gets longer. */
const most = 200;

/** Those that begin with the word so far; all when none does. */
function nearest(all: readonly Completion[], text: string): readonly Completion[] {
  const begun = all.filter(({ label, replace }) => label.startsWith(text.slice(replace.start, replace.end)));
  return begun.length > 0 ? begun : all;
}

/** For an editor without snippets: the call with nothing between its parentheses. */
const withoutHoles = (snippet: string): string => snippet.replace(/\(.*\)$/s, "(");
