import { commandOf, serviceViewNames, titleOf, type ServiceViewCommand } from "./serviceViews.ts";

const ownTitles = {
  "evotrainer.showLineage": "Show Lineage",
  "evotrainer.refreshLineage": "Refresh Lineage",
  "evotrainer.showEvidence": "Show Evidence",
  "evotrainer.restartServer": "Restart Language Server",
  "evotrainer.showLog": "Show Log",
  "evotrainer.showRollouts": "Show Rollouts with a Label",
  "evotrainer.backtest": "Backtest a Spec",
  "evotrainer.refreshProposals": "Refresh Proposals",
  "evotrainer.propose": "Propose a Change",
  "evotrainer.showGate": "Review Proposal",
  "evotrainer.openProposal": "Open Changes of Proposal",
  "evotrainer.approveProposal": "Approve Proposal",
  "evotrainer.reviseProposal": "Revise Proposal…",
  "evotrainer.rejectProposal": "Reject Proposal…",
  "evotrainer.acceptHunk": "Accept Hunk",
  "evotrainer.rejectHunk": "Reject Hunk",
  "evotrainer.revertVersion": "Revert Version…",
  "evotrainer.promoteVersion": "Promote Version…",
  "evotrainer.evolve": "Run a Generation",
  "evotrainer.continueEvolution": "Continue Evolution",
  "evotrainer.stopEvolution": "Stop Evolution",
  "evotrainer.followEvolution": "Follow Evolution",
  "evotrainer.refreshJobs": "Refresh Jobs",
  "evotrainer.showJob": "Show Job",
  "evotrainer.showRuns": "Show Curves of Jobs",
  "evotrainer.showRunning": "Show or Stop What Is Running",
  "evotrainer.followLog": "Follow Log",
  "evotrainer.cancelJob": "Cancel Job",
  "evotrainer.rerunJob": "Rerun Job",
  "evotrainer.openRunFolder": "Open Run Folder",
  "evotrainer.addHost": "Add Host…",
  "evotrainer.checkHost": "Check Host…",
  "evotrainer.attachRun": "Attach to a Run…",
  "evotrainer.showOwner": "Show Who Has the Archive",
  "evotrainer.selectProject": "Select Project…",
  "evotrainer.refreshSpecs": "Refresh Diagnostics and Skills",
  "evotrainer.showLabelRollouts": "Show Rollouts with This Label",
  "evotrainer.applySkill": "Apply Skill",
  "evotrainer.chooseDiagnosticsVersion": "Choose Version of Rates",
  "evotrainer.openExample": "Open the Example Project",
  "evotrainer.openFinishedExample": "Open a Finished Example",
  "evotrainer.showVersion": "Show Version",
  "evotrainer.compareVersions": "Compare Versions",
  "evotrainer.openVersionDiff": "Open Changes of Version",
  "evotrainer.noteVersion": "Add Note to Version",
  "evotrainer.tagVersion": "Add Tag to Version",
  "evotrainer.untagVersion": "Remove Tag from Version",
  "evotrainer.nameVersion": "Name Version",
} as const satisfies Readonly<Record<`evotrainer.${string}`, string>>;

/** Commands of the extension, as package.json contributes them. */
export type CommandId = keyof typeof ownTitles | ServiceViewCommand;

/** The titles of the commands that open views. */
function viewTitles(): Readonly<Record<ServiceViewCommand, string>> {
  const titles = Object.fromEntries(serviceViewNames.map((name) => [commandOf(name), titleOf(name)]));
  // Each name of the list was given a title above.
  return titles as Readonly<Record<ServiceViewCommand, string>>;
}

/**
 * Every command with its title, the one source of both: package.json contributes the same (a test compares them), and every
 * text that names a command takes its title from here. A title that ends in … asks for more before it does anything.
 */
export const commandTitles: Readonly<Record<CommandId, string>> = { ...ownTitles, ...viewTitles() };

/** The title where it is the subject of a sentence or the heading of a dialog, without the … of a menu. */
export const commandName = (id: CommandId): string => commandTitles[id].replace(/…$/, "");

/** As the command palette lists it: `EvoTrainer: Restart Language Server`. */
export const inPalette = (id: CommandId): string => `EvoTrainer: ${commandTitles[id]}`;
