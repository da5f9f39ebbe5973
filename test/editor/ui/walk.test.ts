import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errors } from "playwright-core";
import { lineageOf } from "../../engine/cli.ts";
import { firstProposal, heldHarness, makeReviewProject } from "../../engine/reviewProject.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

const fails = `apiVersion: evotrainer/v1
kind: Diagnostic
name: fails
label:
  when: outcome == "fail"
  evidence: turn.role == "assistant"
`;

/** One generation from an empty lineage to a version that is promoted and taken back, without a mouse. */
describe("a generation by keyboard", function () {
  this.timeout(180_000);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let project = "";
  let hold = "";
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const versionOf = (name: string) => lineageOf(project).versions.find((v) => v.name === name);
  const key = (...keys: string[]): Promise<void> =>
    keys.reduce((before, one) => before.then(() => bench.page.keyboard.press(one)), Promise.resolve());
  /** A page that is being replaced has no element with the focus. */
  const isFocused = (selector: string, text: string): Promise<boolean> =>
    bench
      .webview()
      .locator("body")
      .evaluate(
        (body, wanted) => {
          const element = body.ownerDocument.activeElement;
          const words = `${element?.textContent} ${element?.getAttribute("aria-label") ?? ""}`;
          return Boolean(element?.closest(wanted.selector)) && words.includes(wanted.text);
        },
        { selector, text },
        { timeout: 5000 },
      )
      .catch((error: unknown) => {
        if (error instanceof errors.TimeoutError) return false;
        throw error;
      });
  /** Moves the focus of the shown webview on until it is on an element that a selector and a text name. */
  const tabTo = async (selector: string, text = ""): Promise<void> => {
    await bench.webview().locator(selector).first().waitFor();
    for (let pressed = 0; pressed < 120; pressed++) {
      if (await isFocused(selector, text)) return;
      await key("Tab");
    }
    throw new Error(`The focus never came to ${selector} ${text}.`);
  };
  /** A list that something else takes the focus from closes: it is asked for again. */
  const pick = async (title: string, answer: string): Promise<void> => {
    const { page } = bench;
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: answer }).first();
    await until(`${title} to offer ${answer}`, async () => {
      await bench.begin(title);
      try {
        await row.waitFor({ timeout: 5000 });
        await page.locator(".quick-input-widget .quick-input-box input").fill(answer, { timeout: 5000 });
        return true;
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error;
        await key("Escape");
        return false;
      }
    });
    await key("Enter");
  };

  before(async function () {
    this.timeout(120_000);
    hold = mkdtempSync(join(tmpdir(), "evo-hold-"));
    writeFileSync(join(hold, "on"), "");
    const changes = {
      "harness/diagnostics/fails.diagnostic.yaml": fails,
      "harness/toy.yaml": heldHarness(join(hold, "on")),
    };
    // A confined job sees no other temporary files.
    project = makeReviewProject(changes, { writable: [hold] });
    session = await EditorSession.start();
    ({ bench } = await session.open(project));
    await bench.ready("evotrainer.yaml");
  });
  after(async () => {
    rmSync(hold, { recursive: true, force: true });
    await session?.stop();
    await removeInUse(project);
  });
  keepFailures(() => bench);

  it("runs up to the gate, through a reload of the window in the middle of a job", async () => {
    await bench.command("EvoTrainer: Run a Generation");
    await bench
      .status("job")
      .filter({ hasText: /v1/ })
      .waitFor({ timeout: 60_000 * patience });
    await bench.reloadWindow();
    await bench
      .status("job")
      .filter({ hasText: /v1/ })
      .waitFor({ timeout: 60_000 * patience });
    rmSync(join(hold, "on"));
    await bench.status("gate").waitFor({ timeout: 120_000 * patience });
    assert.equal(versionOf("v1")?.decision, "keep");
  });

  it("leads to the rollouts of a label, the turn that shows it, and the diagnostic that set it", async () => {
    await bench.command("EvoTrainer: Show Evidence");
    await bench.webview().locator(".rows .row").first().waitFor();
    await tabTo(".groups button", "fails");
    await key("Enter");
    await bench.webview().locator(".chip", { hasText: "label: fails" }).waitFor();
    await tabTo('[role="listbox"]');
    await key("Home", "Enter");
    const reader = bench.webview();
    await reader.locator(".summary .labels .name", { hasText: "fails" }).waitFor();
    await reader.locator(".turn.evidence.current").waitFor();
    await tabTo(".summary .labels .name", "fails");
    await key("Enter");
    await bench.page.locator('.tab.active[data-resource-name="fails.diagnostic.yaml"]').waitFor();
  });

  it("updates the count while the condition is edited", async () => {
    const { page } = bench;
    const hint = page.locator(".monaco-editor .view-line", { hasText: "when:" }).first();
    await key("Control+Home");
    await page.keyboard.press("Control+h");
    const find = page.locator(".find-widget");
    await find.waitFor();
    await page.keyboard.type('"fail"');
    await key("Tab");
    await page.keyboard.type('"pass"');
    await key("Control+Alt+Enter", "Escape");
    await hint.filter({ hasText: '"pass"' }).waitFor();
    const count = /\d+\s+of\s+\d+.*\(was\s+\d/;
    await page
      .locator(".codelens-decoration", { hasText: count })
      .first()
      .waitFor({ timeout: 30_000 * patience });
    assert.doesNotMatch(await hint.innerText(), count, "it is said once");
    await bench.shot("walk-count");
    await bench.command("View: Focus Active Editor Group");
    await key("Control+z");
    await hint.filter({ hasText: '"fail"' }).waitFor();
    await until("the file is as it was", () => git("status", "--porcelain") === "");
  });

  it("takes and approves the proposal hunk by hunk, and the evolution continues automatically", async () => {
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Review Proposal");
    const card = bench.webview();
    await card.locator("h1", { hasText: firstProposal }).waitFor();
    await tabTo("input[type=checkbox]", "");
    const boxes = card.locator("input[type=checkbox]");
    await key("Space");
    await card.getByText("1 of 2 hunks will be taken").waitFor();
    await key("Space");
    await card.getByText("2 of 2 hunks will be taken").waitFor();
    assert.equal(await boxes.count(), 2);
    await tabTo("vscode-button", "Approve");
    await key("Enter");
    await card.locator(".notice.done", { hasText: `evo/toy/${firstProposal}` }).waitFor();
    await until("the version is decided", () => versionOf(firstProposal)?.decision === "keep");
    assert.equal(git("status", "--porcelain"), "");
  });

  it("compares the version with the one before, promotes it, and reverts it", async () => {
    const { page } = bench;
    await bench.command("View: Close All Editors");
    await pick("EvoTrainer: Show Version", firstProposal);
    await bench
      .webview()
      .locator("h1, h2", { hasText: `${firstProposal} against v1` })
      .first()
      .waitFor();
    await bench
      .webview()
      .getByText("points better than v1", { exact: false })
      .first()
      .waitFor({ timeout: 60_000 * patience });
    await bench.shot("walk-compare");
    await pick("EvoTrainer: Open Changes of Version", firstProposal);
    const changes = page.locator(".multiDiffEntry, .multi-diff-entry, .multiDiffEditor").first();
    await changes.waitFor({ timeout: 30_000 * patience });
    await page.locator(".tab.active", { hasText: `v1 ↔ ${firstProposal}` }).waitFor();
    await page.locator(".view-line", { hasText: "shape: linear" }).first().waitFor();
    await bench.shot("walk-changes");
    // The project is gated: the evolution ended with its champion waiting for this.
    await pick("EvoTrainer: Promote Version…", firstProposal);
    await page.locator(".monaco-dialog-box").waitFor();
    await key("Enter");
    await until("it is promoted", () => promoted().includes(firstProposal));
    await pick("EvoTrainer: Revert Version…", firstProposal);
    // Not the list before it, into which nothing is to be typed any more.
    await page.locator(".quick-input-widget", { hasText: "Why? EvoTrainer makes a new version" }).waitFor();
    await page.keyboard.type("it does not hold");
    await key("Enter");
    const made = `v3-revert-${firstProposal}`;
    await until("it is taken back", () => versionOf(made)?.decision === "revert");
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".row", { hasText: made }).first().waitFor();
    await bench.shot("walk-lineage");
    assert.equal(readFileSync(join(project, "harness/toy.yaml"), "utf8").includes("shape: flat"), true);
  });

  const promoted = (): string[] => {
    const files = git("ls-tree", "-r", "--name-only", "evotrainer/ledger").trim().split("\n");
    return files
      .map((file) => git("show", `evotrainer/ledger:${file}`))
      .map((entry) => JSON.parse(entry) as { type: string; version: string })
      .flatMap(({ type, version }) => (type === "promotion" ? [version] : []));
  };
});
