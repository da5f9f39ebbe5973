import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { placeOf } from "../../server/src/engine/owner/place.ts";
import { keepEngine } from "../../server/src/engine/owner/withEngine.ts";
import { ingestFile } from "../../server/src/evidence/ingest.ts";
import { makeRollout, toLine } from "../../server/src/evidence/testEvidence.ts";
import { namedProject } from "../../server/src/language/testing/openProject.ts";
import { sampleProject } from "../../server/src/language/testing/sampleProject.ts";
import { Editor, workspace } from "./connect.ts";

const bundle = new URL("../../dist/server.cjs", import.meta.url).pathname;
const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";
const reward = "harness/main.reward.yaml";
const all = { ...sampleProject, ...namedProject };
const textOf = (file: string) => all[file] ?? "";

/** A request about a place of a file, and what its answer has to say. */
const requests: readonly (readonly [string, string, string, RegExp, object?])[] = [
  ["completion", worse, 'rate("loops', /"label":"loops"/],
  ["hover", fewer, "targets: [lo", /label of this project/],
  ["signatureHelp", worse, "parent_rate(", /parent_rate\(label: string\)/],
  ["definition", fewer, "targets: [lo", /loops\.diagnostic\.yaml/],
  ["references", loops, "name: lo", /fewer-loops/, { context: { includeDeclaration: true } }],
  ["documentHighlight", fewer, "targets: [lo", /"kind":2/],
  ["prepareRename", loops, "name: lo", /"placeholder":"loops"/],
  ["rename", loops, "name: lo", /"newText":"stuck"/, { newName: "stuck" }],
  ["documentSymbol", loops, "name", /"name":"label"/],
  ["documentLink", fewer, "name", /main\.reward\.yaml/],
  ["foldingRange", loops, "name", /"endLine":5/],
  ["selectionRange", loops, "longest_tool", /"parent"/],
  ["semanticTokens/full", loops, "name", /"data":\[5,8,19,0,0/],
  ["formatting", "mess.reward.yaml", "name", /"newText"/, { options: { tabSize: 2, insertSpaces: true } }],
  ["prepareCallHierarchy", loops, "name: lo", /"name":"loops"/],
  ["codeAction", loops, "when: longest", /Quarantine versions/, { context: { diagnostics: [] } }],
  ["diagnostic", loops, "name", /"kind":"full"/],
];

describe("dist/server.cjs with an archive", function () {
  this.timeout(60_000);
  let child: ChildProcess;
  let editor: Editor;
  const mess = { "mess.reward.yaml": "apiVersion:   evotrainer/v1\nname: x\n" };
  const files = workspace({ ...all, ...mess });
  const ask = (method: string, params: unknown): Promise<unknown> =>
    editor.connection.sendRequest(method, params);
  const place = (file: string, part: string) => {
    const text = { ...all, ...mess }[file] ?? "";
    const before = text.slice(0, text.indexOf(part) + part.length).split("\n");
    assert.ok(text.includes(part), part);
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return {
      textDocument: { uri: files.uri(file) },
      position,
      positions: [position],
      range: { start: position, end: position },
    };
  };
  /** Asks again until the answer says it: what the archive holds comes later. */
  const until = async (expected: RegExp, request: () => Promise<unknown>): Promise<void> => {
    for (const deadline = Date.now() + 20_000; ;) {
      const answer = JSON.stringify(await request());
      if (expected.test(answer)) return;
      assert.ok(Date.now() < deadline, `${answer} is not ${String(expected)}`);
      await new Promise((wake) => setTimeout(wake, 50));
    }
  };

  before(async () => {
    assert.ok(existsSync(bundle), "dist/server.cjs is missing; run npm run build");
    const root = placeOf(files.root);
    await mkdir(root.evidenceRoot, { recursive: true });
    const owner = await keepEngine(root, { role: "verb" });
    const path = join(root.evidenceRoot, "v1.jsonl");
    const rollouts = Array.from({ length: 40 }, (_, i) =>
      toLine(
        makeRollout({
          id: `r-${i}`,
          split: "selection",
          components: { correctness: 1 },
          reward: i % 4,
          group: `g-${i >> 2}`,
        }),
      ),
    );
    await writeFile(path, rollouts.join(""));
    await ingestFile(owner.store, { path, kind: "rollouts", version: "v1", run: "run-1" });
    await owner.close();
    const server = spawn(process.execPath, [bundle, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    child = server;
    editor = new Editor(
      createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin)),
    );
    await editor.initialize([files.root]);
    for (const [file, text] of Object.entries({ ...all, ...mess })) await editor.open(files.uri(file), text);
  });
  after(() => {
    child.kill("SIGKILL");
    files.remove();
  });

  for (const [method, file, part, expected, more] of requests)
    it(`answers textDocument/${method}`, async () => {
      const params = { ...place(file, part), ...more };
      assert.match(JSON.stringify(await ask(`textDocument/${method}`, params)), expected);
    });

  it("answers workspace/symbol and workspace/diagnostic", async () => {
    assert.match(JSON.stringify(await ask("workspace/symbol", { query: "fewer" })), /fewer-loops/);
    assert.match(
      JSON.stringify(await ask("workspace/diagnostic", { previousResultIds: [] })),
      /main\.reward\.yaml/,
    );
  });

  it("walks the call hierarchy", async () => {
    const items = await ask("textDocument/prepareCallHierarchy", place(loops, "name: lo"));
    assert.ok(Array.isArray(items));
    const item: unknown = items[0];
    assert.match(JSON.stringify(await ask("callHierarchy/outgoingCalls", { item })), /"name":"fewer-loops"/);
    assert.match(JSON.stringify(await ask("callHierarchy/incomingCalls", { item })), /^\[\]$/);
  });

  it("tells values in hints, and what the archive holds in lenses and hovers", async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const { textDocument } = place(fewer, "name");
    assert.match(JSON.stringify(await ask("textDocument/inlayHint", { textDocument, range })), /= flat/);
    await until(/no rollout carries it yet/, () => ask("textDocument/codeLens", place(loops, "name")));
    await until(/as of \d+ s ago/, () => ask("textDocument/hover", place(loops, "components.corr")));
  });

  it("tells what an edited condition and an edited reward do", async () => {
    await editor.change(files.uri(loops), textOf(loops).replace(/when: .*/, "when: reward >= 3"));
    await until(/10 of 40, 25 %/, () => ask("textDocument/codeLens", place(loops, "name")));
    const { textDocument } = place(reward, "name");
    await editor.change(textDocument.uri, textOf(reward).replace("weight: 1", "weight: 2"));
    await until(/v1/, () => ask("textDocument/codeLens", { textDocument }));
  });
});
