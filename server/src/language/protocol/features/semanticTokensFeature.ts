import { SemanticTokensBuilder } from "vscode-languageserver/node";
import { semanticTokens, tokenTypes } from "../../features/semanticTokens.ts";
import type { Feature } from "./feature.ts";
import { openSpec, type OpenSpec } from "../session/session.ts";

export const semanticTokensFeature: Feature = {
  capabilities: {
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [] },
      full: true,
      range: true,
    },
  },
  register(session) {
    const { semanticTokens: requests } = session.connection.languages;
    requests.on(({ textDocument }) => encoded(openSpec(session, textDocument)));
    requests.onRange(({ textDocument, range }) => {
      const open = openSpec(session, textDocument);
      return encoded(open, open && [range.start, range.end].map((place) => open.document.offsetAt(place)));
    });
  },
};

function encoded(
  open: OpenSpec | undefined,
  [from, to]: readonly (number | undefined)[] = [],
): { data: number[] } {
  const builder = new SemanticTokensBuilder();
  if (!open) return builder.build();
  const { document, context } = open;
  for (const { span, type } of semanticTokens(context.spec)) {
    if (span.end < (from ?? 0) || span.start > (to ?? Infinity)) continue;
    // A text may go over lines; a token of the protocol does not.
    let at = span.start;
    for (const line of context.spec.text.slice(span.start, span.end).split("\n")) {
      const blank = line.length - line.trimStart().length;
      const length = line.trimEnd().length - blank;
      const start = document.positionAt(at + blank);
      if (length > 0) builder.push(start.line, start.character, length, tokenTypes.indexOf(type), 0);
      at += line.length + 1;
    }
  }
  return builder.build();
}
