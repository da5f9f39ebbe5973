import assert from "node:assert/strict";
import * as vscode from "vscode";

const textOf = ({ content }: vscode.LanguageModelToolResult): string =>
  content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");

const invoke = async (name: string, input: object): Promise<string> =>
  textOf(await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }));

describe("tools for language models in the editor", () => {
  before(async () => {
    await vscode.extensions.getExtension("evotrainer.evotrainer")?.activate();
  });

  it("are all there, with their inputs", () => {
    const extension = vscode.extensions.getExtension("evotrainer.evotrainer");
    const manifest = extension?.packageJSON as {
      contributes: { languageModelTools: { name: string; modelDescription: string }[] };
    };
    const contributed = manifest.contributes.languageModelTools;
    const known = new Map(vscode.lm.tools.map((tool) => [tool.name, tool]));
    assert.ok(contributed.length >= 7);
    for (const { name, modelDescription } of contributed) {
      assert.equal(known.get(name)?.description, modelDescription, name);
      assert.ok(known.get(name)?.tags.includes("evotrainer"));
      assert.ok(known.get(name)?.inputSchema);
    }
  });

  it("answer from the workspace's project", async () => {
    assert.deepEqual(JSON.parse(await invoke("evotrainer_lineage", {})), {
      project: "sample",
      domain: "swe",
      versions: 0,
      rows: [],
    });
  });

  it("say why there is nothing to answer, so the model need not guess", async () => {
    await assert.rejects(invoke("evotrainer_diagnose", { version: "v1" }), /has no evidence yet/);
    await assert.rejects(invoke("evotrainer_lineage", { version: "v1" }), /There is no version v1/);
  });
});
