import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { CodeAction, CompletionList, Hover } from "vscode-languageserver-protocol/node";
import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
import {
  LineageReply,
  lineageChangedMethod,
  lineageMethod,
  projectsMethod,
  trustGrantedMethod,
  versionMethod,
} from "../../shared/protocol/lsp.ts";
import type { LineageOutline } from "../../server/src/lineage/lineageOutline.ts";
import { connectInMemory, workspace, type Editor } from "./connect.ts";

const spec = "harness/interventions/a.intervention.yaml";
const edit = (from: string) =>
  interventionWith(
    `  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: ${from}, to: binary }`,
  );
const good = edit("flat");
const bad = edit("linear");
const diagnostic =
  'apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\nlabel:\n  when: "true"\n  severty: info\n';

describe("the language server", () => {
  let editor: Editor;
  let files: ReturnType<typeof workspace>;
  beforeEach(() => {
    files = workspace({ ...sampleProject, [spec]: good });
    editor = connectInMemory();
  });
  afterEach(async () => {
    await editor.stop();
    files.remove();
  });

  it("announces its capabilities", async () => {
    const { capabilities } = await editor.initialize([files.root]);
    assert.deepEqual(Object.keys(capabilities).sort(), [
      "callHierarchyProvider",
      "codeActionProvider",
      "codeLensProvider",
      "completionProvider",
      "definitionProvider",
      "documentFormattingProvider",
      "documentHighlightProvider",
      "documentLinkProvider",
      "documentSymbolProvider",
      "foldingRangeProvider",
      "hoverProvider",
      "inlayHintProvider",
      "positionEncoding",
      "referencesProvider",
      "renameProvider",
      "selectionRangeProvider",
      "semanticTokensProvider",
      "signatureHelpProvider",
      "textDocumentSync",
      "workspace",
      "workspaceSymbolProvider",
    ]);
  });

  it("checks the text as the user types, and withdraws findings", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri(spec);
    await editor.open(uri, bad);
    const [found] = await editor.codes(uri, ["current-value"]);
    assert.ok(found);
    assert.equal(found.source, "evotrainer");
    const line = bad.split("\n")[found.range.start.line] ?? "";
    assert.equal(line.slice(found.range.start.character, found.range.end.character), "linear");
    await editor.change(uri, good);
    await editor.codes(uri, []);
  });

  it("lists the projects of a workspace, the one nearest to the top first", async () => {
    files.write("nested/evotrainer.yaml", sampleProject["evotrainer.yaml"] ?? "");
    await editor.initialize([files.root]);
    assert.deepEqual(await editor.connection.sendRequest(projectsMethod), {
      roots: [files.root, join(files.root, "nested")],
    });
  });

  it("checks specs that are not open", async () => {
    files.write(spec, bad);
    await editor.initialize([files.root]);
    await editor.codes(files.uri(spec), ["current-value"]);
  });

  it("checks an intervention again when the user edits the file that it changes", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri(spec);
    await editor.open(uri, bad);
    await editor.codes(uri, ["current-value"]);
    await editor.open(
      files.uri("harness/main.reward.yaml"),
      (sampleProject["harness/main.reward.yaml"] ?? "").replace("flat", "linear"),
    );
    await editor.codes(uri, []);
  });

  it("checks again when a file changes on disk, and forgets a deleted one", async () => {
    await editor.initialize([files.root]);
    const changed = async (file: string, type: 1 | 2 | 3) =>
      editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
        changes: [{ uri: files.uri(file), type }],
      });
    files.write("new.diagnostic.yaml", diagnostic);
    await changed("new.diagnostic.yaml", 1);
    await editor.codes(files.uri("new.diagnostic.yaml"), ["schema"]);
    rmSync(join(files.root, "new.diagnostic.yaml"));
    await changed("new.diagnostic.yaml", 3);
    await editor.codes(files.uri("new.diagnostic.yaml"), []);
    // Of a folder that came with files in it only the folder may be told.
    files.write("come/along/new.diagnostic.yaml", diagnostic);
    await changed("come", 1);
    await editor.codes(files.uri("come/along/new.diagnostic.yaml"), ["schema"]);
  });

  it("does not mistake the checkout of a run for the project", async () => {
    await editor.initialize([files.root]);
    const inRun = ".evotrainer/runs/1/checkout/evotrainer.yaml";
    files.write(inRun, "kind: Nonsense\n");
    await editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri: files.uri(inRun), type: 1 }],
    });
    const reply = LineageReply.parse(await editor.connection.sendRequest(lineageMethod, {}));
    assert.equal(reply.type === "lineage" && reply.root, files.root);
    files.write("later.diagnostic.yaml", diagnostic);
    await editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri: files.uri("later.diagnostic.yaml"), type: 1 }],
    });
    await editor.codes(files.uri("later.diagnostic.yaml"), ["schema"]);
    assert.equal(editor.published(files.uri(inRun)), undefined);
  });

  it("ignores files that are not specs", async () => {
    await editor.initialize([files.root]);
    await editor.open(files.uri("docker-compose.yaml"), "a: [\n");
    await editor.open("untitled:Untitled-1", "a: [\n");
    // The answer to a later request shows that both were dealt with.
    await editor.connection.sendRequest(lineageMethod, {});
    await editor.open(files.uri("z.diagnostic.yaml"), diagnostic);
    await editor.codes(files.uri("z.diagnostic.yaml"), ["schema"]);
    assert.equal(editor.published(files.uri("docker-compose.yaml")), undefined);
    assert.equal(editor.published("untitled:Untitled-1"), undefined);
  });

  it("offers a fix that corrects its finding", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri("a.diagnostic.yaml");
    await editor.open(uri, diagnostic);
    const diagnostics = await editor.codes(uri, ["schema"]);
    const actions = await editor.connection.sendRequest<CodeAction[]>("textDocument/codeAction", {
      textDocument: { uri },
      range: diagnostics[0]?.range,
      context: { diagnostics, only: ["quickfix"] },
    });
    assert.deepEqual(
      actions.map(({ title }) => title),
      ['Change to "severity"'],
    );
    const change = actions[0]?.edit?.changes?.[uri]?.[0];
    assert.deepEqual(change, { range: diagnostics[0]?.range, newText: "severity" });
  });

  it("ignores a diagnostic with data that the server cannot have sent", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri("a.diagnostic.yaml");
    await editor.open(uri, diagnostic);
    const [real] = await editor.codes(uri, ["schema"]);
    for (const data of [null, 3, { place: "nowhere" }, { place: "key", path: ["no", "such"], near: ["x"] }])
      assert.deepEqual(
        await editor.connection.sendRequest("textDocument/codeAction", {
          textDocument: { uri },
          range: real?.range,
          context: { diagnostics: [{ ...real, data }], only: ["quickfix"] },
        }),
        [],
      );
  });

  it("completes and explains keys", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri("a.diagnostic.yaml");
    await editor.open(uri, "kind: Diagnostic\nlabel:\n  sev\n");
    const at = { textDocument: { uri }, position: { line: 2, character: 5 } };
    const { items } = await editor.connection.sendRequest<CompletionList>("textDocument/completion", at);
    const item = items.find(({ label }) => label === "severity");
    assert.deepEqual(item?.textEdit, {
      range: { start: { line: 2, character: 2 }, end: { line: 2, character: 5 } },
      newText: "severity: ",
    });
    await editor.change(uri, 'label:\n  when: "true"\n');
    const hover = await editor.connection.sendRequest<Hover>("textDocument/hover", {
      textDocument: { uri },
      position: { line: 1, character: 4 },
    });
    assert.match(JSON.stringify(hover.contents), /CEL over one rollout/);
  });
});

