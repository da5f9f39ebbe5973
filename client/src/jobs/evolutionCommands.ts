import * as vscode from "vscode";
import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import type { ServiceParams, ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { answered, askEngine, valueOf } from "../connection/engineAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import { isActive } from "./jobRows.ts";
import type { JobsSource } from "./jobsSource.ts";

type Service = "evolution.start" | "evolution.continue" | "evolution.stop" | "evolution.status";

/** The folder of a project; undefined for the one that is chosen. */
type Root = string | undefined;

const inRoot = (root: Root): { readonly root?: string } => (root === undefined ? {} : { root });

async function ask<N extends Service>(
  server: Server,
  root: Root,
  service: N,
  params: ServiceParams<N>,
): Promise<ServiceResult<N>> {
  return valueOf(await askEngine(server, { ...inRoot(root), service, params }));
}

/** What the settings say about an evolution that is started from the editor. */
function settings(): { autonomy?: "full" | "human_gated" } {
  const autonomy: unknown = vscode.workspace.getConfiguration("evotrainer").get("evolution.autonomy");
  return autonomy === "full" || autonomy === "human_gated" ? { autonomy } : {};
}

/** Specs in unsaved editors and uncommitted files are no part of a version: nobody shall find out after an hour. */
async function saveSpecs(): Promise<void> {
  if (
    vscode.workspace.textDocuments.some(
      ({ isDirty, languageId }) => isDirty && languageId === "evotrainer-spec",
    )
  )
    await vscode.workspace.saveAll(false);
}

/** Where the jobs run: asked for where evotrainer.yaml names hosts, unless the setting says it. Undefined when left. */
async function chooseHost(status: EvolutionStatus): Promise<string | null | undefined> {
  const wanted: unknown = vscode.workspace.getConfiguration("evotrainer").get("evolution.host");
  if (typeof wanted === "string" && wanted !== "") return wanted;
  if (status.hosts.length === 0) return null;
  const usual = status.usualHosts.join(",");
  const items = [
    ...(usual === ""
      ? []
      : [
          {
            label: status.usualHosts.join(", "),
            host: usual,
            description: "trainer.hosts of evotrainer.yaml",
          },
        ]),
    { label: "This machine", host: null, description: status.host === null ? "where it ran last" : "" },
    ...status.hosts.map((host) => ({
      label: host,
      host,
      description: status.host === host ? "where it ran last" : "",
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, { title: "Where should the jobs run?" });
  return picked?.host;
}

/** Starts the next generation, or a new evolution where the last one cannot go on. */
export async function runGeneration(server: Server, source: JobsSource, given?: Root): Promise<void> {
  const question = { ...inRoot(given), service: "evolution.status", params: {} } as const;
  // While a person is asked, another project may be chosen: what is started is what the question was about.
  const { root, value: status } = answered(await askEngine(server, question));
  let restart = false;
  if (status.state === "blocked") {
    const answer = await vscode.window.showWarningMessage(
      "This evolution cannot continue. Start a new one from the newest commit?",
      { modal: true, detail: `${status.message}\n\nThe versions so far stay in the lineage.` },
      "Start a New Evolution",
    );
    if (answer === undefined) return;
    restart = true;
  }
  await saveSpecs();
  const host = status.state === "running" ? undefined : await chooseHost(status);
  if (host === undefined && status.state !== "running") return;
  await started(source, () =>
    ask(server, root, "evolution.start", {
      ...settings(),
      ...(host === undefined ? {} : { host }),
      restart,
    }),
  );
}

/** Goes on with an evolution that stands: after an approval, a stop, a crash. */
export async function continueEvolution(server: Server, source: JobsSource, root?: Root): Promise<void> {
  await started(source, () => ask(server, root, "evolution.continue", settings()));
}

async function started(source: JobsSource, begin: () => Promise<EvolutionStatus>): Promise<void> {
  const location = { viewId: "evotrainer.jobs" };
  const status = await vscode.window.withProgress({ location }, begin);
  await source.refresh();
  if (status.state === "gate" || status.state === "done")
    void vscode.window.setStatusBarMessage(`EvoTrainer: ${status.message}`, 10_000);
}

/** The project whose jobs and evolution are shown. */
export const shownRoot = ({ state }: JobsSource): Root => (state.type === "loading" ? undefined : state.root);

/** Stops the process of the evolution, and its jobs if they are not wanted any more. */
export async function stopEvolution(server: Server, source: JobsSource, given?: Root): Promise<void> {
  const root = given ?? shownRoot(source);
  const running = source.state.type === "jobs" && source.state.jobs.some(isActive);
  const keep = running ? "Stop and Leave Jobs Running" : "Stop";
  const cancel = "Stop and Cancel Jobs";
  const answer = await vscode.window.showWarningMessage(
    "Stop the evolution?",
    {
      modal: true,
      detail: running
        ? "The evolution stops between two steps and can continue from there later. It then picks up the jobs that you left running."
        : "The evolution stops between two steps and can continue from there later.",
    },
    ...(running ? [keep, cancel] : [keep]),
  );
  if (answer !== undefined) await stopNow(server, source, { root, cancelJobs: answer === cancel });
}

/** Stops the process of the evolution without a question. */
export async function stopNow(
  server: Server,
  source: JobsSource,
  { root, cancelJobs }: { readonly root: Root; readonly cancelJobs: boolean },
): Promise<void> {
  await vscode.window.withProgress({ location: { viewId: "evotrainer.jobs" } }, () =>
    ask(server, root, "evolution.stop", { cancelJobs }),
  );
  await source.refresh();
}
