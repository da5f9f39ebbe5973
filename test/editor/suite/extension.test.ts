import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";

/** Waits for an event of the editor that makes the condition true. */
async function eventually<T>(event: vscode.Event<T>, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const listening = event(() => {
      if (!holds()) return;
      listening.dispose();
      resolve();
    });
  });
}

/** The language servers that this extension host has started and that have not ended. */
function serverProcesses(): number[] {
  const said = (pid: number, what: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${what}`, "utf8");
    } catch {
      // It has ended meanwhile.
      return "";
    }
  };
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => said(pid, "status").includes(`\nPPid:\t${process.pid}\n`))
    .filter((pid) => said(pid, "cmdline").includes("server.cjs"));
}

async function open(file: string): Promise<vscode.TextDocument> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  assert.ok(root);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(root, file));
  await vscode.window.showTextDocument(document);
  return document;
}

const codes = (uri: vscode.Uri) =>
  vscode.languages
    .getDiagnostics(uri)
    .filter(({ source }) => source === "evotrainer")
    .map(({ code }) => (typeof code === "string" ? code : "no code"));

async function codesAre(uri: vscode.Uri, expected: readonly string[]): Promise<void> {
  await eventually(
    vscode.languages.onDidChangeDiagnostics,
    () => JSON.stringify(codes(uri)) === JSON.stringify(expected),
  );
}

/** What the tool for assistants says of a version's rollouts, or why it says nothing yet. */
async function rolloutsOf(version: string): Promise<string> {
  try {
    const { content } = await vscode.lm.invokeTool("evotrainer_rollouts", {
      input: { version },
      toolInvocationToken: undefined,
    });
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  } catch (e) {
    return String(e);
  }
}

const diagnosticFile = "harness/diagnostics/echo-trap.diagnostic.yaml";
const interventionFile = "harness/interventions/binary.intervention.yaml";

describe("the extension in the editor", () => {
  it("is installed from the package, not from the sources", () => {
    const extension = vscode.extensions.getExtension("evotrainer.evotrainer");
    assert.ok(extension);
    assert.match(extension.extensionPath, /extensions[\\/]evotrainer\.evotrainer-/);
  });

  it("activates when the workspace has a project file, and checks specs that nobody opened", async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root);
    await codesAre(vscode.Uri.joinPath(root, diagnosticFile), ["schema"]);
    await codesAre(vscode.Uri.joinPath(root, interventionFile), ["current-value"]);
    assert.equal(vscode.extensions.getExtension("evotrainer.evotrainer")?.isActive, true);
  });

  it("recognises specs by their names and ignores other YAML files", async () => {
    assert.equal((await open(diagnosticFile)).languageId, "evotrainer-spec");
    assert.equal((await open("evotrainer.yaml")).languageId, "evotrainer-spec");
    const other = await open("docker-compose.yaml");
    assert.equal(other.languageId, "dockercompose");
    assert.deepEqual(codes(other.uri), []);
  });

  it("offers a fix and applies it, the finding disappears, and undo brings it back", async () => {
    const document = await open(diagnosticFile);
    await codesAre(document.uri, ["schema"]);
    const [finding] = vscode.languages.getDiagnostics(document.uri);
    assert.ok(finding);
    assert.equal(document.getText(finding.range), "severty");
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      finding.range,
    );
    const action = actions.find(({ title }) => title === 'Change to "severity"');
    assert.ok(action?.edit);
    assert.equal(await vscode.workspace.applyEdit(action.edit), true);
    await codesAre(document.uri, []);
    await vscode.commands.executeCommand("undo");
    await codesAre(document.uri, ["schema"]);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("follows the file that an intervention edits, saved or not", async () => {
    const intervention = await open(interventionFile);
    await codesAre(intervention.uri, ["current-value"]);
    const reward = await open("harness/main.reward.yaml");
    const at = reward.getText().indexOf("flat");
    const edit = new vscode.WorkspaceEdit();
    edit.replace(reward.uri, new vscode.Range(reward.positionAt(at), reward.positionAt(at + 4)), "linear");
    await vscode.workspace.applyEdit(edit);
    await codesAre(intervention.uri, []);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await codesAre(intervention.uri, ["current-value"]);
  });

  it("notices a spec that another program writes or deletes", async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root);
    const uri = vscode.Uri.joinPath(root, "harness/diagnostics/new.diagnostic.yaml");
    const { writeFile, rm } = await import("node:fs/promises");
    await writeFile(
      uri.fsPath,
      "kind: Diagnostics\napiVersion: evotrainer/v1\nname: new\nlabel: { when: 'true' }\n",
    );
    await codesAre(uri, ["schema"]);
    await rm(uri.fsPath);
    await codesAre(uri, []);
  });

  it("completes keys and explains them", async () => {
    const document = await open(diagnosticFile);
    const line = document
      .getText()
      .split("\n")
      .findIndex((text) => text.includes("severty"));
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      document.uri,
      new vscode.Position(line, 4),
    );
    const labels = list.items.map(({ label }) => (typeof label === "string" ? label : label.label));
    assert.ok(
      labels.includes("severity") && labels.includes("invalidates") && !labels.includes("when"),
      labels.join(),
    );
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      document.uri,
      new vscode.Position(line - 2, 4),
    );
    const text = hovers
      .flatMap(({ contents }) => contents.map((c) => (c instanceof vscode.MarkdownString ? c.value : "")))
      .join();
    assert.match(text, /CEL over one rollout/);
  });

  it("contains a database that loads in the editor's Node", async () => {
    const path = vscode.extensions.getExtension("evotrainer.evotrainer")?.extensionPath ?? "";
    const { loadEngine } = createRequire(join(path, "dist/server.cjs"))("./loadEngine.cjs") as {
      loadEngine: () => { database: () => Promise<unknown> };
    };
    // Typed by hand: the suite must not bundle the package that it looks for in the extension.
    const { DuckDBInstance } = (await loadEngine().database()) as {
      DuckDBInstance: { create: (p: string) => Promise<{ connect: () => Promise<Connection> }> };
    };
    type Connection = {
      runAndReadAll: (sql: string) => Promise<{ getRows: () => unknown }>;
      closeSync: () => void;
    };
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    assert.deepEqual((await connection.runAndReadAll("select 42")).getRows(), [[42]]);
    connection.closeSync();
  });

  it("has every command that it contributes", async () => {
    const commands = await vscode.commands.getCommands(true);
    for (const id of ["showLineage", "refreshLineage", "restartServer", "showLog"])
      assert.ok(commands.includes(`evotrainer.${id}`), id);
  });

  it("continues checking after the language server was restarted", async () => {
    const document = await open(diagnosticFile);
    await codesAre(document.uri, ["schema"]);
    await vscode.commands.executeCommand("evotrainer.restartServer");
    const at = document.getText().indexOf("severty");
    const edit = new vscode.WorkspaceEdit();
    edit.replace(
      document.uri,
      new vscode.Range(document.positionAt(at), document.positionAt(at + 7)),
      "severity",
    );
    await vscode.workspace.applyEdit(edit);
    await codesAre(document.uri, []);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await codesAre(document.uri, ["schema"]);
  });

  it("starts the language server again when the old one does not end by itself", async () => {
    const document = await open(diagnosticFile);
    await codesAre(document.uri, ["schema"]);
    const old = serverProcesses();
    assert.equal(old.length, 1);
    const fresh = (): number[] => serverProcesses().filter((pid) => !old.includes(pid));
    for (const pid of old) process.kill(pid, "SIGSTOP");
    const restarted = vscode.commands.executeCommand("evotrainer.restartServer");
    while (fresh().length === 0) await delay(20);
    // On a busy machine the old one may end while the new one is still starting.
    const starting = fresh();
    for (const pid of starting) process.kill(pid, "SIGSTOP");
    while (serverProcesses().some((pid) => old.includes(pid))) await delay(20);
    for (const pid of starting) process.kill(pid, "SIGCONT");
    await restarted;
    await codesAre(document.uri, ["schema"]);
    assert.deepEqual(fresh(), starting);
  });

  it("attaches to a run of somebody else: what its folder holds comes in, and nothing there changes", async () => {
    const run = mkdtempSync(join(tmpdir(), "their-run-"));
    const sample = { input: "user\n1+1?\nassistant\n", output: "2", gts: "2", score: 1, step: 1 };
    const dump = `${JSON.stringify(sample)}\n`.repeat(3);
    writeFileSync(join(run, "1.jsonl"), dump);
    const known = vscode.window.terminals;
    await vscode.commands.executeCommand("evotrainer.attachRun", run);
    const terminal = vscode.window.terminals.find((one) => !known.includes(one));
    try {
      assert.equal(terminal?.name, `Attach ${basename(run)}`);
      // A terminal does not say what a program prints in it, so the tool that lists rollouts is asked until it has them.
      let answer = "";
      while (!answer.includes('"counts"')) {
        assert.equal(terminal.exitStatus, undefined, `evotrainer attach ended; the tool said: ${answer}`);
        answer = await rolloutsOf(basename(run));
        await delay(200);
      }
      assert.equal(answer.split('"rollout":').length - 1, 3, answer);
      assert.deepEqual([readdirSync(run), readFileSync(join(run, "1.jsonl"), "utf8")], [["1.jsonl"], dump]);
    } finally {
      terminal?.dispose();
      rmSync(run, { recursive: true });
    }
  });

  it("opens the lineage panel once", async () => {
    await vscode.commands.executeCommand("evotrainer.showLineage");
    await vscode.commands.executeCommand("evotrainer.showLineage", { name: "v1" });
    const panels = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(
          ({ input }) =>
            input instanceof vscode.TabInputWebview && input.viewType.includes("evotrainer.lineage"),
        );
    await eventually(vscode.window.tabGroups.onDidChangeTabs, () => panels().length > 0);
    assert.equal(panels().length, 1);
  });
});
