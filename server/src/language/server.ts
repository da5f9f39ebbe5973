import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  CodeActionKind,
  CompletionItemKind,
  DiagnosticSeverity,
  DidChangeWatchedFilesNotification,
  FileChangeType,
  MarkupKind,
  TextDocuments,
  TextDocumentSyncKind,
  type CodeAction,
  type Connection,
  type CreateFile,
  type Diagnostic,
  type InitializeResult,
  type Range,
  type TextDocumentEdit,
  type WorkspaceEdit,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import {
  InitializationOptions,
  lineageChangedMethod,
  lineageMethod,
  LineageParams,
  trustGrantedMethod,
  type LineageReply,
} from "../../../shared/protocol/lsp.ts";
import { messageOf } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { fixesFor } from "./features/codeActions.ts";
import { complete } from "./features/completion.ts";
import { diagnose } from "./features/diagnostics.ts";
import { hover } from "./features/hover.ts";
import { findSpecs, isSearched } from "./findSpecs.ts";
import { lineageReply, type ReadLineage } from "./lineageReply.ts";
import type { VersionFiles } from "./nearestVersion.ts";
import type { Fix } from "./rule.ts";
import { allRules } from "./ruleSet.ts";
import { SpecIndex } from "./specIndex.ts";
import type { Span } from "./syntax/parseSpec.ts";
import { specKindIn, specKindOf } from "./syntax/specKind.ts";

export type ServerDependencies = {
  readonly readLineage: ReadLineage;
  /** The version that a project's work tree goes on from; it runs git. Nothing is compared with a parent without it. */
  readonly readParent?: (root: string) => Promise<VersionFiles | undefined>;
  readonly log: Log;
};

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

/** Specs, files that they edit, and the refs that the lineage is made of. */
const watched = ["**/*.{yaml,yml,json}", "**/.git/refs/heads/evo/**", "**/.git/refs/heads/evotrainer/**"];
const isLineageRef = (path: string) => /[\\/]\.git[\\/]refs[\\/]heads[\\/]/.test(path);

/** How long the other specs wait while one is being typed. The typed one is checked at once. */
const settleMs = 150;

/**
 * Connects the language features with an editor. The only file that knows the protocol: everything behind it takes and
 * gives offsets and plain data. Nothing here writes, spawns or connects, so that it may run in an untrusted workspace.
 */
