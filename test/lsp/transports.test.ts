import assert from "node:assert/strict";
import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import {
  createProtocolConnection,
  IPCMessageReader,
  IPCMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { sampleProject } from "../support/language/sampleProject.ts";
import { Editor, workspace } from "./connect.ts";

const dist = new URL("../../dist/", import.meta.url).pathname;
const bundle = join(dist, "server.cjs");
const cli = join(dist, "cli.cjs");

describe("dist/server.cjs over", () => {
  let files: ReturnType<typeof workspace>;
  let child: ChildProcess | undefined;
  before(() => assert.ok(existsSync(bundle) && existsSync(cli), "dist/ is not built; run npm run build"));
  beforeEach(() => {
    files = workspace({ ...sampleProject, "a.diagnostic.yaml": "apiVersion: evotrainer/v1\n" });
  });
  afterEach(() => {
    child?.kill("SIGKILL");
    files.remove();
  });

  /** The server answers, tells what it finds, and ends when it is told to. */
  async function serves(editor: Editor, server: ChildProcess): Promise<void> {
    await editor.initialize([files.root]);
    await editor.codes(files.uri("a.diagnostic.yaml"), ["schema", "schema", "schema"]);
    const gone = once(server, "exit");
    await editor.connection.sendRequest("shutdown");
    await editor.connection.sendNotification("exit");
    assert.deepEqual(await gone, [0, null]);
  }

  const listening: readonly (readonly [string, (at: string) => readonly string[], "port" | "path"])[] = [
    ["--socket=PORT", (at) => [bundle, `--socket=${at}`], "port"],
    ["--socket PORT", (at) => [bundle, "--socket", at], "port"],
    ["--pipe=NAME", (at) => [bundle, `--pipe=${at}`], "path"],
    ["evotrainer lsp --socket PORT", (at) => [cli, "lsp", "--socket", at], "port"],
  ];
  for (const [name, args, kind] of listening)
    it(name, async () => {
      const listener = createServer();
      const path = join(files.root, "lsp.sock");
      listener.listen(kind === "path" ? { path } : { port: 0, host: "127.0.0.1" });
      await once(listener, "listening");
      const address: AddressInfo | string | null = listener.address();
      const at = address !== null && typeof address === "object" ? String(address.port) : path;
      const connected = new Promise<Socket>((resolve) => listener.once("connection", resolve));
      const server = spawn(process.execPath, args(at), { stdio: ["ignore", "ignore", "inherit"] });
      child = server;
      const socket = await connected;
      const editor = new Editor(
        createProtocolConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket)),
      );
      await serves(editor, server);
      socket.destroy();
      listener.close();
    });

  it("--node-ipc", async () => {
    const server = fork(bundle, ["--node-ipc"], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child = server;
    const editor = new Editor(
      createProtocolConnection(new IPCMessageReader(server), new IPCMessageWriter(server)),
    );
    await serves(editor, server);
  });

  const started: readonly (readonly [string, readonly string[]])[] = [
    ["standard input and output, as evotrainer lsp", [cli, "lsp"]],
    ["standard input and output, as evotrainer lsp --stdio", [cli, "lsp", "--stdio"]],
  ];
  for (const [name, args] of started)
    it(name, async () => {
      const server = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
      child = server;
      const editor = new Editor(
        createProtocolConnection(
          new StreamMessageReader(server.stdout),
          new StreamMessageWriter(server.stdin),
        ),
      );
      await serves(editor, server);
    });

  it("a connection that breaks: ends", async () => {
    const server = spawn(process.execPath, [bundle, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    child = server;
    const gone = once(server, "exit");
    server.stdin.end();
    assert.deepEqual(await gone, [1, null]);
  });

  it("a connection whose editor died: ends, even if another process holds the connection open", async () => {
    const parent = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { stdio: "ignore" });
    const server = spawn(process.execPath, [bundle, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    child = server;
    const editor = new Editor(
      createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin)),
    );
    await editor.initialize([files.root], {}, { processId: parent.pid });
    await editor.codes(files.uri("a.diagnostic.yaml"), ["schema", "schema", "schema"]);
    const gone = once(server, "exit");
    parent.kill("SIGKILL");
    assert.deepEqual(await gone, [1, null]);
  });
});
