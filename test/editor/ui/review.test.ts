import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lineageOf, startEvotrainer } from "../../engine/cli.ts";
import { firstProposal, makeReviewProject } from "../../engine/reviewProject.ts";
import { Hands } from "../launcher/hands.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

describe("review in the editor", () => {
  let session: EditorSession | undefined;
  let bench: Workbench;
  let project = "";
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const userWork = (): unknown => [
    git("diff"),
    git("diff", "--cached"),
    readFileSync(join(project, ".git/HEAD"), "utf8"),
    git("status", "--porcelain"),
  ];
  const versionOf = (name: string) => lineageOf(project).versions.find((v) => v.name === name);

  before(async function () {
    this.timeout(120_000);
    project = makeReviewProject();
    appendFileSync(join(project, "harness/toy.yaml"), "# mine\n");
    writeFileSync(join(project, "staged.txt"), "staged\n");
    git("add", "staged.txt");
    session = await EditorSession.start();
    ({ bench } = await session.open(project));
    await bench.ready("evotrainer.yaml");
    await bench.page.locator('.activitybar [aria-label="EvoTrainer"]').first().click();
    await bench.page.locator(".pane-header", { hasText: "Proposals" }).waitFor();
  });
  after(async () => {
    await session?.stop();
    await removeInUse(project);
  });
  keepFailures(() => bench);

  it("announces a gate that begins to wait, counts it in the badge, and opens its card", async function () {
    this.timeout(180_000);
    const { page } = bench;
    const evolve = startEvotrainer(project, "evolve");
    assert.deepEqual(await once(evolve, "exit"), [3, null]);
    const notice = page.locator(".notification-toast", {
      hasText: `${firstProposal} is waiting for your approval`,
    });
    await notice.waitFor({ timeout: 60_000 * patience });
    await page
      .locator('.activitybar .action-item:has([aria-label^="EvoTrainer"]) .badge-content', { hasText: "1" })
      .waitFor();
    await page.locator(".pane-body .monaco-list-row", { hasText: firstProposal }).first().waitFor();
    await notice.locator(".monaco-button", { hasText: "Review" }).click();
    await bench.webview().locator("h1", { hasText: firstProposal }).waitFor();
    await bench.webview().getByText("2 of 2 hunks will be taken").waitFor();
    await bench.shot("gate-in-the-editor");
  });

  it("shows the rationale beside the lines, and lets the user leave out a hunk there", async function () {
    this.timeout(120_000);
    const { page } = bench;
    await bench.command("EvoTrainer: Open Changes of Proposal");
    const threads = page.locator(".review-widget");
    await until("both threads", async () => (await threads.count()) === 2);
    await threads.filter({ hasText: "should lower the share of dead groups" }).first().waitFor();
    const second = threads.filter({ hasText: "Hunk 2 of 2: taken on approval" });
    await second.waitFor();
    await bench.shot("proposal-diff");
    await second.locator('[aria-label*="Reject Hunk"]').first().click();
    await threads.filter({ hasText: "Hunk 2 of 2: left out on approval" }).waitFor();
    await bench.shot("proposal-diff-hunk-left-out");
    await threads
      .filter({ hasText: "Hunk 2 of 2: left out on approval" })
      .locator('[aria-label*="Accept Hunk"]')
      .first()
      .click();
    await second.waitFor();
    assert.equal(await page.locator(".comments-panel").count(), 0, "the panel of comments opened uninvited");
  });

  it("offers the proposal in the file that it changes, hunk by hunk in the preview, and Undo removes it", async function () {
    this.timeout(120_000);
    const { page } = bench;
    await bench.open("toy.yaml");
    await page.locator(".monaco-editor .view-line", { hasText: "shape: flat" }).click();
    await bench.command("Refactor...");
    const row = page.locator(".action-widget .monaco-list-row.action", {
      hasText: `Try proposal ${firstProposal}`,
    });
    await row.waitFor();
    await bench.shot("proposal-code-action");
    await page.keyboard.press("Enter");
    const preview = page.locator(".refactor-preview, .bulk-edit-panel");
    await preview.locator(".monaco-list-row", { hasText: "linear" }).first().waitFor();
    await bench.shot("proposal-preview");
    const hunk = preview.locator(".monaco-list-row", { hasText: "linear" }).first();
    await hunk.locator(".edit-checkbox, .monaco-checkbox, input").first().click();
    await preview.locator(".monaco-button", { hasText: "Apply" }).first().click();
    const line = (text: string) => page.locator(".monaco-editor .view-line", { hasText: text }).first();
    await line("shape: linear").waitFor();
    await line("bonus: 0").waitFor();
    await line("bonus: 0").click();
    await page.keyboard.press("Control+z");
    await line("shape: flat").waitFor();
    await bench.command("File: Revert File");
  });

  it("approves the chosen hunk: the version's branch has exactly that, and the user's work is unchanged", async function () {
    this.timeout(120_000);
    const before = userWork();
    // From the opened editor: three clicks, and nothing is scrolled.
    const hands = await Hands.of(bench);
    await hands.openEditor();
    await hands.click(bench.status("gate"));
    const card = bench.webview();
    await hands.click(card.locator("input[type=checkbox]").last());
    await card.getByText("1 of 2 hunks will be taken").waitFor();
    await bench.shot("walk-half-a-proposal");
    await hands.click(card.locator("vscode-button", { hasText: "Approve Taken Hunks" }));
    assert.deepEqual(await hands.done(), { clicks: 3, keys: 0, wheels: 0 });
    await bench
      .webview()
      .locator(".notice.done", { hasText: `evo/toy/${firstProposal}` })
      .waitFor();
    await bench.shot("gate-approved");
    const commit = git("rev-parse", `evo/toy/${firstProposal}`).trim();
    const changed = git("diff", "--unified=0", `${commit}^`, commit)
      .split("\n")
      .filter((line) => /^[-+][^-+]/.test(line));
    assert.deepEqual(changed, ["-shape: flat", "+shape: linear"]);
    assert.deepEqual(userWork(), before);
    await bench.command("View: Show EvoTrainer");
    await bench.page
      .locator(".pane-body", { hasText: "No proposal is waiting for an answer" })
      .first()
      .waitFor();
  });

  it("reverts a decided version by making a new version", async function () {
    this.timeout(180_000);
    // The editor goes on with the evolution once its gate is answered.
    await until("it is decided", () => versionOf(firstProposal)?.decision === "keep");
    const before = userWork();
    const { page } = bench;
    await bench.status("status").filter({ hasText: firstProposal }).waitFor();
    await bench.commandThatAsks("EvoTrainer: Revert Version…", firstProposal);
    await page.locator(".quick-input-message", { hasText: "Why?" }).waitFor();
    await page.locator(".quick-input-widget .quick-input-box input").fill("it does not hold");
    await page.keyboard.press("Enter");
    const made = `v3-revert-${firstProposal}`;
    await until("the new version", () => versionOf(made) !== undefined);
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".row .name", { hasText: made }).first().waitFor();
    await bench.shot("reverted");
    const reverted = versionOf(made);
    assert.deepEqual([reverted?.decision, reverted?.parent], ["revert", firstProposal]);
    assert.equal(
      git("rev-parse", `evo/toy/${made}^{tree}`),
      git("rev-parse", `${versionOf("v1")?.commit ?? ""}^{tree}`),
    );
    assert.deepEqual(userWork(), before);
  });
});
