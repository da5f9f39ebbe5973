import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
  StreamMessageReader,
  StreamMessageWriter,
  type InitializeResult,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import type { Rollout } from "../../shared/model/rollout.ts";
import { silentLog } from "../../server/src/base/log.ts";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { keepEngine } from "../../server/src/engine/owner/withEngine.ts";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { emptyLineage } from "../support/language/emptyLineage.ts";
import type { ReadLineage } from "../../server/src/language/lineage/lineageReply.ts";
import { openEngines } from "../../server/src/language/live/askEngine.ts";
import { startServer, type ServerDependencies } from "../../server/src/language/server.ts";
import { patience } from "../support/base/patience.ts";

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

  /** Waits until the published codes of a file are the expected ones; mocha's time limit ends the wait. */
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

const bundle = new URL("../../dist/server.cjs", import.meta.url).pathname;

/** The bundle as a separate process, and an editor connected to its standard input and output. */
export function connectBundle(): { readonly editor: Editor; readonly end: () => Promise<void> } {
  if (!existsSync(bundle)) throw new Error("dist/server.cjs is missing; run npm run build first.");
  const server = spawn(process.execPath, [bundle, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const reader = new StreamMessageReader(server.stdout);
  const editor = new Editor(createProtocolConnection(reader, new StreamMessageWriter(server.stdin)));
  const end = async (): Promise<void> => {
    const gone = once(server, "exit");
    server.kill("SIGKILL");
    await gone;
  };
  return { editor, end };
}

/** Asks again until the answer is complete: facts from the archive and effects of an edit come later. */
export async function until<T>(expected: RegExp, request: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 20_000 * patience; ;) {
    const answer = await request();
    const text = JSON.stringify(answer);
    if (expected.test(text)) return answer;
    if (Date.now() > deadline) throw new Error(`${text} is not ${String(expected)}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

/** A workspace's archive with rollouts of one version, in groups of four. */
export async function archiveOf(
  root: string,
  rollouts: readonly Partial<Rollout>[],
  version = "v1",
): Promise<void> {
  const place = placeOf(root);
  mkdirSync(place.evidenceRoot, { recursive: true });
  const owner = await keepEngine(place, { role: "verb" });
  const path = join(place.evidenceRoot, `${version}.jsonl`);
  const lines = rollouts.map((rollout, i) =>
    toLine(makeRollout({ id: `r-${i}`, split: "selection", group: `g-${i >> 2}`, ...rollout })),
  );
  writeFileSync(path, lines.join(""));
  await ingestFile(owner.store, { path, kind: "rollouts", version, run: "run-1" });
  await owner.close();
}

/** A server in this process with an editor connected to it. */
export function connectInMemory(
  readLineage: ReadLineage = emptyLineage,
  more: Pick<ServerDependencies, "readParent" | "askVersion"> = {},
): Editor {
  const [editorEnd, serverEnd] = duplexPair();
  const server: Connection = createConnection(serverEnd, serverEnd);
  startServer(server, { readLineage, askEngine: openEngines().ask, log: silentLog, ...more });
  return new Editor(createProtocolConnection(editorEnd, editorEnd));
}
