import * as vscode from "vscode";
import { guarded } from "../shell/commands.ts";
import { KeptWatch } from "../shell/inputSchemas.ts";
import { failuresSince, type Watched } from "./failureNotes.ts";
import type { Followers } from "./follow.ts";
import type { JobPanels } from "./jobPanel.ts";
import type { JobsSource } from "./jobsSource.ts";

const watchedKey = "evotrainer.watched";

/** Gives what tells a person, once each, of jobs and evolutions that failed since the window was last looked at. */
export function failureTeller({
  memento,
  source,
  followers,
  panels,
  log,
}: {
  readonly memento: vscode.Memento;
  readonly source: JobsSource;
  readonly followers: Followers;
  readonly panels: JobPanels;
  readonly log: vscode.LogOutputChannel;
}): () => void {
  /** By project: what had failed in another one is no news. */
  const watched = new Map<string, Watched>();
  return () => {
    const { state } = source;
    // A project without jobs was looked at as well.
    const seen =
      state.type === "jobs" ? state : state.type === "empty" && state.evolution ? state : undefined;
    if (seen?.evolution === undefined) return;
    const { root = "" } = seen;
    const key = `${watchedKey} ${root}`;
    const before = watched.get(root) ??
      KeptWatch.safeParse(memento.get(key)).data ?? { active: [], evolution: false };
    const jobs = seen.type === "jobs" ? seen.jobs : [];
    const found = failuresSince(before, { jobs, evolution: seen.evolution });
    if (JSON.stringify(found.watched) !== JSON.stringify(before)) void memento.update(key, found.watched);
    watched.set(root, found.watched);
    if (!vscode.workspace.getConfiguration("evotrainer").get<boolean>("notifications.failures", true)) return;
    for (const { message, job } of found.notes)
      void guarded(log, "Showing a failure", async () => {
        const show = job === null ? "Follow Evolution" : "Show Job";
        const answer = await vscode.window.showErrorMessage(message, show);
        if (answer === undefined) return;
        if (job === null) followers.evolution(seen.root);
        else if (root !== "") panels.show({ root, id: job });
      });
  };
}
