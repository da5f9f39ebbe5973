import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
import { connectInMemory, workspace, type Editor } from "./connect.ts";

const diagnostic = (mistake: string) =>
  `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\nlabel:\n  when: "true"\n  ${mistake}: info\nalert: { above: 0.5 }\n`;
const bad = diagnostic("severty");
const good = diagnostic("severity");
const dynamic = {
  capabilities: {
    workspace: { didChangeWatchedFiles: { dynamicRegistration: true }, workspaceFolders: true },
  },
};

/** Several kinds of editors: what they send, and what has to hold for all of them. */
describe("the language server with", () => {
  let editor: Editor;
  let files: ReturnType<typeof workspace>;
  const at = (file: string) => files.uri(file);
  const disk = (file: string, type: 1 | 2 | 3) =>
    editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri: at(file), type }],
    });
  const close = (uri: string) =>
    editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
  const save = (uri: string) =>
    editor.connection.sendNotification("textDocument/didSave", { textDocument: { uri } });

  beforeEach(() => {
    files = workspace({ ...sampleProject, "a.diagnostic.yaml": bad });
    editor = connectInMemory();
  });
  afterEach(async () => {
    await editor.stop();
    files.remove();
  });

  const roots: readonly (readonly [string, (root: string) => object])[] = [
    ["rootUri", (root) => ({ workspaceFolders: null, rootUri: pathToFileURL(root).href })],
    ["rootUri with a slash at its end", (root) => ({ rootUri: `${pathToFileURL(root).href}/` })],
    ["rootPath", (root) => ({ workspaceFolders: undefined, rootUri: null, rootPath: root })],
  ];
  for (const [name, params] of roots)
    it(`${name} instead of workspace folders: checks the folder`, async () => {
      await editor.initialize([], {}, params(files.root));
      await editor.codes(at("a.diagnostic.yaml"), ["schema"]);
    });

  it("no folder at all: checks the files that are opened, in their project", async () => {
    await editor.initialize([], {}, { workspaceFolders: null });
    const uri = at("harness/interventions/b.intervention.yaml");
    await editor.open(
      uri,
      interventionWith("  - { file: harness/config.json, path: workers, from: 2, to: 3 }", "optimisation"),
    );
    await editor.codes(uri, ["frozen-value"]);
    assert.equal(editor.published(at("a.diagnostic.yaml")), undefined);
  });

  it("any position encoding: counts in UTF-16, which every client has to support", async () => {
    for (const positionEncodings of [["utf-8"], ["utf-8", "utf-16", "utf-32"], undefined]) {
      const other = connectInMemory();
      const { capabilities } = await other.initialize(
        [files.root],
        {},
        {
          capabilities: { general: { positionEncodings } },
        },
      );
      assert.equal(capabilities.positionEncoding, "utf-16");
      await other.stop();
    }
    await editor.initialize([files.root]);
    const uri = at("b.diagnostic.yaml");
    await editor.open(uri, bad.replace('"true"', '"𝔸 == 1"').replace("  severty", "  severty"));
    const [unknown] = await editor.codes(uri, ["expression", "schema"]);
    assert.equal(unknown?.range.start.line, 4);
  });

  it("no dynamic registration: looks at the disk again when a file is saved or opened", async () => {
    await editor.initialize([files.root]);
    const uri = at("a.diagnostic.yaml");
    await editor.codes(uri, ["schema"]);
    await editor.open(at("evotrainer.yaml"), sampleProject["evotrainer.yaml"] ?? "");
    files.write("a.diagnostic.yaml", good);
    files.write("new.diagnostic.yaml", bad.replace("name: a", "name: b"));
    await save(at("evotrainer.yaml"));
    await editor.codes(uri, []);
    await editor.codes(at("new.diagnostic.yaml"), ["schema"]);
    rmSync(join(files.root, "new.diagnostic.yaml"));
    files.write("harness/config.json", "{}");
    await editor.open(at("harness/config.json"), "{}");
    await editor.codes(at("new.diagnostic.yaml"), []);
  });

  it("dynamic registration: notices a changed config that a spec names, and a removed folder", async () => {
    editor.connection.onRequest("client/registerCapability", () => null);
    const spec = "more/b.intervention.yaml";
    files.write(
      spec,
      interventionWith(
        "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }",
        "optimisation",
      ),
    );
    await editor.initialize([files.root], {}, dynamic);
    await editor.codes(at("a.diagnostic.yaml"), ["schema"]);
    files.write("harness/config.json", '{ "temperature": 3, "workers": 2 }');
    await disk("harness/config.json", 2);
    await editor.codes(at(spec), ["current-value"]);
    rmSync(join(files.root, "more"), { recursive: true });
    await disk("more", 3);
    await editor.codes(at(spec), []);
  });

  it("several folders: forgets the findings of a closed folder, and finds those of a new one", async () => {
    editor.connection.onRequest("client/registerCapability", () => null);
    const second = workspace({ ...sampleProject, "b.diagnostic.yaml": bad });
    const folder = (root: string) => ({ uri: pathToFileURL(root).href, name: "x" });
    await editor.initialize([files.root], {}, dynamic);
    await editor.codes(at("a.diagnostic.yaml"), ["schema"]);
    await editor.connection.sendNotification("workspace/didChangeWorkspaceFolders", {
      event: { added: [folder(second.root)], removed: [folder(files.root)] },
    });
    await editor.codes(second.uri("b.diagnostic.yaml"), ["schema"]);
    await editor.codes(at("a.diagnostic.yaml"), []);
    second.remove();
  });

  it("files outside a project: ignores files that do not say that they are specs", async () => {
    const outside = workspace({ "theirs.skill.yaml": "a: [", "theirs.evidence.yaml": "a: 1\n" });
    mkdirSync(join(outside.root, "sub"));
    await editor.initialize([outside.root]);
    await editor.open(outside.uri("theirs.evidence.yaml"), "kind: [");
    await editor.open(outside.uri("ours.diagnostic.yaml"), bad);
    await editor.codes(outside.uri("ours.diagnostic.yaml"), ["schema"]);
    assert.equal(editor.published(outside.uri("theirs.evidence.yaml")), undefined);
    outside.remove();
  });

  it("an editor that forgets findings on closing: sends them again on opening", async () => {
    await editor.initialize([files.root]);
    const uri = at("a.diagnostic.yaml");
    await editor.codes(uri, ["schema"]);
    for (const text of [bad, good]) {
      await editor.open(uri, text);
      await editor.codes(uri, text === bad ? ["schema"] : []);
      await close(uri);
      await editor.codes(uri, ["schema"]);
    }
  });

  it("one file under two URIs: leaves nothing behind under either", async () => {
    await editor.initialize([files.root]);
    const plain = at("a.diagnostic.yaml");
    const escaped = plain.replace("a.diagnostic", "%61.diagnostic");
    await editor.codes(plain, ["schema"]);
    await editor.open(escaped, bad);
    await editor.codes(escaped, ["schema"]);
    await editor.codes(plain, []);
    await close(escaped);
    await editor.codes(plain, ["schema"]);
    await editor.codes(escaped, []);
  });
});