describe("evotrainer/lineage", () => {
  const view: LineageOutline = { project: "sample", domain: "swe", versions: [] };
  const ask = async (editor: Editor, params: unknown = {}) =>
    LineageReply.parse(await editor.connection.sendRequest(lineageMethod, params));

  it("answers with the lineage of the first project or of the named one", async () => {
    const files = workspace({
      ...sampleProject,
      "inner/evotrainer.yaml": sampleProject["evotrainer.yaml"] ?? "",
    });
    const editor = connectInMemory((root) => Promise.resolve({ ...view, project: root }));
    await editor.initialize([files.root]);
    const reply = await ask(editor);
    assert.equal(reply.type, "lineage");
    assert.equal(reply.root, files.root);
    assert.deepEqual([reply.page.project, reply.page.total], [files.root, 0]);
    const inner = join(files.root, "inner");
    assert.equal((await ask(editor, { root: inner })).type, "lineage");
    assert.deepEqual(await ask(editor, { root: "/elsewhere" }), { type: "noProject" });
    assert.equal((await ask(editor, "nonsense")).type, "lineage");
    await editor.stop();
    files.remove();
  });

  it("says why there is no lineage", async () => {
    const files = workspace({ "readme.md": "" });
    const editor = connectInMemory();
    await editor.initialize([files.root]);
    assert.deepEqual(await ask(editor), { type: "noProject" });
    await editor.stop();
    const alone = connectInMemory();
    await alone.initialize([]);
    assert.deepEqual(await ask(alone), { type: "noFolder" });
    await alone.stop();
    files.remove();
  });

  it("reads no lineage before the workspace is trusted", async () => {
    for (const options of [{ trusted: false }, {}, null, "true"]) {
      const files = workspace(sampleProject);
      const editor = connectInMemory();
      await editor.initialize([files.root], options);
      assert.deepEqual(await ask(editor), { type: "untrusted" });
      await editor.connection.sendNotification(trustGrantedMethod);
      assert.equal((await ask(editor)).type, "lineage");
      await editor.stop();
      files.remove();
    }
  });

  it("asks git nothing about a version before the workspace is trusted", async () => {
    const files = workspace(sampleProject);
    const asked: string[] = [];
    const editor = connectInMemory(undefined, {
      askVersion: (_root, { ask: what }) => {
        asked.push(what);
        return Promise.resolve({ text: "read" });
      },
    });
    await editor.initialize([files.root], { trusted: false });
    const question = { ask: "file", commit: "a".repeat(40), path: "train.py" } as const;
    const answered = () => editor.connection.sendRequest(versionMethod, { question });
    assert.deepEqual([await answered(), asked], [{ type: "untrusted" }, []]);
    await editor.connection.sendNotification(trustGrantedMethod);
    assert.deepEqual(await answered(), { type: "answer", root: files.root, result: { text: "read" } });
    await editor.stop();
    files.remove();
  });

  it("passes on the reason why a lineage cannot be read", async () => {
    const files = workspace(sampleProject);
    const editor = connectInMemory(() => Promise.reject(new Error("The ledger is broken.")));
    await editor.initialize([files.root]);
    assert.deepEqual(await ask(editor), {
      type: "unreadable",
      root: files.root,
      message: "The ledger is broken.",
    });
    await editor.stop();
    files.remove();
  });

  it("reads name and domain of a project without versions", async () => {
    const files = workspace(sampleProject);
    const editor = connectInMemory();
    await editor.initialize([files.root]);
    const reply = await ask(editor);
    assert.ok(reply.type === "lineage" && reply.root === files.root);
    assert.deepEqual([reply.page.project, reply.page.domain], [view.project, view.domain]);
    await editor.stop();
    files.remove();
  });

  it("reports changes of the lineage's refs and of the project", async () => {
    const files = workspace(sampleProject);
    const editor = connectInMemory();
    let told = 0;
    const next = () =>
      new Promise<void>((resolve) => {
        const listening = editor.connection.onNotification(lineageChangedMethod, () => {
          told++;
          listening.dispose();
          resolve();
        });
      });
    await editor.initialize([files.root]);
    for (const file of [".git/refs/heads/evotrainer/ledger", "evotrainer.yaml"]) {
      const heard = next();
      await editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
        changes: [{ uri: files.uri("a.json"), type: 2 }],
      });
      await editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
        changes: [{ uri: files.uri(file), type: 2 }],
      });
      await heard;
    }
    assert.equal(told, 2);
    await editor.stop();
    files.remove();
  });
});
