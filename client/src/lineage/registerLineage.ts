import * as vscode from "vscode";
import type { NoteKind } from "../../../shared/model/noteKinds.ts";
import type { LineageAction, LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import type { CommandId } from "../../../shared/words/commandTitles.ts";
import { inLine } from "../../../shared/words/unseen.ts";
import { registerCommand } from "../shell/commands.ts";
import { askEngine, askVersion, valueOf } from "../connection/engineAnswer.ts";
import { peopleOnLabels } from "../connection/peopleOnLabels.ts";
import { openCells } from "../rollout/openCells.ts";
import type { EvidencePanel } from "../evidence/evidencePanel.ts";
import type { Server } from "../connection/languageClient.ts";
import { VersionArgument } from "../shell/inputSchemas.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { KnownFailure, openFolder } from "../shell/failures.ts";
import { LineagePanel, type VersionNote } from "./lineagePanel.ts";
import { standingText, statusText } from "./lineageRows.ts";
import { LineageSource } from "./lineageSource.ts";
import { lineageOf } from "./lineageOf.ts";
import { LineageTree } from "./lineageTree.ts";

/** The version that a command is about, and its project: a row of the tree, or what another view passes. */
export const versionNamed = (argument: unknown): NamedVersion | undefined => {
  const { data } = VersionArgument.safeParse(argument);
  return data && { name: data.name, root: data.root };
};
export type NamedVersion = { readonly name: string; readonly root: string | undefined };

/** More items than anybody scrolls through. */
const mostItems = 2000;

type Dependencies = {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly project: ProjectChoice;
  readonly log: vscode.LogOutputChannel;
  readonly evidence: Pick<EvidencePanel, "show">;
};

/** Puts up the lineage: tree, panel, status bar and its commands. */
export function registerLineage({ context, server, project, log, evidence }: Dependencies): {
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
  const note = async (root: string | undefined, { name, what, value }: VersionNote): Promise<void> => {
    const question = { ask: "note", version: name, what, value } as const;
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
    compare: (names) =>
      vscode.commands.executeCommand("evotrainer.compareVersions", {
        ...{ names, ...(source.root === undefined ? {} : { root: source.root }) },
      }),
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
    registerCommand(log, "evotrainer.showLineage", async (argument) => {
      const version = versionNamed(argument);
      if (version?.root !== undefined) await showProject(project, source, version.root);
      panel.show(version?.name);
    }),
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
    openGate: (id) => run("evotrainer.showGate", { ...at(), id }),
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
  note: (root: string | undefined, said: VersionNote) => Promise<void>,
): vscode.Disposable[] {
  /** What the engine did not take, by what it was about: it stands there when somebody asks again. */
  const refused = new Map<string, string>();
  /** Asks for the words, then writes them down. */
  const say = (what: NoteKind, prompt: (name: string) => string) => async (argument: unknown) => {
    const version = versionNamed(argument) ?? (await chooseVersion(source));
    if (version === undefined) return;
    // While a person is asked, another project may be chosen.
    const { name, root = source.root } = version;
    const about = JSON.stringify([root, name, what]);
    const written = refused.get(about);
    const value = await vscode.window.showInputBox({
      ...{ prompt: prompt(name), ignoreFocusOut: true },
      ...(written === undefined ? {} : { value: written }),
    });
    if (value === undefined || (value === "" && what !== "name")) return;
    refused.set(about, value);
    await note(root, { name, what, value });
    refused.delete(about);
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
      const version = versionNamed(argument) ?? (await chooseVersion(source));
      const { state } = source;
      if (version === undefined || state.type !== "lineage") return;
      const { name, root = source.root } = version;
      const index = root === source.root ? state.table.find(name) : undefined;
      if (index === undefined) return;
      const { tags } = state.table.saidOf(index);
      if (tags.length === 0) void vscode.window.showInformationMessage(`${name} has no tags.`);
      const tag =
        tags.length === 0
          ? undefined
          : await vscode.window.showQuickPick(tags, { title: `Remove a tag from ${name}` });
      if (tag !== undefined) await note(root, { name, what: "untag", value: tag });
    }),
  ];
}

/** Lets a person choose a version of the lineage that is shown, the newest first. */
export function chooseVersion(source: LineageSource, title = "Version"): Promise<NamedVersion | undefined> {
  const { state, root } = source;
  return chooseFrom(state.type === "lineage" ? state.table : undefined, { root, title });
}

/** Lets a person choose a version of a project, whichever lineage is shown. */
export async function chooseVersionOf(
  server: Pick<Server, "lineage">,
  source: LineageSource,
  { root, title }: { readonly root: string | undefined; readonly title: string },
): Promise<NamedVersion | undefined> {
  if (root === undefined || root === source.root) return chooseVersion(source, title);
  return chooseFrom(await lineageOf(server, root), { root, title });
}

async function chooseFrom(
  table: Pick<LineageTable, "name" | "title"> | undefined,
  { root, title }: { readonly root: string | undefined; readonly title: string },
): Promise<NamedVersion | undefined> {
  if (table === undefined) {
    void vscode.window.showInformationMessage("There are no versions yet.");
    return undefined;
  }
  const items = table.name.map((label, i) => ({ label, description: table.title[i] ?? "" }));
  const chosen = await vscode.window.showQuickPick(items.reverse(), { title, matchOnDescription: true });
  return chosen && { root, name: chosen.label };
}

/** Has the views show a project, where they show another one. */
async function showProject(project: ProjectChoice, source: LineageSource, root: string): Promise<void> {
  if (project.current === undefined || root === project.current) return;
  if (!project.roots.includes(root))
    throw new KnownFailure(
      `This version belongs to the project ${root}, which is not open in this window. Open its folder to see its lineage.`,
      openFolder,
    );
  await project.choose(root);
  // What is shown in the panel is looked for in the lineage of this project.
  await source.refresh();
  void vscode.window.setStatusBarMessage(`The views now show the project ${project.nameOf(root)}.`, 10_000);
}
