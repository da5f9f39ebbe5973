import type { Answers } from "../pictures/zoom.ts";
import type { Remote } from "../launcher/remote.ts";
import { until, type Workbench } from "../launcher/workbench.ts";

export const finishedViewNames = [
  "lineage-graph",
  "lineage-table",
  "lineage-labels",
  "lineage-items",
  "version-best",
  "version-rejected",
  "version-invalid",
  "version-several",
  "evidence-list",
  "rollout-turns",
  "rollout-aligned",
  "gate-card",
  "job-finished",
  "runs-archived",
  "backtest-reward",
  "items-table",
  "predictions-record",
  "replay-table",
] as const;

/** A view of the finished example: how it comes up, and what it has once it is there. */
interface FinishedView extends Answers {
  readonly shows: string;
  readonly open: () => Promise<void>;
}

/** Opens a view and waits until it has its answers. */
export async function openView(bench: Workbench, name: string, { shows, open }: FinishedView): Promise<void> {
  await open();
  await bench.webview().locator(shows).first().waitFor();
  // A page says with an ellipsis what it still works on.
  const working = bench
    .webview()
    .getByText(/^\p{Lu}\p{Ll}+ing\b.*…$/u)
    .filter({ visible: true });
  const busy = bench.webview().locator('[aria-busy="true"]').filter({ visible: true });
  await until(
    `${name} to have its answers`,
    async () => (await working.count()) === 0 && (await busy.count()) === 0,
  );
  await bench.page.mouse.move(0, 0);
}

/** Every view with the data of the finished example, which lies in `root`; a later one may go on from the one before it. */
export function finishedViews(
  bench: Workbench,
  remote: Remote,
  root: string,
): Readonly<Record<(typeof finishedViewNames)[number], FinishedView>> {
  const press = async (name: string): Promise<void> => {
    const button = bench
      .webview()
      .locator("header vscode-button", { hasText: new RegExp(`^\\s*${name}\\s*$`) });
    await button.click();
  };
  const rowOfEvidence = async (): Promise<void> => {
    await bench.webview().locator(".rows .row .labels").first().waitFor();
    await bench.webview().locator(".rows").focus();
    for (const key of ["Home", "Enter"]) await bench.page.keyboard.press(key);
  };
  const version = (name: string) => () => remote.command("evotrainer.showVersion", { name });
  const command = (name: string, argument?: Record<string, unknown>) => () =>
    remote.command(`evotrainer.${name}`, argument);
  return {
    "lineage-graph": {
      // The scores of the seeds are asked for once the versions are drawn.
      shows: ".score-picture > svg .seed",
      answers: [".standing"],
      begins: [".space .row .value", ".space .row .labels:not(.none)"],
      open: command("showLineage"),
    },
    "lineage-table": {
      shows: ".as-table .row[aria-rowindex='2']",
      answers: [".standing"],
      begins: [".space .decision", ".space .score", ".space .labels", ".space .reason"],
      open: () => press("Table"),
    },
    "lineage-labels": {
      shows: ".matrix .space .row",
      answers: [],
      begins: [".matrix .space .name .text", ".matrix .space .cell"],
      open: () => press("Labels"),
    },
    "lineage-items": {
      shows: '.matrix .space .row:has-text("selection-")',
      answers: [],
      begins: [".matrix .space .name .text", ".matrix .space .cell"],
      open: () => press("Items"),
    },
    "version-best": {
      shows: 'h1:has-text("v2-edit-then-test against v1")',
      answers: [".decided", ".verdict", ".moved", ".items-moved"],
      open: version("v2-edit-then-test"),
    },
    "version-rejected": {
      shows: 'h1:has-text("v5-iterative-debug against")',
      answers: [".decided", ".because", ".verdict", ".moved"],
      open: version("v5-iterative-debug"),
    },
    "version-invalid": {
      shows: 'h1:has-text("v3-visible-history against")',
      answers: [".decided", ".banner .untrusted", ".moved"],
      open: version("v3-visible-history"),
    },
    "version-several": {
      shows: ".pairs",
      answers: [".pair-name", ".pairs .whisker"],
      open: command("compareVersions", { names: ["v1", "v2-edit-then-test", "v6-optimisation-clip-down"] }),
    },
    "evidence-list": {
      shows: ".rows .row .labels",
      answers: [".counts", ".rows .outcome", ".rows .item"],
      begins: [".rows .labels"],
      open: command("showEvidence", { name: "v3-visible-history" }),
    },
    "rollout-turns": {
      shows: ".summary .labels",
      answers: [".result"],
      begins: [".labels li"],
      open: rowOfEvidence,
    },
    "rollout-aligned": {
      shows: ".aligned table",
      answers: [".aligned h2", ".aligned thead button"],
      open: () => bench.webview().locator("vscode-button", { hasText: "Side by Side" }).click(),
    },
    "gate-card": {
      shows: "input[type=checkbox]",
      answers: [".answers"],
      begins: [".glance"],
      open: command("showGate"),
    },
    "job-finished": {
      shows: ".state",
      answers: [".state"],
      open: command("showJob", { root, id: "v2-edit-then-test.train.s1" }),
    },
    "runs-archived": { shows: "figure", answers: [".jobs li"], open: command("showRuns") },
    "backtest-reward": {
      shows: "figure",
      answers: [".first"],
      begins: ["figure"],
      open: command("backtest", { root, subject: "harness/main.reward.yaml" }),
    },
    "items-table": { shows: "tbody tr", answers: ["tbody tr"], open: command("showItems") },
    "predictions-record": {
      shows: "tbody tr",
      answers: ["tbody tr"],
      open: command("showPredictions"),
    },
    "replay-table": { shows: "tbody tr", answers: ["tbody tr"], open: command("showReplay") },
  };
}
