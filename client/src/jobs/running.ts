import * as vscode from "vscode";
import type { Server } from "../connection/languageClient.ts";
import { shownRoot, stopNow } from "./evolutionCommands.ts";
import { cancelNow } from "./jobCommands.ts";
import { isActive, jobDescription, jobLabel } from "./jobRows.ts";
import type { JobsSource } from "./jobsSource.ts";

type Entry = vscode.QuickPickItem & { readonly act?: () => unknown };

/**
 * What runs, and what can be done with it, in one list: its entries say what they do, so that none asks a second time.
 * Stopping is safe: what was written stays, and a job or an evolution can go on.
 */
export async function showRunning(
  server: Server,
  source: JobsSource,
  on: { readonly curves: () => unknown; readonly jobs: () => unknown },
): Promise<void> {
  await source.refresh();
  const { state } = source;
  const jobs = state.type === "jobs" ? state.jobs.filter(isActive) : [];
  const root = shownRoot(source);
  const isEvolving = state.type !== "loading" && state.evolution?.state === "running";
  const entries: Entry[] = [
    { label: "$(graph-line) Show the Curves of All Running Jobs", act: on.curves },
    { label: "$(list-tree) Show the Jobs in the Side Bar", act: on.jobs },
  ];
  if (isEvolving || jobs.length > 0)
    entries.push({ label: "stop", kind: vscode.QuickPickItemKind.Separator });
  if (isEvolving)
    entries.push(
      {
        label: "$(debug-stop) Stop the Evolution and Cancel Its Jobs",
        detail: "It can continue later from the step where it stopped. What the jobs have written stays.",
        act: () => stopNow(server, source, { root, cancelJobs: true }),
      },
      {
        label: "$(debug-pause) Stop the Evolution and Leave Its Jobs Running",
        act: () => stopNow(server, source, { root, cancelJobs: false }),
      },
    );
  if (state.type === "jobs")
    for (const job of jobs)
      entries.push({
        label: `$(debug-stop) Cancel ${jobLabel(job)}`,
        description: jobDescription(job),
        detail: "What it has written stays, and it can be run again.",
        act: () => cancelNow(server, source, { root: state.root, id: job.id }),
      });
  const picked = await vscode.window.showQuickPick(entries, {
    title: "What Is Running",
    placeHolder: jobs.length === 0 ? "No job is running." : "Choose what to look at, or what to stop",
  });
  await picked?.act?.();
}
