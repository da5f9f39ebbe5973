import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { constants, homedir, setPriority } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { CommandId } from "../../../shared/words/commandTitles.ts";
import { KnownFailure, manageTrust, showLog, type Mend } from "../shell/failures.ts";

/** A busy machine takes some time to lay out the finished one. */
const limitMs = 300_000;

/** An example as a command opens it. */
export type Example = {
  readonly command: CommandId;
  readonly folder: string;
  /** What `evotrainer init` is told besides the folder. */
  readonly options: readonly string[];
};
/** To evolve it. */
export const freshExample: Example = {
  command: "evotrainer.openExample",
  folder: "evotrainer-example",
  options: [],
};
/** As an evolution left it: there is a lineage to look at without a training. */
export const finishedExample: Example = {
  command: "evotrainer.openFinishedExample",
  folder: "evotrainer-finished-example",
  options: ["--finished"],
};

/** Under this key stands the folder whose lineage is shown once its window is there. */
const lineageOf = "evotrainer.lineageOf";

/** Shows the lineage in the window of a finished example that was just made; the window that made it is gone by then. */
export async function showFinished(state: vscode.Memento): Promise<void> {
  const folder = state.get(lineageOf);
  if (folder === undefined || vscode.workspace.workspaceFolders?.[0]?.uri.fsPath !== folder) return;
  await state.update(lineageOf, undefined);
  await vscode.commands.executeCommand("evotrainer.showLineage");
}

/**
 * Makes the example in a folder that the user picks, or a new one in the home folder, with a repository of its own, and opens
 * it. Answers with the folder; undefined when none was picked.
 */
export async function openExample(
  example: Example,
  { cli, state }: { readonly cli: string; readonly state: vscode.Memento },
  given?: unknown,
): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted)
    throw new KnownFailure(
      "EvoTrainer runs nothing in a workspace that you do not trust; open the example from an empty window.",
      manageTrust,
    );
  const folder = typeof given === "string" ? given : await chooseFolder(example);
  if (folder === undefined) return undefined;
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Creating the example in ${folder}` },
    () => makeExample(example, cli, folder),
  );
  if (example === finishedExample) await state.update(lineageOf, folder);
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), {
    forceReuseWindow: true,
  });
  return folder;
}

async function chooseFolder({ command, folder }: Example): Promise<string | undefined> {
  const proposed = freeName(homedir(), folder);
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
      title: `EvoTrainer creates the folder ${folder} in it`,
    })) ?? [];
  if (parent === undefined) return undefined;
  const again: Mend = { label: "Choose Another Place", command };
  if (parent.scheme !== "file")
    throw new KnownFailure("The example needs a folder on a local disk; choose another one.", again);
  return freeName(parent.fsPath, folder);
}

/** The first name that is not taken: the example of yesterday stays as it is. */
function freeName(parent: string, name: string): string {
  for (let n = 1; ; n++) {
    const folder = join(parent, n === 1 ? name : `${name}-${n}`);
    if (!existsSync(folder)) return folder;
  }
}

const lastLine = (text: string): string | undefined => text.trim().split("\n").at(-1) || undefined;

/** The window that is opened next has the processor before what a process still does. */
function letWindowGoFirst(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not let us: the example is there either way.
  }
}

/**
 * As `evotrainer init` does it, in a process of its own: the project is there once it says so. What it does after that, which is
 * to label the rollouts of the finished example, goes on while the window loads. @throws KnownFailure with its words
 */
async function makeExample({ options }: Example, cli: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const child = spawn(process.execPath, [cli, "init", folder, ...options], {
    // The program of an editor works as Node only when it is told to.
    env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    // The window that began it is gone before it ends.
    detached: true,
    windowsHide: true,
  });
  const limit = setTimeout(() => child.kill(), limitMs);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  try {
    await new Promise<void>((resolve, reject) => {
      const failed = (cause?: Error): void =>
        reject(new KnownFailure(lastLine(stderr) ?? "The example could not be created.", showLog, { cause }));
      child.stdout.once("data", () => resolve());
      child.once("error", failed);
      child.once("close", (code) => (code === 0 ? resolve() : failed()));
    });
    letWindowGoFirst(child.pid);
  } finally {
    clearTimeout(limit);
    child.unref();
  }
}
