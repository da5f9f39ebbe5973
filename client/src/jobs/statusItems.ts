import * as vscode from "vscode";
import { inBlock, inLine } from "../../../shared/words/unseen.ts";
import { gateStatus, jobStatus, ownerStatus, type StatusText } from "./jobRows.ts";
import type { JobsSource } from "./jobsSource.ts";

/** The items of the status bar for the job that runs, the gate that waits, and who has the archive. */
export function showStatusItems(source: JobsSource): vscode.Disposable {
  const make = (id: string, name: string, command: string, priority: number): vscode.StatusBarItem => {
    const item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, priority);
    item.name = name;
    item.command = command;
    return item;
  };
  const job = make("job", "EvoTrainer: Job", "evotrainer.showRunning", -1);
  const gate = make("gate", "EvoTrainer: Gate", "evotrainer.showGate", -2);
  gate.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  const owner = make("owner", "EvoTrainer: Archive", "evotrainer.showOwner", -3);
  const show = (item: vscode.StatusBarItem, text: StatusText | undefined): void => {
    if (text === undefined) {
      item.hide();
      return;
    }
    item.text = inLine(text.text);
    item.tooltip = inBlock(text.tooltip);
    item.show();
  };
  const update = (): void => {
    const { state } = source;
    const evolution = state.type === "loading" ? undefined : state.evolution;
    show(job, state.type === "jobs" ? jobStatus(state.jobs) : undefined);
    show(gate, evolution && gateStatus(evolution));
    show(owner, evolution && ownerStatus(evolution));
  };
  update();
  return vscode.Disposable.from(job, gate, owner, source.onDidChange(update));
}
