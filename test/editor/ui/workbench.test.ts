import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProfile, gitWorkspace } from "../launcher/profile.ts";
import { sampleWorkspace } from "../launcher/sampleWorkspace.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";

const diagnostic = "echo-trap.diagnostic.yaml";

describe("the workbench", () => {
  let session: EditorSession | undefined;
  let bench: Workbench;
  let folder = "";
  let refused: readonly string[] = [];
  const complaints: string[] = [];

  before(async function () {
    this.timeout(120_000);
    const profile = createProfile();
    folder = gitWorkspace(join(profile.folder, "workspace"), sampleWorkspace);
    session = await EditorSession.start({ profile });
    ({ bench, refused } = await session.open(folder, (message) => {
      if (/Content Security Policy/.test(message.text()) && message.location().url.includes("evotrainer"))
        complaints.push(message.text());
    }));
    await bench.ready("evotrainer.yaml");
  });
  after(async () => {
    await session?.stop();
  });
  keepFailures(() => bench);

  it("underlines a mistake and explains it on hover", async () => {
    await bench.open(diagnostic);
    const { page } = bench;
    await page.locator(".monaco-editor .squiggly-error").first().waitFor();
    assert.equal(await page.locator(".monaco-editor .squiggly-error").count(), 1);
    await page
      .locator(".view-line", { hasText: "severty" })
      .locator("span", { hasText: "severty" })
      .last()
      .hover();
    await page.locator(".monaco-hover", { hasText: 'Did you mean "severity"?' }).waitFor();
    await bench.shot("diagnostic-hover");
  });

  it("colours expressions as CEL", async () => {
    const line = bench.page.locator(".view-line", { hasText: "longest_tool_streak" });
    const classes = await line
      .locator("span span")
      .evaluateAll((spans) => spans.map((span) => span.getAttribute("class") ?? ""));
    assert.ok(new Set(classes).size >= 4, classes.join(" "));
  });

  it("corrects the mistake with a quick fix", async function () {
    this.timeout(90_000);
    const { page } = bench;
    await page.keyboard.press("Escape");
    await page
      .locator(".view-line", { hasText: "severty" })
      .locator("span", { hasText: "severty" })
      .last()
      .click();
    await page.mouse.move(900, 700);
    const fix = page.locator(".action-widget .monaco-list-row.action", { hasText: 'Change to "severity"' });
    // A key that is pressed while a hover opens or closes goes to the hover.
    await until("the menu of fixes", async () => {
      await page.keyboard.press("Control+.");
      return fix.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await bench.shot("quick-fix");
    await page.keyboard.press("Enter");
    await page.locator(".view-line", { hasText: "severity: warning" }).waitFor();
    await page.locator(".monaco-editor .squiggly-error").first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    const file = join(folder, "harness/diagnostics", diagnostic);
    await until("the file is saved", () => readFileSync(file, "utf8").includes("severity: warning"));
  });

  it("completes keys as they are typed", async () => {
    const { page } = bench;
    await page.locator(".view-line", { hasText: "severity: warning" }).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("inval");
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "invalidates" }).waitFor();
    await bench.shot("completion");
    await page.keyboard.press("Tab");
    await page.locator(".view-line", { hasText: "invalidates:" }).waitFor();
    await page.keyboard.press("Control+Space");
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "false" }).waitFor();
    await page.keyboard.press("Escape");
    await bench.command("File: Revert File");
  });

  it("says in side bar, status bar and panel why there is no lineage and what to do", async () => {
    const { page } = bench;
    await bench.status("status").waitFor();
    await page.locator('.activitybar [aria-label="EvoTrainer"]').first().click();
    await page
      .locator(".pane-body .welcome-view-content, .welcome-view", { hasText: "has no versions yet" })
      .first()
      .waitFor();
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".message", { hasText: "This project has no versions yet." }).waitFor();
    await bench.shot("lineage-empty");
    await bench.webview().locator(".message vscode-button", { hasText: "Refresh" }).click();
    await bench.webview().locator(".message", { hasText: "This project has no versions yet." }).waitFor();
  });

  it("brings the panel back after a reload of the window", async function () {
    this.timeout(120_000);
    await bench.reloadWindow();
    await bench
      .webview()
      .locator(".message", { hasText: "This project has no versions yet." })
      .waitFor({ timeout: 60_000 * patience });
    await bench.shot("lineage-restored");
  });

  it("lets the user choose between two projects, and remembers the choice", async function () {
    this.timeout(180_000);
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "evotrainer.yaml"), sampleWorkspace["evotrainer.yaml"] ?? "");
    await bench
      .status("project")
      .filter({ hasText: "workspace" })
      .waitFor({ timeout: 60_000 * patience });
    await bench.commandThatAsks("EvoTrainer: Select Project", "other");
    await bench.status("project").filter({ hasText: "other" }).waitFor();
    await bench.reloadWindow();
    await bench
      .status("project")
      .filter({ hasText: "other" })
      .waitFor({ timeout: 60_000 * patience });
  });

  it("contacts no other machine and violates no policy of its page", () => {
    assert.deepEqual(
      refused.filter((url) => /evotrainer/i.test(url)),
      [],
    );
    assert.deepEqual(complaints, []);
  });
});
