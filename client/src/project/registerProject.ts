import * as vscode from "vscode";
import { commandName } from "../../../shared/words/commandTitles.ts";
import { registerCommand } from "../shell/commands.ts";
import { newestAnswer } from "../connection/newestAnswer.ts";
import type { Server } from "../connection/languageClient.ts";
import type { ProjectChoice } from "./projectChoice.ts";

/** Puts up the choice between the projects of a workspace; with one project there is nothing to see of it. */
export function registerProject(
  server: Server,
  choice: ProjectChoice,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const status = vscode.window.createStatusBarItem("project", vscode.StatusBarAlignment.Left, 1);
  status.name = "EvoTrainer: Project";
  status.command = "evotrainer.selectProject";
  const show = (): void => {
    const { roots, current } = choice;
    const areMany = roots.length > 1;
    void vscode.commands.executeCommand("setContext", "evotrainer.manyProjects", areMany);
    status.text = `$(folder) ${current === undefined ? "" : choice.nameOf(current)}`;
    status.tooltip = `The views show the project ${current ?? ""}`;
    if (areMany) status.show();
    else status.hide();
  };
  const read = newestAnswer(
    () => server.projects(),
    (roots) => choice.found(roots),
  );
  const look = async (): Promise<void> => {
    if (server.state() !== "running") return;
    try {
      await read();
    } catch (e) {
      // The server went down while it was asked; it is asked again when it is back.
      log.warn("[project] the projects could not be listed", String(e));
    }
  };
  return vscode.Disposable.from(
    choice,
    status,
    server.onChange(look),
    choice.onDidChange(show),
    registerCommand(log, "evotrainer.selectProject", async () => {
      await look();
      const { current } = choice;
      const picked = await vscode.window.showQuickPick(
        choice.roots.map((root) => ({
          label: choice.nameOf(root),
          description: root === current ? "shown now" : "",
          detail: vscode.workspace.asRelativePath(root, true),
          root,
        })),
        { title: commandName("evotrainer.selectProject"), placeHolder: "The project that the views show" },
      );
      if (picked) await choice.choose(picked.root);
    }),
  );
}
