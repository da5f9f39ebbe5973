import * as vscode from "vscode";
import { askVersion } from "../engineAnswer.ts";
import type { Server } from "../languageClient.ts";
import { VersionFileAddress } from "../outside.ts";

export const versionFileScheme = "evotrainer-version";

type Asks = Pick<Server, "version" | "state">;

/** Files as versions have them, read from git by the language server, for the editor's diff. */
export class VersionFiles implements vscode.TextDocumentContentProvider {
  readonly #server: Asks;
  constructor(server: Asks) {
    this.#server = server;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { root, commit, path } = VersionFileAddress.parse(JSON.parse(uri.query));
    const answer = await askVersion(this.#server, { root, question: { ask: "file", commit, path } });
    if (answer.type === "none") throw new Error(`${answer.cause} ${answer.advice}`.trim());
    return answer.value.text;
  }
}

/** Opens what a version changed against another in the editor's own diff of several files; or one of the files. */
export async function openVersionDiff(
  server: Asks,
  root: string | undefined,
  { version, against, path }: { version: string; against?: string; path?: string },
): Promise<void> {
  const question = { ask: "change", version, ...(against === undefined ? {} : { against }) } as const;
  const answer = await askVersion(server, { ...(root === undefined ? {} : { root }), question });
  if (answer.type === "none") throw new Error(`${answer.cause} ${answer.advice}`.trim());
  const { value } = answer;
  const { against: other } = value;
  if (other === null || value.files.length === 0) {
    const why = other === null ? "has no parent to differ from" : `has the same files as ${other.version}`;
    void vscode.window.showInformationMessage(`${version} ${why}.`);
    return;
  }
  const at = (commit: string, name: string, file: string): vscode.Uri =>
    vscode.Uri.from({
      scheme: versionFileScheme,
      path: `/${encodeURIComponent(name)}/${file}`,
      query: JSON.stringify({ root: answer.root, commit, path: file }),
    });
  const title = `${other.version} ↔ ${value.version}`;
  const files = value.files.filter((file) => path === undefined || file.path === path);
  const resources = files.map(({ path: file, change }) => [
    vscode.Uri.joinPath(vscode.Uri.file(answer.root), file),
    change === "added" ? undefined : at(other.commit, other.version, file),
    change === "deleted" ? undefined : at(value.commit, value.version, file),
  ]);
  await vscode.commands.executeCommand("vscode.changes", title, resources);
}
