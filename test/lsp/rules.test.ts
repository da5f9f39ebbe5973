import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type { CodeAction, Diagnostic } from "vscode-languageserver-protocol/node";
import { emptyLineage } from "../support/language/emptyLineage.ts";
import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
import { connectInMemory, workspace, type Editor } from "./connect.ts";

const config = "harness/config.json";
const spec = "harness/interventions/a.intervention.yaml";
const twoFactors =
  interventionWith(`  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/main.reward.yaml, path: filter.kind, from: none, to: std }`);

const actionsFor = (editor: Editor, uri: string, diagnostics: readonly Diagnostic[]) =>
  editor.connection.sendRequest<CodeAction[]>("textDocument/codeAction", {
    textDocument: { uri },
    range: diagnostics[0]?.range,
    context: { diagnostics },
  });

describe("rules in the language server", () => {
  let files: ReturnType<typeof workspace>;
  let editor: Editor;
  beforeEach(() => {
    files = workspace({ ...sampleProject, [spec]: twoFactors });
    editor = connectInMemory(emptyLineage, {
      readParent: () => Promise.resolve({ name: "v4", files: new Map(Object.entries(sampleProject)) }),
    });
  });
  afterEach(async () => {
    await editor.stop();
    files.remove();
  });

  it("check a config that the project names, as the user types and after the file is closed", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri(config);
    await editor.open(uri, '{ "temperature": 1.0, "workers": 8 }\n');
    const found = await editor.codes(uri, ["frozen-changed"]);
    const [action] = await actionsFor(editor, uri, found);
    assert.equal(action?.title, "Change back to 2");
    await editor.change(uri, '{ "temperature": 1.5, "workers": 2 }\n');
    await editor.codes(uri, ["factor-distance"]);
    await editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    // On disk it is as the parent has it.
    await editor.codes(uri, []);
  });

  it("ask for no parent in an untrusted workspace", async () => {
    await editor.initialize([files.root], { trusted: false });
    const uri = files.uri(config);
    await editor.open(uri, '{ "temperature": 1.0, "workers": 8 \n');
    await editor.codes(uri, ["syntax"]);
  });

  it("make new files if the editor can, and otherwise do not offer it", async () => {
    const offered = async (capabilities: object) => {
      const other = connectInMemory();
      await other.connection.sendRequest("initialize", {
        ...{ processId: null, rootUri: null, capabilities, initializationOptions: { trusted: true } },
        workspaceFolders: [{ uri: pathToFileURL(files.root).href, name: "test" }],
      });
      await other.connection.sendNotification("initialized", {});
      const uri = files.uri(spec);
      await other.open(uri, twoFactors);
      const actions = await actionsFor(other, uri, await other.codes(uri, ["one-factor"]));
      await other.stop();
      return actions.filter(({ kind }) => kind === "quickfix");
    };
    assert.deepEqual(await offered({}), []);
    const [split] = await offered({
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
    });
    assert.equal(split?.title, "Split into 2 interventions, one per factor");
    const [create, text, own] = split.edit?.documentChanges ?? [];
    const created = files.uri("harness/interventions/binary-reward-filter.intervention.yaml");
    assert.deepEqual(create, { kind: "create", uri: created, options: { ignoreIfExists: false } });
    assert.match(JSON.stringify(text), /name: binary-reward-filter/);
    // Of the file itself only the line goes that belongs to the other factor.
    const line = twoFactors.split("\n").findIndex((text) => text.includes("filter.kind"));
    const [start, end] = [line, line + 1].map((at) => ({ line: at, character: 0 }));
    assert.deepEqual(own && "edits" in own && own.edits, [{ range: { start, end }, newText: "" }]);
  });
});
