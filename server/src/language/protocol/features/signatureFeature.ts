import { MarkupKind } from "vscode-languageserver/node";
import { signatureHelp } from "../../features/signatureHelp.ts";
import type { Feature } from "./feature.ts";
import { openSpec } from "../session/session.ts";

export const signatureFeature: Feature = {
  capabilities: { signatureHelpProvider: { triggerCharacters: ["(", ","], retriggerCharacters: [")"] } },
  register(session) {
    session.connection.onSignatureHelp(({ textDocument, position }) => {
      const open = openSpec(session, textDocument);
      const help = open && signatureHelp(open.context.spec, open.document.offsetAt(position));
      if (!help) return null;
      return {
        signatures: help.signatures.map(({ label, doc, parameters }) => ({
          label,
          documentation: { kind: MarkupKind.Markdown, value: doc },
          parameters: parameters.map(([start, end]) => ({ label: [start, end] as [number, number] })),
        })),
        activeSignature: 0,
        activeParameter: help.parameter,
      };
    });
  },
};
