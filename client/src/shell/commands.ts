import * as vscode from "vscode";
import { inBlock } from "../../../shared/words/unseen.ts";
import { commandName, type CommandId } from "../../../shared/words/commandTitles.ts";
import { shownFailure, type Mend } from "./failures.ts";

/**
 * Runs a handler of a command or of a message: the only place where errors meet the user. What was called off is silent, a
 * known failure is its sentence with the button that mends it, and a bug is a short message with the way to the log, where
 * its stack is.
 */
export async function guarded(
  log: vscode.LogOutputChannel,
  what: string,
  handler: () => unknown,
): Promise<void> {
  try {
    await handler();
  } catch (thrown) {
    const failure = shownFailure(what, thrown);
    if (failure.type === "silent") return;
    if (failure.type === "bug") log.error(`[${what}] failed`, inBlock(failure.stack));
    else
      log.warn(
        inBlock(`[${what}] ${failure.message}`),
        thrown instanceof Error ? inBlock(causeOf(thrown)) : "",
      );
    await offer(failure.message, failure.mend);
  }
}

/** What led to a failure, for the log. */
function causeOf({ cause }: Error): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : "";
}

async function offer(message: string, { label, command, about }: Mend): Promise<void> {
  const answer = await vscode.window.showErrorMessage(inBlock(message), label);
  if (answer === label)
    await vscode.commands.executeCommand(command, ...(about === undefined ? [] : [about]));
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
