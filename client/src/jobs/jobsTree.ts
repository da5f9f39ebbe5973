import * as vscode from "vscode";
import { plainItem } from "../shell/plainItem.ts";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import { counted } from "../../../shared/words/numbers.ts";
import { jobLook, themeColours } from "../../../shared/words/decisions.ts";
import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import type { JobRow } from "../../../shared/protocol/views/job.ts";
import {
  evolutionText,
  foldedJobs,
  isActive,
  jobBrief,
  jobContext,
  jobRowLabel,
  jobSaid,
  jobTooltip,
} from "./jobRows.ts";
import type { JobsSource } from "./jobsSource.ts";

export type JobElement =
  | { readonly type: "evolution"; readonly root: string; readonly evolution: EvolutionStatus }
  | { readonly type: "job"; readonly root: string; readonly id: string; readonly job: JobRow }
  | { readonly type: "older"; readonly root: string; readonly jobs: readonly JobRow[] };

/** The jobs of the project in the side bar, those that run first, below the evolution that they belong to. */
export class JobsTree implements vscode.TreeDataProvider<JobElement>, vscode.Disposable {
  readonly #source: JobsSource;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription: vscode.Disposable;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(source: JobsSource) {
    this.#source = source;
    this.#subscription = source.onDidChange(() => this.#changed.fire());
  }

  getChildren(parent?: JobElement): JobElement[] {
    const { state } = this.#source;
    if (state.type !== "jobs") return [];
    const { root, evolution } = state;
    const rowOf = (job: JobRow): JobElement => ({ type: "job", root, id: job.id, job });
    const { recent, older } = foldedJobs(state.jobs);
    if (parent) return parent.type === "older" ? older.map(rowOf) : [];
    return [
      ...(evolution.state === "none" ? [] : [{ type: "evolution" as const, root, evolution }]),
      ...recent.map(rowOf),
      ...(older.length === 0 ? [] : [{ type: "older" as const, root, jobs: older }]),
    ];
  }

  getTreeItem(element: JobElement): vscode.TreeItem {
    return plainItem(itemOf(element));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function itemOf(element: JobElement): vscode.TreeItem {
  switch (element.type) {
    case "evolution":
      return evolutionItem(element.evolution);
    case "older":
      return olderItem(element.jobs);
    case "job":
      return jobItem(element);
  }
}

function evolutionItem(evolution: EvolutionStatus): vscode.TreeItem {
  const { label, description, icon } = evolutionText(evolution);
  const item = new vscode.TreeItem(label);
  item.id = "evolution";
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = description;
  item.contextValue = `evolution.${evolution.state}`;
  item.accessibilityInformation = { label: `${label}, ${description}` };
  item.command = {
    command: "evotrainer.followEvolution",
    title: commandTitles["evotrainer.followEvolution"],
  };
  return item;
}

function olderItem(jobs: readonly JobRow[]): vscode.TreeItem {
  const item = new vscode.TreeItem(
    counted(jobs.length, "older job"),
    vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = "older";
  item.contextValue = "older";
  return item;
}

function jobItem(element: Extract<JobElement, { type: "job" }>): vscode.TreeItem {
  const { job } = element;
  const { icon, colour } = jobLook(job);
  const item = new vscode.TreeItem(jobRowLabel(job));
  item.id = job.id;
  item.description = jobBrief(job);
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(themeColours[colour]));
  item.tooltip = jobTooltip(job);
  item.contextValue = jobContext(job);
  item.accessibilityInformation = { label: jobSaid(job) };
  item.command = {
    command: "evotrainer.showJob",
    title: commandTitles["evotrainer.showJob"],
    arguments: [element],
  };
  return item;
}

/** How many jobs are not over, for the badge of the view. */
export const activeJobs = (source: JobsSource): number =>
  source.state.type === "jobs" ? source.state.jobs.filter(isActive).length : 0;
