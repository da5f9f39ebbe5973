import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
} from "vscode-languageserver-protocol/node";
import { seededRandom } from "../../server/src/base/random.ts";
import { checkSpecs } from "../../server/src/language/checks/checkSpecs.ts";
import { Editor, workspace } from "./connect.ts";
import { answerServer, FuzzingEditor } from "./fuzzTraffic.ts";
import { fuzzProject } from "./fuzzTexts.ts";
import { patience } from "../support/base/patience.ts";

const bundle = new URL("../../dist/server.cjs", import.meta.url).pathname;
/** Longer by hand: EVOTRAINER_FUZZ_SECONDS=600, with a seed of its own each time or the one of EVOTRAINER_FUZZ_SEED. */
const asked = Number(process.env.EVOTRAINER_FUZZ_SECONDS ?? NaN);
const seconds = Number.isFinite(asked) && asked > 0 ? asked : 15;
const seed = Number(process.env.EVOTRAINER_FUZZ_SEED ?? (Number.isFinite(asked) ? Date.now() % 1e9 : 20));

const ofDiagnostic = ({ range: { start }, code, message }: Diagnostic) =>
  `${start.line + 1}:${start.character + 1} ${String(code)} ${typeof message === "string" ? message : message.value}`;

/** What a server that has just started would tell about the same texts. */
async function freshly(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string[]>> {
  const copy = workspace(Object.fromEntries(texts));
  const found = new Map<string, string[]>();
  for (const { file, line, column, code, message } of await checkSpecs(copy.root))
    found.set(file, [...(found.get(file) ?? []), `${line}:${column} ${code} ${message}`]);
  copy.remove();
  return found;
}

describe("dist/server.cjs with an editor that sends anything", () => {
  before(() => assert.ok(existsSync(bundle), "dist/server.cjs is missing; run npm run build"));

  it(`continues to answer, and reports for the last texts what a fresh check reports (seed ${seed}, ${seconds} s)`, async function () {
    this.timeout(seconds * 1000 + 60_000);
    const files = workspace(fuzzProject);
    const server = spawn(process.execPath, [bundle, "--stdio"], { stdio: ["pipe", "pipe", "pipe"] });
    let errors = "";
    server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const gone = once(server, "exit");
    try {
      const connection = createProtocolConnection(
        new StreamMessageReader(server.stdout),
        new StreamMessageWriter(server.stdin),
      );
      connection.onError(() => undefined);
      answerServer(connection, files.root);
      const editor = new Editor(connection);
      await editor.initialize(
        [files.root],
        {},
        { capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: seed % 2 === 0 } } } },
      );
      const fuzzing = new FuzzingEditor(seededRandom(seed), connection, files);
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until) {
        assert.equal(server.exitCode, null, `The server ended after ${fuzzing.sent} messages: ${errors}`);
        await Promise.race([fuzzing.burst(), gone]);
      }
      const texts = await fuzzing.settle();
      const expected = await freshly(texts);
      const files_ = [...new Set([...texts.keys(), ...Object.keys(fuzzProject), "new.diagnostic.yaml"])];
      const told = () =>
        Object.fromEntries(
          files_.map((file) => [file, (editor.published(files.uri(file)) ?? []).map(ofDiagnostic)]),
        );
      const wanted = Object.fromEntries(files_.map((file) => [file, expected.get(file) ?? []]));
      const deadline = performance.now() + 20_000 * patience;
      while (JSON.stringify(told()) !== JSON.stringify(wanted) && performance.now() < deadline)
        await editor.connection.sendRequest("workspace/symbol", { query: "a" });
      assert.deepEqual(told(), wanted);
      assert.ok(fuzzing.sent > 100, String(fuzzing.sent));
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      assert.deepEqual(await gone, [0, null]);
      assert.equal(errors, "");
    } finally {
      server.kill("SIGKILL");
      files.remove();
    }
  });
});
