import { CodeActionKind, type CodeAction } from "vscode-languageserver/node";
import { fixesFor } from "../features/codeActions.ts";
import { allRules } from "../ruleSet.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "./session.ts";

export const codeActionFeature: Feature = {
  capabilities: { codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] } },
  register(session) {
    session.connection.onCodeAction(({ textDocument, context: { diagnostics } }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { document, context } = open;
      return diagnostics
        .filter(({ source }) => source === "evotrainer")
        .flatMap((diagnostic) => {
          const data: unknown = diagnostic.data;
          return fixesFor(context, allRules, { code: diagnostic.code, data }).map(
            ({ title, edits }, i): CodeAction => ({
              title,
              kind: CodeActionKind.QuickFix,
              diagnostics: [diagnostic],
              isPreferred: i === 0,
              edit: {
                changes: {
                  [document.uri]: edits.map(({ span, text }) => ({
                    range: asRange(document, span),
                    newText: text,
                  })),
                },
              },
            }),
          );
        });
    });
  },
};
