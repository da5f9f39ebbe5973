import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { KnownFailure, manageTrust, showLog, type Mend } from "../shell/failures.ts";

const folderName = "evotrainer-example";
const limitMs = 60_000;
const openExampleAgain: Mend = { label: "Choose Another Place", command: "evotrainer.openExample" };

/**
 * Copies the example project into a folder that the user picks, or a new one in the home folder, commits it to a repository
 * of its own, and opens it. Answers with the folder; undefined when none was picked.
 */
export async function openExample(cli: string, given?: unknown): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted)
    throw new KnownFailure(
      "EvoTrainer runs nothing in a workspace that you do not trust; open the example from an empty window.",
      manageTrust,
    );
  const folder = typeof given === "string" ? given : await chooseFolder();
  if (folder === undefined) return undefined;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Creating the example in ${folder}` },
    () => makeExample(cli, folder),
  );
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), {
    forceReuseWindow: true,
  });
  return folder;
}

async function chooseFolder(): Promise<string | undefined> {
  const proposed = freeName(homedir());
  const picked = await vscode.window.showQuickPick(
    [
      { label: "$(folder) A new folder in your home folder", description: proposed, type: "home" as const },
      { label: "$(folder-opened) Choose another place…", description: "", type: "other" as const },
    ],
    { title: "Where should the example project go?" },
  );
  if (picked === undefined) return undefined;
  if (picked.type === "home") return proposed;
  const [parent] =
    (await vscode.window.showOpenDialog({
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: "Put the Example Here",
      title: `EvoTrainer creates the folder ${folderName} in it`,
    })) ?? [];
  if (parent === undefined) return undefined;
  if (parent.scheme !== "file")
    throw new KnownFailure(
      "The example needs a folder on a local disk; choose another one.",
      openExampleAgain,
    );
  return freeName(parent.fsPath);
}

/** The first name that is not taken: the example of yesterday stays as it is. */
function freeName(parent: string): string {
  for (let n = 1; ; n++) {
    const folder = join(parent, n === 1 ? folderName : `${folderName}-${n}`);
    if (!existsSync(folder)) return folder;
  }
}

const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1) || undefined;

/** As `evotrainer init` does it, in a process of its own. @throws KnownFailure with its words */
async function makeExample(cli: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await new Promise<void>((resolve, reject) => {
    execFile(
      process.execPath,
      [cli, "init", folder],
      // The program of an editor works as Node only when it is told to.
      { env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" }, timeout: limitMs, windowsHide: true },
      (error, _stdout, stderr) => {
        if (error === null) resolve();
        else
          reject(
            new KnownFailure(lastLine(stderr) ?? "The example could not be created.", showLog, {
              cause: error,
            }),
          );
      },
    );
  });
}
