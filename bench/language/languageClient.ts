import { spawn, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  PublishDiagnosticsNotification,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";

/**
 * Runs in the server's process: writes down, when it is asked to, how much is in use after a collection, and how much the process
 * takes. It is required and not
 * imported, which would have the server's bundle scanned for its exports before it starts.
 */
const heapHook = `
  process.on("SIGUSR2", () => {
    gc();
    const { heapUsed, rss } = process.memoryUsage();
    require("node:fs").writeFileSync(process.env.EVOTRAINER_HEAP_FILE, heapUsed + " " + rss + "\\n");
  });`;

/** A language server in a process of its own, over standard input and output, with the least of an editor before it. */
export class LanguageClient {
  readonly connection: ProtocolConnection;
  readonly #child: ChildProcess;
  readonly #heapFile = join(
    tmpdir(),
    `evotrainer-heap-${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  readonly #published = new Map<string, readonly Diagnostic[]>();
  #told: () => void = () => undefined;

  constructor(script: string) {
    const hook = `${this.#heapFile}.cjs`;
    writeFileSync(hook, heapHook);
    const options = ["--expose-gc", "--require", hook];
    const child = spawn(process.execPath, [...options, script, "--stdio"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, EVOTRAINER_HEAP_FILE: this.#heapFile },
    });
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
  async start(
    root: string,
    settings: Readonly<Record<string, unknown>> = {},
    initializationOptions: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    this.connection.onRequest("workspace/configuration", ({ items }: { items: { section?: string }[] }) =>
      items.map(({ section = "" }) => settings[section] ?? null),
    );
    await this.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      initializationOptions,
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

  /** What the server holds in memory once what it has dropped was collected, in MB; of ours only. */
  async memory(): Promise<number> {
    return (await this.#measured()).heap;
  }

  /** What the whole process takes of the machine's memory after a collection, in MB. */
  async resident(): Promise<number> {
    return (await this.#measured()).resident;
  }

  async #measured(): Promise<{ readonly heap: number; readonly resident: number }> {
    for (const file of [this.#heapFile, `${this.#heapFile}.cjs`]) await rm(file, { force: true });
    this.#child.kill("SIGUSR2");
    for (;;) {
      const text = await readFile(this.#heapFile, "utf8").catch(() => "");
      if (text.endsWith("\n")) {
        const [heap = NaN, resident = NaN] = text.split(" ").map((bytes) => Number(bytes) / 2 ** 20);
        return { heap, resident };
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    this.connection.dispose();
    this.#child.kill();
    for (const file of [this.#heapFile, `${this.#heapFile}.cjs`]) await rm(file, { force: true });
  }
}
