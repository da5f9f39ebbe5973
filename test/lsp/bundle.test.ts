import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { withoutConnections } from "../support/base/connections.ts";
import { sampleProject } from "../support/language/sampleProject.ts";
import { LineageReply, lineageMethod } from "../../shared/protocol/lsp.ts";
import { Editor, workspace } from "./connect.ts";

const bundle = new URL("../../dist/server.cjs", import.meta.url).pathname;

/** The lineage is read from git: a project without a commit has none to read. */
function makeRepository(root: string): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], { cwd: root });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "start");
}

describe("dist/server.cjs", () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill("SIGKILL"));
  before(() => assert.ok(existsSync(bundle), "dist/server.cjs is missing; run npm run build"));

  it("serves an editor over standard input and output, connects to nothing, and ends with the editor", async () => {
    const files = workspace({ ...sampleProject, "a.diagnostic.yaml": "kind: Diagnostic\n" });
    makeRepository(files.root);
    const { env, attempts } = withoutConnections(files.root);
    const server = spawn(process.execPath, [bundle, "--stdio"], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child = server;
    let errors = "";
    server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const editor = new Editor(
      createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin)),
    );
    await editor.initialize([files.root]);
    await editor.codes(files.uri("a.diagnostic.yaml"), ["schema", "schema", "schema"]);
    const reply = LineageReply.parse(await editor.connection.sendRequest(lineageMethod, {}));
    assert.equal(reply.type, "lineage");
    assert.equal(reply.page.total, 0);
    const gone = once(server, "exit");
    await editor.connection.sendRequest("shutdown");
    await editor.connection.sendNotification("exit");
    assert.deepEqual(await gone, [0, null]);
    assert.equal(errors, "");
    assert.deepEqual(attempts(), []);
    files.remove();
  });

  it("says how to start it when a person starts it by hand", async () => {
    const server = spawn(process.execPath, [bundle], { stdio: ["ignore", "ignore", "pipe"] });
    child = server;
    let errors = "";
    server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    assert.deepEqual(await once(server, "close"), [2, null]);
    assert.match(errors, /--stdio/);
  });
});
