import * as vscode from "vscode";
import type { LineageStanding } from "../../../shared/protocol/views/lineage.ts";
import { counted } from "../../../shared/words/numbers.ts";
import { commandName, type CommandId } from "../../../shared/words/commandTitles.ts";
import { registerCommand } from "../shell/commands.ts";
import type { Server } from "../connection/languageClient.ts";
import { ProjectArgument } from "../shell/inputSchemas.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import { continueEvolution, runGeneration, shownRoot, stopEvolution } from "./evolutionCommands.ts";
import { Followers } from "./follow.ts";
import { cancelJob, chooseJob, openRunFolder, rerunJob } from "./jobCommands.ts";
import { JobPanels, jobPanelType, type JobKey } from "./jobPanel.ts";
import { mayCancel, mayRerun, ownerStatus, runningOf, spendingText } from "./jobRows.ts";
import { JobsSource } from "./jobsSource.ts";
import { activeJobs, JobsTree } from "./jobsTree.ts";
import { showRunning } from "./running.ts";
import { RunsPanel } from "./runsPanel.ts";
import { failureTeller } from "./tellFailures.ts";
import { showStatusItems } from "./statusItems.ts";

type Dependencies = {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly project: ProjectChoice;
  readonly log: vscode.LogOutputChannel;
  /** Tells the lineage what runs. */
  readonly tellStanding: (standing: Pick<LineageStanding, "running">) => void;
};

/** Jobs and the evolution: tree, panels, logs, status bar, commands, and a word about failures. */
export function registerJobs({
  context,
  server,
  project,
  log,
  tellStanding,
}: Dependencies): vscode.Disposable {
  const source = new JobsSource(server, log);
  const tree = new JobsTree(source);
  const view = vscode.window.createTreeView("evotrainer.jobs", { treeDataProvider: tree });
  const followers = new Followers({ server, project, log, memento: context.workspaceState });
  const panels: JobPanels = new JobPanels({
    extensionUri: context.extensionUri,
    server,
    project,
    source,
    log,
    act: (action, job): unknown => {
      switch (action) {
        case "log":
          followers.job(job);
          return undefined;
        case "cancel":
          return cancelJob({ server, source, project }, job);
        case "rerun":
          return rerunJob(server, source, job).then((key) => panels.show(key));
        case "openFolder":
          return openRunFolder(server, project, job);
        case "rollouts":
          return vscode.commands.executeCommand("evotrainer.showEvidence", {
            ...{ name: job.version, root: job.root },
          });
      }
    },
  });

  const runs = new RunsPanel({
    extensionUri: context.extensionUri,
    server,
    source,
    log,
    open: (key) => panels.show(key),
    cancel: (key) => cancelJob({ server, source, project }, key),
  });

  const tellFailures = failureTeller({ memento: context.workspaceState, source, followers, panels, log });
  const update = (): void => {
    const active = activeJobs(source);
    view.badge = active === 0 ? undefined : { value: active, tooltip: counted(active, "unfinished job") };
    const { state } = source;
    const cut = state.type === "jobs" && state.total > state.jobs.length;
    view.message = [
      cut ? `The newest ${state.jobs.length} of ${counted(state.total, "job")}.` : "",
      state.type === "jobs" ? spendingText(state.spending) : "",
    ]
      .filter((line) => line !== "")
      .join(" ");
    tellFailures();
    tellStanding({ running: runningOf(state.type === "jobs" ? state.jobs : []) });
  };
  followers.restore();
  void source.refresh();
  return vscode.Disposable.from(
    source,
    tree,
    view,
    followers,
    panels,
    runs,
    showStatusItems(source),
    source.onDidChange(update),
    vscode.window.registerWebviewPanelSerializer(jobPanelType, panels),
    ...commandsOf({ server, project, source, followers, panels, runs }).map(([id, handler]) =>
      registerCommand(log, id, handler),
    ),
  );
}

/** The project that a command was called for: that of a row or of a card. */
const rootOf = (argument: unknown): string | undefined => ProjectArgument.safeParse(argument).data?.root;

type JobCommand = readonly [CommandId, (argument: unknown) => unknown];

function commandsOf({
  server,
  project,
  source,
  followers,
  panels,
  runs,
}: {
  readonly server: Server;
  readonly project: ProjectChoice;
  readonly source: JobsSource;
  readonly followers: Followers;
  readonly panels: JobPanels;
  readonly runs: RunsPanel;
}): readonly JobCommand[] {
  const onJob =
    (id: CommandId, none: string, fits: Parameters<typeof chooseJob>[2]["fits"]) =>
    (act: (key: JobKey) => unknown) =>
    async (argument: unknown): Promise<void> => {
      const key = await chooseJob(source, argument, { title: commandName(id), none, fits });
      if (key) await act(key);
    };
  const any = () => true;
  const noJob = "There are no jobs yet.";
  return [
    ["evotrainer.evolve", (argument) => runGeneration(server, source, rootOf(argument))],
    ["evotrainer.continueEvolution", (argument) => continueEvolution(server, source, rootOf(argument))],
    ["evotrainer.stopEvolution", (argument) => stopEvolution(server, source, rootOf(argument))],
    ["evotrainer.followEvolution", (argument) => followers.evolution(rootOf(argument) ?? shownRoot(source))],
    ["evotrainer.showRuns", () => runs.show()],
    [
      "evotrainer.showRunning",
      () =>
        showRunning(server, source, {
          curves: () => runs.show(),
          jobs: () => vscode.commands.executeCommand("evotrainer.jobs.focus"),
        }),
    ],
    ["evotrainer.refreshJobs", () => source.refresh()],
    ["evotrainer.showJob", onJob("evotrainer.showJob", noJob, any)((key) => panels.show(key))],
    ["evotrainer.followLog", onJob("evotrainer.followLog", noJob, any)((key) => followers.job(key))],
    [
      "evotrainer.openRunFolder",
      onJob("evotrainer.openRunFolder", noJob, any)((key) => openRunFolder(server, project, key)),
    ],
    [
      "evotrainer.cancelJob",
      onJob(
        "evotrainer.cancelJob",
        "No job is running.",
        mayCancel,
      )((key) => cancelJob({ server, source, project }, key)),
    ],
    [
      "evotrainer.rerunJob",
      onJob(
        "evotrainer.rerunJob",
        "No job has failed or been cancelled.",
        mayRerun,
      )((key) => rerunJob(server, source, key)),
    ],
    ["evotrainer.showOwner", () => showOwner(source)],
  ];
}

function showOwner({ state }: JobsSource): void {
  const evolution = state.type === "loading" ? undefined : state.evolution;
  const text = evolution && ownerStatus(evolution);
  void vscode.window.showInformationMessage(text?.tooltip ?? "No process has the archive open.");
}
