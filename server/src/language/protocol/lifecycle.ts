import { resolve } from "node:path";
import {
  DidChangeWatchedFilesNotification,
  PositionEncodingKind,
  TextDocumentSyncKind,
  type InitializeParams,
  type InitializeResult,
  type ServerCapabilities,
} from "vscode-languageserver/node";
import { InitializationOptions, lineageChangedMethod } from "../../../../shared/protocol/lsp.ts";
import { findSpecs } from "../specs/findSpecs.ts";
import { allFeatures } from "./features/allFeatures.ts";
import type { Checks } from "./session/checks.ts";
import { watched } from "./documentSync.ts";
import { pullCapability } from "./pullDiagnostics.ts";
import { pathOf, type Session } from "./session/session.ts";

/** What the server can do, all features together. */
const capabilities: ServerCapabilities = allFeatures.reduce<ServerCapabilities>(
  (all, feature) => ({
    ...all,
    ...feature.capabilities,
    workspace: { ...all.workspace, ...feature.capabilities.workspace },
  }),
  {
    // Every client has to know this one; it is what the library counts in.
    positionEncoding: PositionEncodingKind.UTF16,
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  },
);

/** The folders of a client: several, or the one of older protocols, or none. */
function foldersOf(params: InitializeParams): string[] {
  const { workspaceFolders } = params;
  if (Array.isArray(workspaceFolders) && workspaceFolders.length > 0)
    return workspaceFolders.flatMap(({ uri }) => folderOf(uri));
  const { rootUri, rootPath } = oldRoot(params);
  if (typeof rootUri === "string") return folderOf(rootUri);
  return typeof rootPath === "string" && rootPath !== "" ? [resolve(rootPath)] : [];
}

/** The path of a folder's URI without a slash at its end; nothing for one that is on no disk of this machine. */
function folderOf(uri: string): string[] {
  const path = pathOf(uri);
  return path === undefined ? [] : [resolve(path)];
}

/** What clients without workspace folders send; the protocol says that it is out of date. */
function oldRoot(params: object): { readonly rootUri: unknown; readonly rootPath: unknown } {
  return { rootUri: Reflect.get(params, "rootUri"), rootPath: Reflect.get(params, "rootPath") };
}

export type Lifecycle = {
  /** Searches the folders again: for editors that do not tell what happens on disk. */
  readonly rescan: () => void;
};

/** The connection from its first request to its last: folders, capabilities of both sides, trust. */
export function followLifecycle(session: Session, checks: Checks, scanned: () => void): Lifecycle {
  const { connection, index, log } = session;
  let scanning = false;
  let again = false;

  /** Searches the folders for specs and checks all; what is no longer there, or no longer in a folder, is forgotten. */
  async function scan(): Promise<void> {
    const start = performance.now();
    const found = new Set<string>();
    for (const folder of session.folders) for (const path of await findSpecs(folder)) found.add(path);
    // Files are looked at when they change, where that is told.
    index.changesAreTold(session.watches ? session.folders : []);
    const known = index.paths;
    for (const path of found) index.add(path);
    const gone = known.filter((path) => !found.has(path));
    for (const path of gone) index.remove(path);
    log.info("index", "scanned", { specs: found.size, ms: Math.round(performance.now() - start) });
    for (const path of gone) checks.changed(path);
    void checks.checkAll();
    scanned();
  }

  function rescan(): void {
    if (scanning) {
      again = true;
      return;
    }
    scanning = true;
    session.ready = scan().finally(() => {
      scanning = false;
      if (again) rescan();
      again = false;
    });
  }

  connection.onInitialize((params): InitializeResult => {
    session.folders = foldersOf(params);
    const options = InitializationOptions.safeParse(params.initializationOptions).data;
    session.trusted = options?.trusted === true;
    session.pullsDiagnostics = options?.diagnostics === "pull";
    session.prompts = options?.prompts === true;
    session.showsLenses = options?.lenses === true;
    session.hosts = options?.hosts;
    session.client = params.capabilities;
    session.watches = params.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      serverInfo: { name: "evotrainer" },
      capabilities: { ...capabilities, ...(session.pullsDiagnostics && pullCapability) },
    };
  });

  connection.onInitialized(() => {
    if (session.watches)
      connection.client
        .register(DidChangeWatchedFilesNotification.type, { watchers: [...watched] })
        .catch((error: unknown) => {
          session.watches = false;
          index.changesAreTold([]);
          log.warn("watch", "refused by the editor", { error: String(error) });
        });
    rescan();
    if (session.client.workspace?.workspaceFolders !== true) return;
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const gone = removed.flatMap(({ uri }) => folderOf(uri));
      const fresh = added.flatMap(({ uri }) => folderOf(uri));
      session.folders = [...session.folders.filter((path) => !gone.includes(path)), ...fresh];
      rescan();
      void connection.sendNotification(lineageChangedMethod);
    });
  });

  connection.onShutdown(checks.stop);
  return { rescan };
}
