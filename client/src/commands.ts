import * as vscode from "vscode";
import { commandName, commandTitles, type CommandId } from "../../shared/words/commandTitles.ts";

/**
 * Runs a handler of a command or of a message: the only place where errors meet the user. A cancelled one is silent,
 * any other gives a short message with the way to the log, where the stack is.
 */
export async function guarded(
  log: vscode.LogOutputChannel,
  what: string,
  handler: () => unknown,
): Promise<void> {
  try {
    await handler();
  } catch (e) {
    if (e instanceof vscode.CancellationError) return;
    log.error(`[${what}] failed`, e instanceof Error ? (e.stack ?? e.message) : String(e));
    const showLog = commandTitles["evotrainer.showLog"];
    const message = e instanceof Error ? e.message : String(e);
    const answer = await vscode.window.showErrorMessage(`${what} failed: ${message}`, showLog);
    if (answer === showLog) log.show();
  }
}

/** Registers a command behind the guard; of a tree, `all` are the rows that are selected. Arguments come from anywhere and are the handler's to check. */
export function registerCommand(
  log: vscode.LogOutputChannel,
  id: CommandId,
  handler: (argument: unknown, all?: unknown) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(id, (argument: unknown, all: unknown) =>
    guarded(log, commandName(id), () => handler(argument, all)),
  );
}
