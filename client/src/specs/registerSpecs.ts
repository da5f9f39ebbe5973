import * as vscode from "vscode";
import { showRolloutsCommand } from "../../../shared/protocol/views/lensCommands.ts";
import { registerCommand } from "../shell/commands.ts";
import { askEngine, valueOf } from "../connection/engineAnswer.ts";
import { peopleOnLabels } from "../connection/peopleOnLabels.ts";
import type { Server } from "../connection/languageClient.ts";
import type { ProjectChoice } from "../project/projectChoice.ts";
import type { LineageSource } from "../lineage/lineageSource.ts";
import { SpecArgument } from "../shell/inputSchemas.ts";
import { diagnosticNodes, skillNodes } from "./specRows.ts";
import { SpecTree } from "./specTree.ts";

/** Which version the rates of a project are of. */
const versionKey = (root: string): string => `evotrainer.diagnostics.version ${root}`;

/** The trees of diagnostics and skills, and their commands. */
export function registerSpecs(dependencies: {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly project: Pick<ProjectChoice, "current">;
  readonly lineage: LineageSource;
  readonly log: vscode.LogOutputChannel;
}): vscode.Disposable {
  const { context, server, project, lineage, log } = dependencies;
  const { workspaceState } = context;
  const diagnostics = new SpecTree(server, log, {
    view: "evotrainer.diagnostics",
    service: "diagnostics.list",
    project,
    params: (root) => {
      const version = root === undefined ? undefined : workspaceState.get<unknown>(versionKey(root));
      return typeof version === "string" ? { version } : {};
    },
    nodes: async (list, root) => diagnosticNodes(list, root, await peopleOnLabels(server, root)),
  });
  const skills = new SpecTree(server, log, {
    view: "evotrainer.skills",
    service: "skills.list",
    project,
    params: () => ({}),
    nodes: skillNodes,
  });
  return vscode.Disposable.from(
    diagnostics,
    skills,
    registerCommand(log, "evotrainer.refreshSpecs", async () => {
      await Promise.all([diagnostics.refresh(), skills.refresh()]);
    }),
    registerCommand(log, "evotrainer.showLabelRollouts", (argument) => {
      const row = SpecArgument.safeParse(argument).data;
      return vscode.commands.executeCommand(
        showRolloutsCommand,
        row && { root: row.root, subject: row.name },
      );
    }),
    registerCommand(log, "evotrainer.applySkill", async (argument) => {
      const row = SpecArgument.safeParse(argument).data;
      if (row !== undefined) await applySkill(server, row);
    }),
    registerCommand(log, "evotrainer.chooseDiagnosticsVersion", async () => {
      // While a person is asked, another project may be chosen.
      const { root } = lineage;
      const version = await chooseVersion(lineage);
      if (version === undefined || root === undefined) return;
      await workspaceState.update(versionKey(root), version ?? undefined);
      await diagnostics.refresh();
    }),
  );
}

/** Proposes the change of a skill, and opens the proposal, which waits for its answer. */
async function applySkill(
  server: Server,
  { root, name }: { readonly root: string; readonly name: string },
): Promise<void> {
  const question = { root, service: "skills.apply", params: { name } } as const;
  const { proposals } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: `Applying ${name}` },
    async () => valueOf(await askEngine(server, question)),
  );
  for (const { id } of proposals)
    await vscode.commands.executeCommand("evotrainer.openProposal", { root, id });
}

/** A version of the lineage; null for whatever is the best, undefined when nothing is chosen. */
async function chooseVersion(lineage: LineageSource): Promise<string | null | undefined> {
  const best = { label: "Best version", description: "whichever that is", name: null };
  const picked = await vscode.window.showQuickPick(
    [
      best,
      ...lineage.versions.reverse().map(({ name, title }) => ({ label: name, description: title, name })),
    ],
    { title: "Show the rates of which version?" },
  );
  return picked?.name;
}
