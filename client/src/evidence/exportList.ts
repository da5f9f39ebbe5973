import { counted } from "../../../shared/words/numbers.ts";
import { join } from "node:path";
import * as vscode from "vscode";
import type { EvidenceQuery } from "../../../shared/protocol/views/evidence.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";

/** Writes the rollouts of a list into a file that the person chooses; the engine writes it, and can be stopped. */
export async function exportList(server: Server, root: string, query: EvidenceQuery): Promise<void> {
  const name = `${query.version.replaceAll(/[^\w.-]+/g, "-")}.rollouts.jsonl`;
  const uri = await vscode.window.showSaveDialog({
    title: "Export Rollouts",
    defaultUri: vscode.Uri.file(join(root, name)),
    filters: { "JSON lines": ["jsonl"] },
  });
  if (!uri) return;
  const answer = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `Exporting rollouts to ${uri.fsPath}`,
      cancellable: true,
    },
    async (_, token) => {
      try {
        const question = {
          root,
          service: "rollouts.export",
          params: { ...query, path: uri.fsPath },
        } as const;
        return await askEngine(server, question, token);
      } catch (e) {
        if (token.isCancellationRequested) throw new vscode.CancellationError();
        throw e;
      }
    },
  );
  const { rollouts } = valueOf(answer);
  const chosen = await vscode.window.showInformationMessage(
    `Wrote ${counted(rollouts, "rollout")} to ${uri.fsPath}.`,
    "Open File",
  );
  if (chosen) await vscode.window.showTextDocument(uri);
}