export function startServer(
  connection: Connection,
  { readLineage, readParent, log }: ServerDependencies,
): void {
  const documents = new TextDocuments(TextDocument);
  const index = new SpecIndex();
  const published = new Map<string, string>();
  const openUris = new Map<string, string>();
  let folders: readonly string[] = [];
  let trusted = false;
  let canWatch = false;
  let foldersChange = false;
  let canCreate = false;
  let ready: Promise<void> = Promise.resolve();
  let settling: NodeJS.Timeout | undefined;

  const pathOf = (uri: string): string | undefined => {
    try {
      return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
    } catch {
      // A file URI of another machine has no path here.
      return undefined;
    }
  };
  const uriOf = (path: string) => openUris.get(path) ?? pathToFileURL(path).href;
  const asDocument = (text: string) => TextDocument.create("", "", 0, text);
  const asRange = (document: TextDocument, { start, end }: Span): Range => ({
    start: document.positionAt(start),
    end: document.positionAt(end),
  });

  function check(path: string): void {
    const context = index.context(path);
    const document = asDocument(context?.spec.text ?? "");
    const diagnostics = (context ? diagnose(context, allRules) : []).map(
      ({ code, severity, span, message, data }): Diagnostic => ({
        range: asRange(document, span),
        severity: severities[severity],
        code,
        source: "evotrainer",
        message,
        data,
      }),
    );
    const uri = uriOf(path);
    const text = JSON.stringify(diagnostics);
    if ((published.get(uri) ?? "[]") === text) return;
    published.set(uri, text);
    void connection.sendDiagnostics({ uri, diagnostics });
  }

  /** New files are made beside the edits in one step; a client that cannot make files is offered no such fix. */
  function editOf(document: TextDocument, path: string, { edits, creates = [] }: Fix): WorkspaceEdit {
    const changes = edits.map(({ span, text }) => ({ range: asRange(document, span), newText: text }));
    if (creates.length === 0) return { changes: { [document.uri]: changes } };
    const start = { line: 0, character: 0 };
    return {
      documentChanges: [
        ...creates.flatMap((file): (CreateFile | TextDocumentEdit)[] => {
          const uri = pathToFileURL(join(index.rootOf(path) ?? dirname(path), file.path)).href;
          const whole = { range: { start, end: start }, newText: file.text };
          return [
            { kind: "create", uri, options: { ignoreIfExists: false } },
            { textDocument: { uri, version: null }, edits: [whole] },
          ];
        }),
        { textDocument: { uri: document.uri, version: null }, edits: changes },
      ],
    };
  }

  function checkAll(): void {
    clearTimeout(settling);
    settling = undefined;
    index.refresh();
    for (const path of index.paths) check(path);
  }

  function checkSoon(): void {
    clearTimeout(settling);
    settling = setTimeout(checkAll, settleMs);
  }

  async function scan(): Promise<void> {
    const start = performance.now();
    for (const folder of folders) for (const path of await findSpecs(folder)) index.add(path);
    log.info("index", "scanned", { specs: index.paths.length, ms: Math.round(performance.now() - start) });
    checkAll();
    void readParents();
  }

  /** Reads what the projects go on from, in a workspace that is trusted: git can be made to run anything. */
  async function readParents(): Promise<void> {
    if (!trusted || !readParent) return;
    for (const root of index.projects)
      try {
        index.noteParent(root, await readParent(root));
      } catch (e) {
        index.noteParent(root, undefined);
        log.info("parent", "unknown", { root, message: messageOf(e) });
      }
    checkSoon();
  }

  connection.onInitialize(({ workspaceFolders, capabilities, initializationOptions }): InitializeResult => {
    folders = (workspaceFolders ?? []).map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
    trusted = InitializationOptions.safeParse(initializationOptions).data?.trusted === true;
    canWatch = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    foldersChange = capabilities.workspace?.workspaceFolders === true;
    const { documentChanges, resourceOperations = [] } = capabilities.workspace?.workspaceEdit ?? {};
    canCreate = documentChanges === true && resourceOperations.includes("create");
    return {
      serverInfo: { name: "evotrainer" },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: [":", " ", "-"] },
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      },
    };
  });

  connection.onInitialized(() => {
    if (canWatch)
      void connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: watched.map((globPattern) => ({ globPattern })),
      });
    ready = scan();
    if (!foldersChange) return;
    connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      const gone = removed.map(({ uri }) => pathOf(uri));
      const fresh = added.map(({ uri }) => pathOf(uri)).filter((path) => path !== undefined);
      folders = [...folders.filter((path) => !gone.includes(path)), ...fresh];
      ready = scan();
      void connection.sendNotification(lineageChangedMethod);
    });
  });

  documents.onDidChangeContent(({ document }) => {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    openUris.set(path, document.uri);
    index.open(path, document.getText());
    check(path);
    checkSoon();
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
      if (!kind || !folders.some((folder) => isSearched(folder, path))) continue;
      lineageChanged ||= kind === "project";
      if (type === FileChangeType.Deleted) {
        index.remove(path);
        check(path);
      } else index.add(path);
    }
    if (lineageChanged) {
      void connection.sendNotification(lineageChangedMethod);
      void readParents();
    }
    checkSoon();
  });

  connection.onCompletion(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri);
    const text = document?.getText() ?? "";
    const kind = document && specKindIn(document.uri, text);
    if (!document || !kind) return [];
    return complete({ kind, text }, document.offsetAt(position)).map((item) => ({
      label: item.label,
      kind: item.kind === "key" ? CompletionItemKind.Property : CompletionItemKind.EnumMember,
      detail: item.detail,
      ...(item.documentation !== undefined && { documentation: item.documentation }),
      sortText: `${item.required ? 0 : 1}${item.label}`,
      textEdit: { range: asRange(document, item.replace), newText: item.text },
    }));
  });

  connection.onHover(({ textDocument, position }) => {
    const path = pathOf(textDocument.uri);
    const document = documents.get(textDocument.uri);
    const context = path === undefined ? undefined : index.context(path);
    const found = document && context && hover(context.spec, document.offsetAt(position));
    return found
      ? {
          contents: { kind: MarkupKind.Markdown, value: found.markdown },
          range: asRange(document, found.span),
        }
      : null;
  });

  connection.onCodeAction(({ textDocument, context: { diagnostics } }) => {
    const path = pathOf(textDocument.uri);
    const document = documents.get(textDocument.uri);
    const context = path === undefined ? undefined : index.context(path);
    if (!document || !context) return [];
    return diagnostics
      .filter(({ source }) => source === "evotrainer")
      .flatMap((diagnostic) => {
        const data: unknown = diagnostic.data;
        return fixesFor(context, allRules, { code: diagnostic.code, data })
          .filter(({ creates = [] }) => creates.length === 0 || canCreate)
          .map((fix, i): CodeAction => ({
            title: fix.title,
            kind: CodeActionKind.QuickFix,
            diagnostics: [diagnostic],
            isPreferred: i === 0,
            edit: editOf(document, path ?? "", fix),
          }));
      });
  });

  connection.onRequest(lineageMethod, async (params: unknown): Promise<LineageReply> => {
    await ready;
    const { root } = LineageParams.catch({}).parse(params ?? {});
    // Reading a lineage runs git, and a repository's own settings can make git run anything.
    if (!trusted) return { type: "untrusted" };
    const reply = await lineageReply(
      { folders: folders.length, projects: index.projects },
      root,
      readLineage,
    );
    if (reply.type === "unreadable")
      log.warn("lineage", "unreadable", { root: reply.root, message: reply.message });
    return reply;
  });

  connection.onNotification(trustGrantedMethod, () => {
    trusted = true;
    void connection.sendNotification(lineageChangedMethod);
    void readParents();
  });

  connection.onShutdown(() => clearTimeout(settling));
  documents.listen(connection);
  connection.listen();
}
