import * as vscode from "vscode";
import { answered, askVersion, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { VersionFileAddress } from "../shell/inputSchemas.ts";
import { addressIn } from "../shell/addresses.ts";
import { KnownFailure } from "../shell/failures.ts";

export const versionFileScheme = "evotrainer-version";

type Asks = Pick<Server, "version" | "state">;

/** Files as versions have them, read from git by the language server, for the editor's diff. */
export class VersionFiles implements vscode.TextDocumentContentProvider {
  readonly #server: Asks;
  constructor(server: Asks) {
    this.#server = server;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = addressIn(uri, VersionFileAddress);
    if (!address) throw new KnownFailure(`${uri.toString(true)} is not the address of a version's file.`);
    const { root, commit, path } = address;
    const answer = await askVersion(this.#server, { root, question: { ask: "file", commit, path } });
    return valueOf(answer).text;
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
  const { root: at, value } = answered(answer);
  const { against: other } = value;
  if (other === null || value.files.length === 0) {
    const why = other === null ? "has no parent to differ from" : `has the same files as ${other.version}`;
    void vscode.window.showInformationMessage(`${version} ${why}.`);
    return;
  }
  const uriOf = (commit: string, name: string, file: string): vscode.Uri =>
    vscode.Uri.from({
      scheme: versionFileScheme,
      path: `/${encodeURIComponent(name)}/${file}`,
      query: JSON.stringify({ root: at, commit, path: file }),
    });
  const title = `${other.version} ↔ ${value.version}`;
  const files = value.files.filter((file) => path === undefined || file.path === path);
  const resources = files.map(({ path: file, change }) => [
    vscode.Uri.joinPath(vscode.Uri.file(at), file),
    change === "added" ? undefined : uriOf(other.commit, other.version, file),
    change === "deleted" ? undefined : uriOf(value.commit, value.version, file),
  ]);
  await vscode.commands.executeCommand("vscode.changes", title, resources);
}
