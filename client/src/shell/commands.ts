import * as vscode from "vscode";

/** Commands of the extension, as package.json contributes them. */
export type CommandId =
  | "evotrainer.acceptHunk"
  | "evotrainer.approveProposal"
  | "evotrainer.openProposal"
  | "evotrainer.promoteVersion"
  | "evotrainer.propose"
  | "evotrainer.refreshProposals"
  | "evotrainer.rejectHunk"
  | "evotrainer.rejectProposal"
  | "evotrainer.revertVersion"
  | "evotrainer.reviseProposal"
  | "evotrainer.showGate"
  | "evotrainer.showLineage"
  | "evotrainer.refreshLineage"
  | "evotrainer.noteVersion"
  | "evotrainer.tagVersion"
  | "evotrainer.untagVersion"
  | "evotrainer.nameVersion"
  | "evotrainer.showVersion"
  | "evotrainer.compareVersions"
  | "evotrainer.openVersionDiff"
  | "evotrainer.restartServer"
  | "evotrainer.showLog"
  | "evotrainer.showEvidence"
  | "evotrainer.showRollouts"
  | "evotrainer.backtest"
  | "evotrainer.evolve"
  | "evotrainer.continueEvolution"
  | "evotrainer.stopEvolution"
  | "evotrainer.followEvolution"
  | "evotrainer.refreshJobs"
  | "evotrainer.showJob"
  | "evotrainer.followLog"
  | "evotrainer.cancelJob"
  | "evotrainer.rerunJob"
  | "evotrainer.openRunFolder"
  | "evotrainer.showOwner"
  | "evotrainer.selectProject"
  | "evotrainer.refreshSpecs"
  | "evotrainer.showLabelRollouts"
  | "evotrainer.chooseDiagnosticsVersion"
  | "evotrainer.addHost"
  | "evotrainer.checkHost"
  | "evotrainer.openExample";

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
    const message = e instanceof Error ? e.message : String(e);
    const answer = await vscode.window.showErrorMessage(`${what} failed: ${message}`, "Show Log");
    if (answer === "Show Log") log.show();
  }
}

/** Registers a command behind the guard; of a tree, `all` are the rows that are selected. Arguments come from anywhere and are the handler's to check. */
export function registerCommand(
  log: vscode.LogOutputChannel,
  id: CommandId,
  title: string,
  handler: (argument: unknown, all?: unknown) => unknown,
): vscode.Disposable {
  return vscode.commands.registerCommand(id, (argument: unknown, all: unknown) =>
    guarded(log, title, () => handler(argument, all)),
  );
}
