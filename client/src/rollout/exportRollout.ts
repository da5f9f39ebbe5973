import { join } from "node:path";
import * as vscode from "vscode";
import type { ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import { rolloutMarkdown } from "./rolloutMarkdown.ts";

/** Writes a trajectory into a file that the person chooses: JSON as the evidence contract has it, or Markdown to be read. */
export async function exportRollout(root: string, shown: ShownRollout): Promise<void> {
  const { run, id } = shown.rollout;
  const name = `${run}-${id}`.replaceAll(/[^\w.-]+/g, "-").slice(0, 100);
  const uri = await vscode.window.showSaveDialog({
    title: "Export Rollout",
    defaultUri: vscode.Uri.file(join(root, `${name}.json`)),
    filters: { JSON: ["json"], Markdown: ["md"] },
  });
  if (!uri) return;
  const text = uri.path.endsWith(".md")
    ? rolloutMarkdown(shown)
    : `${JSON.stringify(shown.rollout, null, 2)}\n`;
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const chosen = await vscode.window.showInformationMessage(
    `Wrote the rollout to ${uri.fsPath}.`,
    "Open File",
  );
  if (chosen) await vscode.window.showTextDocument(uri);
}
