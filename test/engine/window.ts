import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import { z } from "zod";
import { engineMethod } from "../../shared/protocol/lsp.ts";
import type { AllServices, ServiceName } from "../../shared/protocol/services.ts";
import { engineReply, type EngineReply } from "../../shared/protocol/services/service.ts";
import { strictly } from "./strictly.ts";

const server = resolve(import.meta.dirname, "../../dist/server.cjs");
const Reply = engineReply(z.unknown());

/** The built language server as an editor starts it, asked for services of one project. */
export class Window {
  readonly #child: ChildProcess;
  readonly #connection: ProtocolConnection;

  constructor(root: string, trusted = true) {
    if (!existsSync(server)) throw new Error("dist/server.cjs is missing; run npm run build first.");
    this.#child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
    const { stdin, stdout } = this.#child;
    assert.ok(stdin && stdout);
    this.#connection = createProtocolConnection(
      new StreamMessageReader(stdout),
      new StreamMessageWriter(stdin),
    );
    this.#connection.listen();
    const uri = pathToFileURL(root).href;
    this.started = this.#connection
      .sendRequest("initialize", {
        processId: process.pid,
        capabilities: {},
        rootUri: uri,
        workspaceFolders: [{ uri, name: "toy" }],
        initializationOptions: { trusted },
      })
      .then(() => this.#connection.sendNotification("initialized", {}));
  }
  readonly started: Promise<void>;

  async reply(service: string, params: unknown = {}): Promise<EngineReply<unknown>> {
    await this.started;
    return Reply.parse(await this.#connection.sendRequest(engineMethod, { service, params }));
  }
  /** The answer of a service, as its contract describes it. */
  async ask<N extends ServiceName>(service: N, params: unknown = {}): Promise<AllServices[N]["result"]> {
    const reply = await this.reply(service, params);
    assert.ok(reply.type === "answer", JSON.stringify(reply));
    return strictly(service, reply.result);
  }
  get pid(): number | undefined {
    return this.#child.pid;
  }
  kill(): void {
    this.#child.kill("SIGKILL");
  }
  /** Ends as an editor ends it: what it holds is given back. */
  async end(): Promise<void> {
    const gone = once(this.#child, "exit");
    await this.#connection.sendRequest("shutdown");
    await this.#connection.sendNotification("exit");
    await gone;
  }
}
