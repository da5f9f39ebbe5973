import { InlayHintKind, type Command } from "vscode-languageserver/node";
import { backtestCommand, showRolloutsCommand } from "../../../../../shared/protocol/views/lensCommands.ts";
import type { LensTarget } from "../../../../../shared/protocol/lsp.ts";
import { codeLenses, type CodeLens } from "../../features/codeLenses.ts";
import { inlayHints } from "../../features/inlayHints.ts";
import type { Feature } from "./feature.ts";
import { asRange, openSpec } from "../session/session.ts";

const commands = { showRollouts: showRolloutsCommand, backtest: backtestCommand } as const;

export const hintsFeature: Feature = {
  capabilities: { inlayHintProvider: true, codeLensProvider: { resolveProvider: false } },
  register(session) {
    const { connection } = session;
    connection.languages.inlayHint.on(({ textDocument, range }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { document, context } = open;
      const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
      // A lens says it above the condition, in sight however long that is.
      const isSaid = session.showsLenses && context.spec.kind === "diagnostic";
      const effect = isSaid ? undefined : session.effectOf(context.file);
      return inlayHints(context, { start, end }, effect).map(({ at, text, tooltip }) => ({
        position: document.positionAt(at),
        label: text,
        kind: InlayHintKind.Type,
        paddingLeft: true,
        tooltip,
      }));
    });
    connection.onCodeLens(({ textDocument }) => {
      const open = openSpec(session, textDocument);
      if (!open) return [];
      const { document, context } = open;
      return codeLenses(context, session.effectOf(context.file)).map((lens) => ({
        range: asRange(document, lens.span),
        command: commandOf(lens, context.root),
      }));
    });
  },
};

/** A lens without a command is only text. */
function commandOf({ title, action, subject }: CodeLens, root: string | undefined): Command {
  if (action === undefined || root === undefined) return { title, command: "" };
  const target: LensTarget = { root, subject };
  return { title, command: commands[action], arguments: [target] };
}
