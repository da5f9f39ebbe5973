import * as vscode from "vscode";
import { inPalette } from "../../../shared/words/commandTitles.ts";
import type { HostReport } from "../../../shared/protocol/views/hosts.ts";
import { reportText } from "./hostRows.ts";

export const hostScheme = "evotrainer-host";

/** Reports about hosts as documents that can be read and not written. */
export class HostReports implements vscode.TextDocumentContentProvider {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #texts = new Map<string, string>();

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.#texts.get(path) ?? `Check the host again: “${inPalette("evotrainer.checkHost")}”.\n`;
  }

  /** Shows a report beside what is open, in the place of an older one about the same host. */
  async show(report: HostReport): Promise<void> {
    const uri = vscode.Uri.from({ scheme: hostScheme, path: `/${report.host}.txt` });
    this.#texts.set(uri.path, reportText(report, new Date()));
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
