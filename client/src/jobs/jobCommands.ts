import * as vscode from "vscode";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import type { JobRow } from "../../../shared/protocol/views/job.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { JobArgument } from "../shell/inputSchemas.ts";
import { jobDescription, jobLabel } from "./jobRows.ts";
import type { JobKey } from "./jobPanel.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import type { JobsSource } from "./jobsSource.ts";

/**
 * The job that a command is about: the row that it was called on, or the one that is picked among those that it can be
 * done to. Undefined when nothing is picked.
 */
export async function chooseJob(
  source: JobsSource,
  argument: unknown,
  options: { readonly title: string; readonly fits: (job: JobRow) => boolean; readonly none: string },
): Promise<JobKey | undefined> {
  const given = JobArgument.safeParse(argument).data;
  if (given) return given;
  await source.refresh();
  const { state } = source;
  const fitting = state.type === "jobs" ? state.jobs.filter(options.fits) : [];
  if (state.type !== "jobs" || fitting.length === 0) {
    void vscode.window.showInformationMessage(options.none);
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    fitting.map((job) => ({ label: jobLabel(job), description: jobDescription(job), id: job.id })),
    { title: options.title, placeHolder: "Choose a job" },
  );
  return picked && { root: state.root, id: picked.id };
}

type Titles = Pick<ProjectChoice, "titled">;

/** Asks whether a job is to be cancelled, and cancels it. */
export async function cancelJob(
  {
    server,
    source,
    project,
  }: { readonly server: Server; readonly source: JobsSource; readonly project: Titles },
  key: JobKey,
): Promise<void> {
  const answer = await vscode.window.showWarningMessage(
    `Cancel the job ${project.titled(key.id, key.root)}?`,
    {
      modal: true,
      detail:
        "EvoTrainer asks the trainer to stop, and kills it if it does not. What it has written stays, and you can run the job again.",
    },
    commandTitles["evotrainer.cancelJob"],
  );
  if (answer === commandTitles["evotrainer.cancelJob"]) await cancelNow(server, source, key);
}

/** Cancels a job without a question. */
export async function cancelNow(server: Server, source: JobsSource, { root, id }: JobKey): Promise<void> {
  valueOf(await askEngine(server, { root, service: "jobs.cancel", params: { job: id } }));
  await source.refresh();
}

/** Runs a job once more and says under which name. */
export async function rerunJob(server: Server, source: JobsSource, { root, id }: JobKey): Promise<JobKey> {
  const { job } = await vscode.window.withProgress({ location: { viewId: "evotrainer.jobs" } }, async () =>
    valueOf(await askEngine(server, { root, service: "jobs.rerun", params: { job: id } })),
  );
  await source.refresh();
  return { root, id: job };
}

/** Shows the folder of a run where the editor runs on the same machine; elsewhere a terminal opens in it. */
export async function openRunFolder(server: Server, project: Titles, { root, id }: JobKey): Promise<void> {
  const params = { job: id, lines: 0 };
  const { directory } = valueOf(await askEngine(server, { root, service: "jobs.show", params }));
  if (vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop)
    await vscode.commands.executeCommand("revealFileInOS", vscode.Uri.file(directory));
  else vscode.window.createTerminal({ name: project.titled(`Run ${id}`, root), cwd: directory }).show();
}
