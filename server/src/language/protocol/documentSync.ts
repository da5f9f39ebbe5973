import { FileChangeType } from "vscode-languageserver/node";
import { lineageChangedMethod } from "../../../../shared/protocol/lsp.ts";
import { isSearched } from "../findSpecs.ts";
import { specKindOf } from "../syntax/specKind.ts";
import type { Checks } from "./checks.ts";
import { pathOf, type Session } from "./session.ts";

/** Specs, files that they edit, and the refs that the lineage is made of. */
export const watched = [
  "**/*.{yaml,yml,json}",
  "**/.git/refs/heads/evo/**",
  "**/.git/refs/heads/evotrainer/**",
];
const isLineageRef = (path: string) => /[\\/]\.git[\\/]refs[\\/]heads[\\/]/.test(path);

/** Keeps the index as the editor's texts and the disk are, and has checked what that changes. */
export function syncDocuments(session: Session, { check, checkSoon }: Checks): void {
  const { connection, documents, index, openUris } = session;

  documents.onDidChangeContent(({ document }) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    openUris.set(path, document.uri);
    const before = index.neighbours(path);
    index.open(path, document.getText());
    if (specKindOf(path)) check(path);
    const after = index.neighbours(path);
    // A name that comes or goes may matter to specs that do not have it: of those nothing is known beforehand.
    const all = before.definitions !== after.definitions || specKindOf(path) === "project";
    checkSoon({ files: [...before.files, ...after.files], all });
  });

  documents.onDidClose(({ document }) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    index.close(path);
    check(path);
    openUris.delete(path);
    checkSoon();
  });

  connection.onDidChangeWatchedFiles(({ changes }) => {
    let lineageChanged = false;
    for (const { uri, type } of changes) {
      const path = pathOf(uri);
      if (path === undefined) continue;
      const kind = specKindOf(path);
      lineageChanged ||= isLineageRef(path);
      // The runs of the engine hold checkouts of every version: those are not the project.
      if (!kind || !session.folders.some((folder) => isSearched(folder, path))) continue;
      lineageChanged ||= kind === "project";
      if (type === FileChangeType.Deleted) {
        index.remove(path);
        check(path);
      } else index.add(path);
    }
    if (lineageChanged) void connection.sendNotification(lineageChangedMethod);
    checkSoon();
  });
}
