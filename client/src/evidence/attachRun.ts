import { basename } from "node:path";
import * as vscode from "vscode";
import { KnownFailure, manageTrust } from "../shell/failures.ts";

/**
 * Asks for the folder that a run of somebody else writes into, here or on a host, and follows it in a terminal, as
 * `evotrainer attach` does: what came in is in the evidence view, and the run is only read. Gives the terminal; undefined when
 * no folder was given.
 */
export async function attachRun(
  cli: string,
  cwd: string | undefined,
  given?: unknown,
): Promise<vscode.Terminal | undefined> {
  if (!vscode.workspace.isTrusted)
    throw new KnownFailure("EvoTrainer runs nothing in a workspace that you do not trust.", manageTrust);
  const at = cwd ?? vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
  if (at === undefined) {
    void vscode.window.showInformationMessage(
      "Open a folder first: what a followed run writes goes into the archive of that folder.",
    );
    return undefined;
  }
  const folder = typeof given === "string" ? given : await chooseRun();
  if (folder === undefined || folder.trim() === "") return undefined;
  const terminal = vscode.window.createTerminal({
    name: `Attach ${basename(folder)}`,
    iconPath: new vscode.ThemeIcon("eye"),
    cwd: at,
    shellPath: process.execPath,
    shellArgs: [cli, "attach", "--", folder],
    // The editor's own executable is a Node only when it is told so.
    env: { ELECTRON_RUN_AS_NODE: "1" },
  });
  terminal.show(true);
  return terminal;
}

async function chooseRun(): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick(
    [
      { label: "$(folder-opened) A folder of this machine…", type: "here" as const },
      { label: "$(remote) A folder of a host, over ssh…", type: "host" as const },
    ],
    { title: "Where does the run write?" },
  );
  if (picked?.type === "host")
    return vscode.window.showInputBox({
      title: "Folder of the run",
      prompt: "host:folder, with a host that ssh or the project knows",
      placeHolder: "gpu1:/data/runs/grpo-17",
      ignoreFocusOut: true,
      validateInput: (text) =>
        text.trim() === "" || /^[^/\\:]{2,}:./.test(text.trim()) ? undefined : "Write it as host:folder.",
    });
  if (picked === undefined) return undefined;
  const [folder] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: "Follow This Run",
      title: "The folder that the run writes into",
    })) ?? [];
  return folder?.fsPath;
}
