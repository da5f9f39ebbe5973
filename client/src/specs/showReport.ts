import * as vscode from "vscode";
import { LensTarget } from "../../../shared/protocol/lsp.ts";
import type { Server } from "../connection/languageClient.ts";

/** Opens what a code lens stands for as a text beside the spec. Without an argument there is nothing to show. */
export async function showReport(
  server: Pick<Server, "report">,
  what: "rollouts" | "backtest",
  argument: unknown,
): Promise<void> {
  const target = LensTarget.safeParse(argument).data;
  if (!target) {
    void vscode.window.showInformationMessage(
      "Click the line that EvoTrainer shows above a label or a reward in a spec.",
    );
    return;
  }
  const { text } = await server.report(what, target);
  const language = what === "backtest" ? "yaml" : "plaintext";
  const document = await vscode.workspace.openTextDocument({ content: text, language });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}
