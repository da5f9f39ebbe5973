/**
 * Takes the pictures of the README and the pages in the real editor, of a finished evolution of the example.
 * `npx tsx test/editor/pictures/readme.ts <project>`; scripts/screenshots.mjs makes the project and starts it.
 */
import { once } from "node:events";
import { evotrainer, lineageOf, startEvotrainer } from "../../engine/cli.ts";
import { EditorSession } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";

const [, , project] = process.argv;
if (project === undefined) throw new Error("Name the folder of a project that evolved.");

/** Takes a picture without what only shows where the pointer rests, such as the hint of an entry of the status bar. */
async function take(bench: Workbench, name: string): Promise<void> {
  await bench.page.mouse.move(0, 0);
  await bench.page.waitForTimeout(1500);
  await bench.shot(name);
}

/** A page has come to rest once what it asked for is there. */
async function shot(bench: Workbench, name: string, selector: string): Promise<void> {
  await bench.webview().locator(selector).first().waitFor();
  // A page says with an ellipsis what it still works on.
  const working = bench
    .webview()
    .getByText(/^(Comparing|Looking up|Reading|Loading)\b.*…$/)
    .filter({ visible: true });
  await until(`${name} to have its answers`, async () => (await working.count()) === 0);
  await take(bench, name);
}

async function ofVersions(bench: Workbench, best: string): Promise<void> {
  await bench.command("EvoTrainer: Show Lineage");
  await bench.webview().locator(".row .name", { hasText: best }).first().click();
  await shot(bench, "readme-lineage", ".score-picture .mark");
  await bench.command("View: Close All Editors");
  await bench.commandThatAsks("EvoTrainer: Show Version", best);
  await shot(bench, "readme-version", ".banner .moved button");
  await bench.command("View: Close All Editors");
}

async function ofRollouts(bench: Workbench): Promise<void> {
  await bench.command("EvoTrainer: Show Evidence");
  await bench.webview().locator(".rows .row").first().waitFor();
  // A label that all rollouts have would filter nothing; one whose rollouts never pass says what goes wrong.
  const groups = bench.webview().locator(".groups li");
  await groups
    .filter({ has: bench.webview().locator(".share", { hasText: /^0\s%$/ }) })
    .first()
    .getByRole("button")
    .click();
  await shot(bench, "readme-evidence", ".rows .row");
  await bench.webview().locator(".rows .row").first().click();
  await bench.page.keyboard.press("Enter");
  await shot(bench, "readme-trajectory", ".turn.evidence");
  await bench.command("View: Close All Editors");
}

async function ofProposal(bench: Workbench, project: string): Promise<void> {
  // One waits at most: with several the commands ask which one is meant.
  if (evotrainer(project, "review").stdout.startsWith("Nothing waits")) {
    const proposed = evotrainer(project, "propose");
    if (proposed.code !== 0) throw new Error(proposed.stderr);
  }
  await bench.command("EvoTrainer: Review Proposal");
  await shot(bench, "readme-gate", "input[type=checkbox]");
  await bench.command("EvoTrainer: Open Changes of Proposal");
  await bench.page.locator(".review-widget").first().waitFor();
  await bench.page
    .locator(".review-widget", { hasText: "Looking up" })
    .first()
    .waitFor({ state: "detached" });
  await take(bench, "readme-review");
  await bench.command("View: Close All Editors");
}

async function ofJobs(bench: Workbench, project: string): Promise<void> {
  // The generations that the project asks for are over.
  const evolving = startEvotrainer(project, "evolve", "--generations", "9", "--autonomy", "full");
  try {
    const running = bench.page.locator(".pane-body").getByRole("treeitem", { name: /training.*running/ });
    await until("a job to train", async () => (await running.count()) > 0);
    await bench.page.waitForTimeout(15_000);
    await bench.command("EvoTrainer: Show Curves of Jobs");
    // A few steps say nothing of the run yet.
    const first = bench.webview().locator(".jobs li").first();
    await first.waitFor();
    await until("the run to be compared", async () => !(await first.innerText()).includes("not compared"));
    await shot(bench, "readme-jobs", ".multiples path.curve");
  } finally {
    evolving.kill("SIGINT");
    if (evolving.exitCode === null) await once(evolving, "exit");
  }
}

const session = await EditorSession.start();
try {
  const { bench } = await session.open(project);
  await bench.ready("evotrainer.yaml");
  await bench.command("View: Show EvoTrainer");
  const { versions } = lineageOf(project);
  const best = versions.findLast(({ decision, factor }) => decision === "keep" && factor !== null);
  if (best === undefined) throw new Error("The evolution kept no change; evolve the example anew.");
  await ofVersions(bench, best.name);
  await ofRollouts(bench);
  await ofProposal(bench, project);
  await ofJobs(bench, project);
} finally {
  await session.stop();
}
