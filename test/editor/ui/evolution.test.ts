import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Locator } from "playwright-core";
import { lineageOf } from "../../engine/cli.ts";
import { makeToyProject } from "../../engine/toyProject.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import type { Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

const cli = resolve(import.meta.dirname, "../../../dist/cli.cjs");

describe("an evolution beside the editor", () => {
  let session: EditorSession | undefined;
  let bench: Workbench;
  let project = "";

  before(async function () {
    this.timeout(120_000);
    project = makeToyProject();
    session = await EditorSession.start();
    ({ bench } = await session.open(project));
    await bench.ready("evotrainer.yaml");
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".message", { hasText: "This project has no versions yet." }).waitFor();
  });
  after(async () => {
    await session?.stop();
    await removeInUse(project);
  });
  keepFailures(() => bench);

  it("appears in the open panel without a refresh, with invalid and kept versions and their reasons", async function () {
    this.timeout(240_000);
    const evolve = spawn(process.execPath, [cli, "evolve"], {
      cwd: project,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [evolve.stdout, evolve.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(evolve, "exit");
    await bench
      .webview()
      .locator(".row")
      .first()
      .waitFor({ timeout: 120_000 * patience });
    assert.deepEqual(await ended, [0, null], output);
    const { versions } = lineageOf(project);
    const decided = versions.filter(({ decision }) => decision === "keep" || decision === "invalid");
    assert.ok(decided.length >= 2, JSON.stringify(versions));
    const last = versions.at(-1);
    await bench
      .webview()
      .locator(".row .name", { hasText: last?.name ?? "" })
      .first()
      .waitFor();
    for (const { name, decision } of decided) {
      const word = decision === "keep" ? "kept" : "invalid";
      await bench.webview().locator(`.row[aria-label^="${name}, ${word}"]`).waitFor();
    }
    const invalid = decided.find(({ decision }) => decision === "invalid");
    assert.ok(invalid);
    await bench.webview().locator(`.row[aria-label^="${invalid.name}, "]`).click();
    await bench.webview().locator(".details dd", { hasText: invalid.reason }).first().waitFor();
    await bench.shot("evolution");
  });

  /** The row of a version in the side bar, which is drawn while it is in view. */
  const rowOf = async (name: string): Promise<Locator> => {
    const tree = bench.page.locator('[role="tree"][aria-label="Lineage"]');
    // A row shows the short name, and says the whole one.
    const row = tree.locator(`.monaco-list-row[aria-label^="${name}, "]`).first();
    await tree.waitFor();
    for (const keys = ["Home", "End"]; !(await row.isVisible()); keys.reverse()) {
      await tree.focus();
      await bench.page.keyboard.press(keys[0] ?? "");
      await row.waitFor({ timeout: 2000 }).catch(() => undefined);
    }
    return row;
  };

  it("also appears in the side bar and the status bar", async () => {
    const { page } = bench;
    const { versions } = lineageOf(project);
    await page.locator('.activitybar [aria-label="EvoTrainer"]').first().click();
    for (const { name } of versions) await rowOf(name);
    await bench.status("status").filter({ hasText: "%" }).waitFor();
    await bench.shot("evolution-side-bar");
  });

  it("can be opened from the side bar: a click selects the version in the panel", async () => {
    const { versions } = lineageOf(project);
    const first = versions[0];
    assert.ok(first);
    const details = bench.webview().locator(".details h2", { hasText: first.name });
    // What is told of a row under the pointer may take the first click.
    for (let tries = 0; tries < 4 && !(await details.isVisible()); tries++) {
      await bench.page.mouse.move(0, 0);
      await (await rowOf(first.name)).click();
      await details.waitFor({ timeout: 5000 * patience }).catch(() => undefined);
    }
    await details.waitFor();
  });

  it("shows the rollouts that a label caught, and the turn that shows why", async function () {
    this.timeout(120_000);
    const { page } = bench;
    const invalid = lineageOf(project).versions.find(({ decision }) => decision === "invalid");
    assert.ok(invalid);
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Show Evidence");
    const list = bench.webview();
    await list.locator(".rows .row").first().waitFor();
    await list.getByLabel("Version").selectOption(invalid.name);
    await list.locator(".groups button", { hasText: "leak" }).click();
    await list.locator(".chip", { hasText: "label: leak" }).waitFor();
    await list.locator(".rows .row .labels", { hasText: "leak" }).first().waitFor();
    await bench.shot("evidence-in-the-editor");
    await list.locator(".rows .row").first().dblclick();
    const reader = bench.webview();
    await reader.locator(".summary .labels .name", { hasText: "leak" }).waitFor();
    await reader.locator(".turn.evidence.current").waitFor();
    await bench.shot("rollout-in-the-editor");
    await reader.locator(".summary .labels .name", { hasText: "leak" }).click();
    await page.locator('.tab.active[data-resource-name="leak.diagnostic.yaml"]').waitFor();
  });

  it("shows two rollouts of one item side by side where they differ", async function () {
    this.timeout(120_000);
    const { page } = bench;
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Show Evidence");
    await bench.webview().getByLabel("Version").selectOption("v0");
    await bench
      .webview()
      .getByLabel("Split")
      .locator("option", { hasText: "selection (240)" })
      .waitFor({ state: "attached" });
    const compare = bench.webview().locator("vscode-button", { hasText: "Compare…" });
    // Rows that are still being filled may be replaced between the two clicks.
    for (let tries = 0; tries < 4 && !(await compare.isVisible()); tries++) {
      await bench.webview().locator(".rows .row").first().dblclick();
      await compare.waitFor({ timeout: 5000 * patience }).catch(() => undefined);
    }
    await compare.click();
    await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await bench.shot("compare-choice");
    await page.keyboard.press("Enter");
    await page.locator(".monaco-diff-editor .view-line", { hasText: "── " }).first().waitFor();
    await bench.shot("compare-in-the-editor");
  });

  it("returns to the trajectory after a reload of the window", async function () {
    this.timeout(120_000);
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Show Evidence");
    await bench.webview().locator(".rows .row").first().waitFor();
    await bench.webview().locator(".rows").focus();
    await bench.page.keyboard.press("ArrowDown");
    await bench.page.keyboard.press("Enter");
    await bench.webview().locator(".summary").waitFor();
    const title = await bench.webview().locator("h1").textContent();
    await bench.reloadWindow();
    await bench
      .webview()
      .locator(".summary")
      .waitFor({ timeout: 60_000 * patience });
    assert.equal(await bench.webview().locator("h1").textContent(), title);
  });
});
