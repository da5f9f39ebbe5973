import type {
  Decision,
  LineageState,
  LineageVersion,
  LineageView,
} from "../../../shared/protocol/lineage.ts";

const percent = (share: number) => (share * 100).toFixed(1);

/** `36.3 % [33.0, 39.5]`, or what is known of it. */
export function scoreText({ score, low, high }: Pick<LineageVersion, "score" | "low" | "high">): string {
  if (score === null) return "";
  const interval = low === null || high === null ? "" : ` [${percent(low)}, ${percent(high)}]`;
  return `${percent(score)} %${interval}`;
}

/** The line beside a version's name in the side bar: decision first, because it is what a reader looks for. */
export function rowDescription(version: LineageVersion): string {
  return [version.decision, scoreText(version), version.factor ?? ""]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Icon and theme colour per decision. Shape and text tell it as well: the colour is never alone. */
export const decisionIcons: Readonly<Record<Decision, { readonly icon: string; readonly color: string }>> = {
  base: { icon: "circle-large-outline", color: "charts.foreground" },
  keep: { icon: "pass-filled", color: "charts.green" },
  reject: { icon: "close", color: "charts.red" },
  invalid: { icon: "warning", color: "charts.orange" },
  edit: { icon: "edit", color: "charts.blue" },
  prune: { icon: "trash", color: "disabledForeground" },
  merge: { icon: "git-merge", color: "charts.purple" },
  revert: { icon: "discard", color: "charts.yellow" },
  pending: { icon: "clock", color: "charts.blue" },
};

/** The versions below one, or the roots: versions without a parent or with one that the lineage does not hold. */
export function childrenOf({ versions }: LineageView, parent: string | undefined): LineageVersion[] {
  const names = new Set(versions.map(({ name }) => name));
  return versions.filter((version) =>
    parent === undefined ? version.parent === null || !names.has(version.parent) : version.parent === parent,
  );
}

/** The best version that was kept: what the status bar names. */
export function bestVersion({ versions }: LineageView): LineageVersion | undefined {
  let best: LineageVersion | undefined;
  for (const version of versions)
    if ((version.decision === "keep" || version.decision === "merge") && version.score !== null)
      if (best?.score == null || version.score > best.score) best = version;
  return best;
}

export function statusText(state: LineageState): { readonly text: string; readonly tooltip: string } {
  switch (state.type) {
    case "loading":
      return { text: "$(sync~spin) EvoTrainer", tooltip: "Reading the lineage" };
    case "empty": {
      const icon = state.reason === "stopped" || state.reason === "unreadable" ? "warning" : "git-branch";
      const suffix = state.reason === "untrusted" ? ": restricted" : "";
      return { text: `$(${icon}) EvoTrainer${suffix}`, tooltip: `${state.cause} ${state.advice}` };
    }
    case "lineage": {
      const best = bestVersion(state.view);
      const { project, versions } = state.view;
      const count = `${versions.length} version${versions.length === 1 ? "" : "s"} of ${project}`;
      return best
        ? {
            text: `$(git-branch) ${best.name} ${percent(best.score ?? 0)} %`,
            tooltip: `Best kept of ${count}. Show the lineage.`,
          }
        : { text: `$(git-branch) ${project}`, tooltip: `${count}; none kept yet. Show the lineage.` };
    }
  }
}
