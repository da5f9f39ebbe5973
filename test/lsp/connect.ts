import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Duplex } from "node:stream";
import { pathToFileURL } from "node:url";
import {
  createConnection,
  PublishDiagnosticsNotification,
  type Connection,
  type Diagnostic,
} from "vscode-languageserver/node";
import {
  createProtocolConnection,
  type InitializeResult,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import { silentLog } from "../../server/src/base/log.ts";
import { emptyLineage } from "../../server/src/language/emptyLineage.ts";
import type { ReadLineage } from "../../server/src/language/lineageReply.ts";
import { askEngines } from "../../server/src/language/live/askEngine.ts";
import { startServer, type ServerDependencies } from "../../server/src/language/server.ts";

/** Two ends of a pipe inside this process. */
function duplexPair(): [Duplex, Duplex] {
  const make = (other: () => Duplex): Duplex =>
    new Duplex({
      read() {
        // Pushed from the other end.
      },
      write(chunk: Buffer, _encoding, done) {
        setImmediate(() => other().push(chunk));
        done();
      },
      final(done) {
        setImmediate(() => other().push(null));
        done();
      },
    });
  const a: Duplex = make(() => b);
  const b: Duplex = make(() => a);
  return [a, b];
}

/** A workspace folder with these files, on disk. */
export function workspace(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), "evotrainer-lsp-"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  return {
    root,
    write,
    uri: (file: string) => pathToFileURL(join(root, file)).href,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The editor's end of a connection: remembers what the server published and lets a test wait for it. */
export class Editor {
  readonly connection: ProtocolConnection;
  readonly #published = new Map<string, Diagnostic[]>();
  #waiting: (() => void)[] = [];

  constructor(connection: ProtocolConnection) {
    this.connection = connection;
    connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.#published.set(uri, diagnostics);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    });
    connection.listen();
  }

  async initialize(
    folders: readonly string[],
    initializationOptions: unknown = { trusted: true },
    more: object = {},
  ): Promise<InitializeResult> {
    const result = await this.connection.sendRequest<InitializeResult>("initialize", {
      processId: null,
      rootUri: null,
      capabilities: {},
      initializationOptions,
      workspaceFolders: folders.map((root) => ({ uri: pathToFileURL(root).href, name: "test" })),
      ...more,
    });
    await this.connection.sendNotification("initialized", {});
    return result;
  }

  open(uri: string, text: string): Promise<void> {
    return this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "evotrainer-spec", version: 1, text },
    });
  }

  change(uri: string, text: string, version = 2): Promise<void> {
    return this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  }

  /** The codes that are published for a file, as soon as they are the expected ones; mocha's time limit ends the wait. */
  async codes(uri: string, expected: readonly string[]): Promise<Diagnostic[]> {
    for (;;) {
      const diagnostics = this.#published.get(uri);
      const codes = diagnostics?.map(({ code }) => String(code));
      if (diagnostics && JSON.stringify(codes) === JSON.stringify(expected)) return diagnostics;
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  published(uri: string): readonly Diagnostic[] | undefined {
    return this.#published.get(uri);
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    this.connection.dispose();
  }
}

/** A server in this process with an editor connected to it. */
export function connectInMemory(
  readLineage: ReadLineage = emptyLineage,
  more: Pick<ServerDependencies, "readParent"> = {},
): Editor {
  const [editorEnd, serverEnd] = duplexPair();
  const server: Connection = createConnection(serverEnd, serverEnd);
  startServer(server, { readLineage, askEngine: askEngines(), log: silentLog, ...more });
  return new Editor(createProtocolConnection(editorEnd, editorEnd));
}
