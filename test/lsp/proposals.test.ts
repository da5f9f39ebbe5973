import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CodeAction } from "vscode-languageserver-protocol/node";
import { trustGrantedMethod } from "../../shared/protocol/lsp.ts";
import { startEvotrainer } from "../engine/cli.ts";
import { makeWaitingProject } from "../engine/finishedProject.ts";
import { firstProposal } from "../engine/reviewProject.ts";
import { connectInMemory, until, type Editor } from "./connect.ts";

const harness = "harness/toy.yaml";
const annotating = {
  capabilities: {
    workspace: {
      workspaceEdit: { documentChanges: true, changeAnnotationSupport: {} },
      didChangeWatchedFiles: { dynamicRegistration: true },
    },
  },
};

describe("proposals beside the files that they change", function () {
  this.timeout(120_000);
  let root = "";
  let editor: Editor;
  before(() => {
    root = makeWaitingProject();
  });
  beforeEach(() => {
    editor = connectInMemory();
    editor.connection.onRequest("client/registerCapability", () => null);
  });
  afterEach(() => editor.stop());
  after(() => rmSync(root, { recursive: true, force: true }));

  const uri = (): string => pathToFileURL(join(root, harness)).href;
  const actions = (): Promise<CodeAction[]> =>
    editor.connection.sendRequest("textDocument/codeAction", {
      textDocument: { uri: uri() },
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
      context: { diagnostics: [], only: ["refactor"] },
    });
  const text = (): string => readFileSync(join(root, harness), "utf8");

  it("are offered once the workspace is trusted, and the user confirms each hunk", async () => {
    await editor.initialize([root], { trusted: false }, annotating);
    await editor.open(uri(), text());
    assert.deepEqual(await actions(), []);
    await editor.connection.sendNotification(trustGrantedMethod);
    const [action] = await until(/Try proposal/, actions);
    assert.match(action?.title ?? "", /^Try proposal v2-shape-and-bonus here: shape: flat → linear/);
    assert.equal(action?.kind, "refactor.proposal");
    const [change] = action.edit?.documentChanges ?? [];
    assert.ok(change && "textDocument" in change);
    assert.deepEqual(
      [
        change.textDocument,
        change.edits.map((edit) => [edit.range.start.line, "newText" in edit ? edit.newText : null]),
      ],
      [
        { uri: uri(), version: 1 },
        [
          [1, "shape: linear\n"],
          [4, "bonus: 1\n"],
        ],
      ],
    );
    const annotations = Object.values(action.edit?.changeAnnotations ?? {});
    assert.deepEqual(
      annotations.map(({ label, needsConfirmation }) => [label, needsConfirmation]),
      [
        [`${firstProposal}, ${harness} line 2`, true],
        [`${firstProposal}, ${harness} line 5`, true],
      ],
    );
  });

  it("disappear when the ledger says that they were answered", async () => {
    await editor.initialize([root], { trusted: true }, annotating);
    await editor.open(uri(), text());
    await until(/Try proposal/, actions);
    // This process has the archive, so that it must not wait with its hands bound.
    assert.deepEqual(await once(startEvotrainer(root, "review", "v2", "reject"), "exit"), [0, null]);
    await editor.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri: pathToFileURL(join(root, ".git/refs/heads/evotrainer/ledger")).href, type: 2 }],
    });
    assert.deepEqual(await until(/^\[\]$/, actions), []);
  });
});
