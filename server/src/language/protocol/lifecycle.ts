import {
  DidChangeWatchedFilesNotification,
  TextDocumentSyncKind,
  type InitializeResult,
  type ServerCapabilities,
} from "vscode-languageserver/node";
import { InitializationOptions, lineageChangedMethod } from "../../../../shared/protocol/lsp.ts";
import { findSpecs } from "../findSpecs.ts";
import { allFeatures } from "./allFeatures.ts";
import type { Checks } from "./checks.ts";
import { watched } from "./documentSync.ts";
import { pullCapability } from "./pullDiagnostics.ts";
import { pathOf, type Session } from "./session.ts";

/** What the server can do, all features together. */
const capabilities: ServerCapabilities = allFeatures.reduce<ServerCapabilities>(
  (all, feature) => ({
    ...all,
    ...feature.capabilities,
    workspace: { ...all.workspace, ...feature.capabilities.workspace },
  }),
  {
    textDocumentSync: TextDocumentSyncKind.Incremental,
    workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
  },
);

/** The connection from its first request to its last: folders, capabilities of both sides, trust. */
export function followLifecycle(session: Session, checks: Checks): void {
  const { connection, index, log } = session;

  async function scan(): Promise<void> {
    const start = performance.now();
    for (const folder of session.folders) for (const path of await findSpecs(folder)) index.add(path);
    log.info("index", "scanned", { specs: index.paths.length, ms: Math.round(performance.now() - start) });
    checks.checkAll();
  }

  connection.onInitialize(
    ({ workspaceFolders, capabilities: client, initializationOptions }): InitializeResult => {
      session.folders = (workspaceFolders ?? [])
        .map(({ uri }) => pathOf(uri))
        .filter((path) => path !== undefined);
      const options = InitializationOptions.safeParse(initializationOptions).data;
      session.trusted = options?.trusted === true;
      session.pullsDiagnostics = options?.diagnostics === "pull";
      session.client = client;
      return {
        serverInfo: { name: "evotrainer" },
        capabilities: { ...capabilities, ...(session.pullsDiagnostics && pullCapability) },
      };
    },
  );

  connection.onInitialized(() => {
    const { workspace } = session.client;
    if (workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      void connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: watched.map((globPattern) => ({ globPattern })),
      });
    session.ready = scan();
    if (workspace?.workspaceFolders !== true) return;
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const gone = removed.map(({ uri }) => pathOf(uri));
      const fresh = added.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
      session.folders = [...session.folders.filter((path) => !gone.includes(path)), ...fresh];
      session.ready = scan();
      void connection.sendNotification(lineageChangedMethod);
    });
  });

  connection.onShutdown(checks.stop);
}
