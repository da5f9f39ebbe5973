import * as vscode from "vscode";
import type { NoteKind } from "../../../shared/model/noteKinds.ts";
import type { LineageAction, LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { CommandId } from "../../../shared/words/commandTitles.ts";
import { inLine } from "../../../shared/words/unseen.ts";
import { registerCommand } from "../shell/commands.ts";
import { askEngine, askVersion, valueOf } from "../connection/engineAnswer.ts";
import { peopleOnLabels } from "../connection/peopleOnLabels.ts";
import { openCells } from "../rollout/openCells.ts";
import type { EvidencePanel } from "../evidence/evidencePanel.ts";
import type { Server } from "../connection/languageClient.ts";
import { VersionArgument } from "../shell/inputSchemas.ts";
import { LineagePanel } from "./lineagePanel.ts";
import { standingText, statusText } from "./lineageRows.ts";
import { LineageSource } from "./lineageSource.ts";
import { LineageTree } from "./lineageTree.ts";

/** The version that a command is about: a row of the tree, or what another view passes. */
export const versionNamed = (argument: unknown): string | undefined =>
  VersionArgument.safeParse(argument).data?.name;

/** More items than anybody scrolls through. */
const mostItems = 2000;

type Dependencies = {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly log: vscode.LogOutputChannel;
  readonly evidence: Pick<EvidencePanel, "show">;
};

/** Puts up the lineage: tree, panel, status bar and its commands. */
export function registerLineage({ context, server, log, evidence }: Dependencies): {
  readonly source: LineageSource;
  /** Tells what runs, or what waits for a review; the other stays as it was. */
  readonly tellStanding: (part: Partial<LineageStanding>) => void;
  readonly dispose: () => void;
} {
  const source = new LineageSource(server, log);
  const tree = new LineageTree(source);
  const view = vscode.window.createTreeView("evotrainer.lineage", {
    treeDataProvider: tree,
    showCollapseAll: true,
    canSelectMany: true,
  });
  const act = (action: LineageAction): unknown => actOn(action, { source, server, log });
  const note = async (version: string, what: NoteKind, value: string): Promise<void> => {
    const root = source.root;
    const question = { ask: "note", version, what, value } as const;
    valueOf(await askVersion(server, { ...(root === undefined ? {} : { root }), question }));
    await source.refresh();
  };
  const panel = new LineagePanel({
    extensionUri: context.extensionUri,
    source,
    log,
    act,
    selected: async (name) => {
      const version = tree.find(name);
      if (version && view.visible) await view.reveal(version, { select: true });
    },
    compare: (names) => vscode.commands.executeCommand("evotrainer.compareVersions", { names }),
    showEvidence: (version, label) =>
      evidence.show({ version, ...(label === null ? {} : { label }) }, source.root),
    note,
    ...engineHandlers(server, source),
  });

  const status = showStatus(source);
  let standing: LineageStanding = { running: [], waiting: [] };
  const say = (): void => {
    view.message = inLine(standingText(source.state, standing));
  };

  const parts: readonly { readonly dispose: () => unknown }[] = [
    panel,
    status,
    view,
    tree,
    source,
    source.onDidChange(say),
    registerCommand(log, "evotrainer.showLineage", (argument) => panel.show(versionNamed(argument))),
    registerCommand(log, "evotrainer.refreshLineage", () => act("refresh")),
    ...noteCommands(source, log, note),
  ];
  return {
    source,
    tellStanding: (part) => {
      standing = { ...standing, ...part };
      panel.tellStanding(part);
      say();
    },
    dispose: () => {
      for (const part of parts) part.dispose();
    },
  };
}

/** What the panel asks the engine, and what it opens. */
function engineHandlers(
  server: Server,
  source: LineageSource,
): Pick<
  ConstructorParameters<typeof LineagePanel>[0],
  "seeds" | "items" | "people" | "openCells" | "openJob" | "openJobs" | "openGate"
> {
  const at = (): { root?: string } => (source.root === undefined ? {} : { root: source.root });
  const run = (command: CommandId, argument?: object): unknown =>
    vscode.commands.executeCommand(command, argument);
  return {
    seeds: async (versions) => {
      const params = { versions: [...versions] };
      const answer = await askEngine(server, { ...at(), service: "versions.seeds", params });
      // The picture is whole without them: why the archive cannot be read is told where rollouts are listed.
      return answer.type === "answer" ? answer.value : [];
    },
    items: (versions, token) => {
      const params = { versions: [...versions], limit: mostItems };
      return askEngine(server, { ...at(), service: "versions.items", params }, token);
    },
    people: () => peopleOnLabels(server, source.root),
    openCells: (cells) => openCells(server, source.root ?? "", cells),
    openJob: (id) => run("evotrainer.showJob", { root: source.root ?? "", id }),
    openJobs: () => run("evotrainer.showRuns"),
    openGate: (id) => run("evotrainer.showGate", { id }),
  };
}

function actOn(
  action: LineageAction,
  { source, server, log }: Pick<Dependencies, "server" | "log"> & { readonly source: LineageSource },
): unknown {
  switch (action) {
    case "refresh":
      return source.refresh();
    case "openFolder":
      return vscode.commands.executeCommand("vscode.openFolder");
    case "manageTrust":
      return vscode.commands.executeCommand("workbench.trust.manage");
    case "restartServer":
      return server.restart();
    case "showLog":
      log.show();
      return undefined;
  }
}

/** The state of the lineage in the status bar. */
function showStatus(source: LineageSource): vscode.Disposable {
  const status = vscode.window.createStatusBarItem("status", vscode.StatusBarAlignment.Left);
  status.name = "EvoTrainer";
  status.command = "evotrainer.showLineage";
  const show = () => {
    const { text, tooltip } = statusText(source.state);
    status.text = text;
    status.tooltip = tooltip;
    status.show();
  };
  show();
  return vscode.Disposable.from(status, source.onDidChange(show));
}

/** What a person says of a version: notes, tags and a name. */
function noteCommands(
  source: LineageSource,
  log: vscode.LogOutputChannel,
  note: (version: string, what: NoteKind, value: string) => Promise<void>,
): vscode.Disposable[] {
  /** Asks for the words, then writes them down. */
  const say = (what: NoteKind, prompt: (name: string) => string) => async (argument: unknown) => {
    const name = versionNamed(argument) ?? (await chooseVersion(source));
    if (name === undefined) return;
    const value = await vscode.window.showInputBox({ prompt: prompt(name), ignoreFocusOut: true });
    if (value !== undefined && (value !== "" || what === "name")) await note(name, what, value);
  };
  return [
    registerCommand(
      log,
      "evotrainer.noteVersion",
      say("text", (name) => `A note on ${name}; the ledger keeps it`),
    ),
    registerCommand(
      log,
      "evotrainer.tagVersion",
      say("tag", (name) => `A tag for ${name}`),
    ),
    registerCommand(
      log,
      "evotrainer.nameVersion",
      say("name", (name) => `Another name for ${name}; leave it empty to remove the name`),
    ),
    registerCommand(log, "evotrainer.untagVersion", async (argument) => {
      const name = versionNamed(argument) ?? (await chooseVersion(source));
      const { state } = source;
      const index = name === undefined || state.type !== "lineage" ? undefined : state.table.find(name);
      if (name === undefined || index === undefined || state.type !== "lineage") return;
      const { tags } = state.table.saidOf(index);
      if (tags.length === 0) void vscode.window.showInformationMessage(`${name} has no tags.`);
      const tag =
        tags.length === 0
          ? undefined
          : await vscode.window.showQuickPick(tags, { title: `Remove a tag from ${name}` });
      if (tag !== undefined) await note(name, "untag", tag);
    }),
  ];
}

/** Lets a person choose a version, the newest first. */
export async function chooseVersion(source: LineageSource, title = "Version"): Promise<string | undefined> {
  const { state } = source;
  if (state.type !== "lineage") {
    void vscode.window.showInformationMessage("There are no versions yet.");
    return undefined;
  }
  const items = state.table.name.map((label, i) => ({ label, description: state.table.title[i] ?? "" }));
  const chosen = await vscode.window.showQuickPick(items.reverse(), { title, matchOnDescription: true });
  return chosen?.label;
}
