import { basename } from "node:path";
import { FileChangeType, WatchKind, type FileSystemWatcher } from "vscode-languageserver/node";
import { lineageChangedMethod } from "../../../../shared/protocol/lsp.ts";
import { findSpecs, isSearched } from "../specs/findSpecs.ts";
import { specKindOf } from "../syntax/specKind.ts";
import type { Checks } from "./session/checks.ts";
import { pathOf, uriOf, type Session } from "./session/session.ts";

/** Specs, files that they edit, the refs that the lineage is made of, and folders that come and go with all that is in them. */
export const watched: readonly FileSystemWatcher[] = [
  { globPattern: "**/*.{yaml,yml,json}" },
  { globPattern: "**/.git/refs/heads/evo/**" },
  { globPattern: "**/.git/refs/heads/evotrainer/**" },
  { globPattern: "**/*", kind: WatchKind.Create | WatchKind.Delete },
];
const isLineageRef = (path: string) => /[\\/]\.git[\\/]refs[\\/]heads[\\/]/.test(path);

/** Keeps the index as the editor's texts and the disk are, and has checked what that changes. */
export function syncDocuments(
  session: Session,
  checks: Checks,
  { rescan, lineageChanged }: { readonly rescan: () => void; readonly lineageChanged: () => void },
): void {
  const { connection, documents, index, openUris } = session;
  const { changed, tellAgain, takeBack } = checks;

  documents.onDidOpen(({ document: { uri } }) => {
    const path = pathOf(uri);
    if (path === undefined) return;
    // The same file under another URI: what was told about that one would stay behind.
    const before = uriOf(session, path);
    if (before !== uri) takeBack(before);
    openUris.set(path, uri);
    tellAgain(uri);
    if (!session.watches) rescan();
  });

  documents.onDidChangeContent(({ document }) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    openUris.set(path, document.uri);
    index.open(path, document.getText());
    changed(path);
  });

  documents.onDidSave(() => {
    if (!session.watches) rescan();
  });

  documents.onDidClose(({ document: { uri } }) => {
    const path = pathOf(uri);
    if (path === undefined) return;
    const still = documents.all().find((other) => other.uri !== uri && pathOf(other.uri) === path);
    if (still) {
      openUris.set(path, still.uri);
      index.open(path, still.getText());
    } else {
      openUris.delete(path);
      index.close(path);
    }
    if (uriOf(session, path) !== uri) takeBack(uri);
    else tellAgain(uri);
    changed(path);
  });

  connection.onDidChangeWatchedFiles(({ changes }) => {
    let isOtherLineage = false;
    for (const { uri, type } of changes) {
      const path = pathOf(uri);
      if (path === undefined) continue;
      const kind = specKindOf(path);
      isOtherLineage ||= isLineageRef(path);
      // The runs of the engine hold checkouts of every version: those are not the project.
      if (!session.folders.some((folder) => isSearched(folder, path))) continue;
      isOtherLineage ||= kind === "project";
      // A folder is one event, whatever is or was in it.
      const mayBeFolder = !basename(path).includes(".");
      if (mayBeFolder && type === FileChangeType.Created) void lookInto(path);
      const gone = mayBeFolder && type === FileChangeType.Deleted ? index.below(path) : [];
      isOtherLineage ||= gone.some((file) => specKindOf(file) === "project");
      for (const file of gone) index.remove(file);
      if (kind && type === FileChangeType.Deleted) index.remove(path);
      else if (kind) index.add(path);
      else index.forget(path);
      for (const file of [...gone, path]) changed(file);
    }
    if (isOtherLineage) tellLineage();
  });

  function tellLineage(): void {
    void connection.sendNotification(lineageChangedMethod);
    lineageChanged();
  }

  /** Takes up the specs of a folder that came: what came in it at once may not have been told. */
  async function lookInto(folder: string): Promise<void> {
    const found = await findSpecs(folder);
    const fresh = found.filter((path) => !index.has(path));
    for (const path of fresh) index.add(path);
    for (const path of fresh) changed(path);
    if (fresh.some((path) => specKindOf(path) === "project")) tellLineage();
  }
}
