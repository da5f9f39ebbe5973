import assert from "node:assert/strict";
import { namedProject } from "../support/language/openProject.ts";
import { sampleProject } from "../support/language/sampleProject.ts";
import { archiveOf, connectBundle, until, workspace, type Editor } from "./connect.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const worse = "harness/diagnostics/worse.diagnostic.yaml";
const fewer = "harness/interventions/fewer-loops.intervention.yaml";
const reward = "harness/main.reward.yaml";
const all = { ...sampleProject, ...namedProject };
const textOf = (file: string) => all[file] ?? "";

const wholeFile = { range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } } };
const fixAll = { context: { diagnostics: [], only: ["source.fixAll"] } };
const renamed = { newName: "stuck" };

/** A request about a place of a file, and what its answer has to say. */
const requests: readonly (readonly [string, string, string, RegExp, object?])[] = [
  ["completion", worse, 'rate("loops', /"label":"loops"/],
  ["hover", fewer, "targets: [lo", /label of this project/],
  ["signatureHelp", worse, "parent_rate(", /parent_rate\(label: string\)/],
  ["definition", fewer, "targets: [lo", /loops\.diagnostic\.yaml/],
  ["references", loops, "name: lo", /fewer-loops/, { context: { includeDeclaration: true } }],
  ["documentHighlight", fewer, "targets: [lo", /"kind":2/],
  ["prepareRename", loops, "name: lo", /"placeholder":"loops"/],
  ["rename", loops, "name: lo", /loops\.d.*"newText":"stuck".*worse.*"stuck".*fewer-loops.*"stuck"/, renamed],
  ["documentSymbol", loops, "name", /"name":"label"/],
  ["documentLink", fewer, "name", /main\.reward\.yaml/],
  ["foldingRange", loops, "name", /"endLine":5/],
  ["selectionRange", loops, "longest_tool", /"parent"/],
  ["semanticTokens/full", loops, "name", /"data":\[5,8,19,0,0/],
  ["semanticTokens/range", loops, "name", /"data":\[5,8,19,0,0/, wholeFile],
  ["codeAction", "mess.reward.yaml", "kidn", /"source\.fixAll".*"newText":"kind"/, fixAll],
  ["formatting", "mess.reward.yaml", "name", /"newText"/, { options: { tabSize: 2, insertSpaces: true } }],
  ["prepareCallHierarchy", loops, "name: lo", /"name":"loops"/],
  ["codeAction", loops, "when: longest", /Quarantine versions/, { context: { diagnostics: [] } }],
  ["diagnostic", loops, "name", /"kind":"full"/],
];

describe("dist/server.cjs with an archive", function () {
  this.timeout(60_000);
  let editor: Editor;
  let end: () => Promise<void>;
  const mess = { "mess.reward.yaml": "apiVersion:   evotrainer/v1\nkidn: Reward\nname: x\n" };
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
  before(async () => {
    await archiveOf(
      files.root,
      Array.from({ length: 40 }, (_, i) => ({ components: { correctness: 1 }, reward: i % 4 })),
    );
    ({ editor, end } = connectBundle());
    await editor.initialize([files.root]);
    for (const [file, text] of Object.entries({ ...all, ...mess })) await editor.open(files.uri(file), text);
  });
  after(async () => {
    await end();
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

  it("shows values in hints, and the archive's facts in lenses and hovers", async () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const { textDocument } = place(fewer, "name");
    assert.match(JSON.stringify(await ask("textDocument/inlayHint", { textDocument, range })), /= flat/);
    await until(/no rollout (was labelled with|carries) it yet/, () =>
      ask("textDocument/codeLens", place(loops, "name")),
    );
    await until(/as of \d+ s ago/, () => ask("textDocument/hover", place(loops, "components.corr")));
  });

  it("shows the effect of an edited condition and an edited reward", async () => {
    await editor.change(files.uri(loops), textOf(loops).replace(/when: .*/, "when: reward >= 3"));
    await until(/10 of 40, 25\.0 %/, () => ask("textDocument/codeLens", place(loops, "name")));
    const { textDocument } = place(reward, "name");
    await editor.change(textDocument.uri, textOf(reward).replace("weight: 1", "weight: 2"));
    await until(/v1/, () => ask("textDocument/codeLens", { textDocument }));
  });
});
