import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";

/** A language server in a process of its own, over standard input and output, with the least of an editor before it. */
export class LanguageClient {
  readonly connection: ProtocolConnection;
  readonly #child: ChildProcess;
  readonly #published = new Map<string, readonly Diagnostic[]>();
  #told: () => void = () => undefined;

  constructor(script: string) {
    const child = spawn(process.execPath, [script, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.connection = createProtocolConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    this.connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      this.#published.set(uri, diagnostics);
      this.#told();
    });
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.listen();
  }

  /** `settings` answers what the server asks for, by section. */
  async start(root: string, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.connection.onRequest("workspace/configuration", ({ items }: { items: { section?: string }[] }) =>
      items.map(({ section = "" }) => settings[section] ?? null),
    );
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      workspaceFolders: [{ uri: pathToFileURL(root).href, name: "bench" }],
      capabilities: {
        workspace: {
          configuration: true,
          workspaceFolders: true,
          didChangeWatchedFiles: { dynamicRegistration: true },
        },
        textDocument: { publishDiagnostics: {} },
      },
    });
    await this.connection.sendNotification("initialized", {});
  }

  open(uri: string, text: string, languageId: string): Promise<void> {
    return this.connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId, version: 1, text },
    });
  }

  /** Replaces a part of one line, as a keystroke does. */
  replace(
    uri: string,
    version: number,
    at: { readonly line: number; readonly from: number; readonly to: number; readonly text: string },
  ): Promise<void> {
    const range = {
      start: { line: at.line, character: at.from },
      end: { line: at.line, character: at.to },
    };
    return this.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ range, text: at.text }],
    });
  }

  count(uri: string): number {
    return this.#published.get(uri)?.length ?? 0;
  }

  /** How many files have findings. */
  get filesWithFindings(): number {
    let n = 0;
    for (const { length } of this.#published.values()) if (length > 0) n++;
    return n;
  }

  /** Ends when something that was published makes this true; a minute without is a failure. */
  async until(holds: () => boolean): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const never = new Promise<never>((_, reject) => {
      late = setTimeout(
        () => reject(new Error("The language server did not tell what was waited for.")),
        60_000,
      );
    });
    try {
      while (!holds()) await Promise.race([new Promise<void>((resolve) => (this.#told = resolve)), never]);
    } finally {
      clearTimeout(late);
    }
  }

  /** Resident memory of the server in MB. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid ?? 0}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? NaN) / 1024;
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    this.connection.dispose();
    this.#child.kill();
  }
}
