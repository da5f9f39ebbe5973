import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProfile, gitWorkspace } from "../launcher/profile.ts";
import { sampleWorkspace } from "../launcher/sampleWorkspace.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import type { Workbench } from "../launcher/workbench.ts";

describe("in a workspace that is not trusted", () => {
  let session: EditorSession | undefined;
  let bench: Workbench;
  let witness = "";
  let folder = "";

  before(async function () {
    this.timeout(120_000);
    const profile = createProfile({
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
    });
    folder = gitWorkspace(join(profile.folder, "workspace"), sampleWorkspace);
    // A repository's own settings can make git start a program: whoever runs git here betrays itself.
    witness = join(profile.folder, "git-was-run");
    const program = join(profile.folder, "monitor.sh");
    writeFileSync(program, `#!/bin/sh\ntouch '${witness}'\n`);
    chmodSync(program, 0o755);
    writeFileSync(
      join(folder, ".git/config"),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = ${program}\n`,
    );
    session = await EditorSession.start({ profile, trusted: false });
    ({ bench } = await session.open(folder));
    await bench.ready("evotrainer.yaml");
  });
  after(async () => {
    await session?.stop();
  });
  keepFailures(() => bench);

  it("the editor still checks specs", async () => {
    await bench.page.locator("#status\\.workspaceTrust", { hasText: "Restricted Mode" }).waitFor();
    await bench.open("echo-trap.diagnostic.yaml");
    await bench.page.locator(".monaco-editor .squiggly-error").first().waitFor();
  });

  it("the lineage asks for trust, and nothing from the repository runs", async () => {
    await bench.status("status").filter({ hasText: "restricted" }).waitFor();
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".message", { hasText: "This workspace is not trusted." }).waitFor();
    await bench.shot("untrusted");
    assert.equal(existsSync(witness), false);
  });

  it("no archive is opened", async () => {
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Show Evidence");
    await bench.webview().locator(".message", { hasText: "This workspace is not trusted." }).waitFor();
    assert.equal(existsSync(witness), false);
    await bench.command("View: Close All Editors");
    await bench.command("EvoTrainer: Show Lineage");
  });

  it("no job and no evolution starts: the commands are not offered, and the views say why", async () => {
    const { page } = bench;
    await bench.command("View: Show EvoTrainer");
    await page.locator(".welcome-view-content", { hasText: "Jobs run programs of the project" }).waitFor();
    await page
      .locator(".welcome-view-content", { hasText: "To show how often each diagnostic holds" })
      .waitFor();
    await page.keyboard.press("F1");
    const input = page.locator(".quick-input-widget .quick-input-box input");
    const rows = page.locator(".quick-input-list .monaco-list-row");
    for (const title of [
      "Run a Generation",
      "Continue Evolution",
      "Rerun Job",
      "Open the Example",
      "Add Host",
      "Check Host",
    ]) {
      await input.fill(">EvoTrainer: Show Log");
      await rows.filter({ hasText: "EvoTrainer: Show Log" }).first().waitFor();
      await input.fill(`>EvoTrainer: ${title}`);
      await rows.filter({ hasText: "EvoTrainer: Show Log" }).first().waitFor({ state: "detached" });
      assert.equal(await rows.filter({ hasText: title }).count(), 0, title);
    }
    await page.keyboard.press("Escape");
    await bench.shot("untrusted-jobs");
    assert.equal(existsSync(join(folder, ".evotrainer")), false);
    assert.equal(existsSync(witness), false);
  });

  it("the lineage appears as soon as the workspace is trusted, without a reload", async () => {
    await bench.webview().locator(".message vscode-button", { hasText: "Manage Workspace Trust" }).click();
    const editor = bench.page.locator(".workspace-trust-editor");
    await editor.waitFor();
    await editor.getByRole("button", { name: "Trust", exact: true }).first().click();
    await bench.page.keyboard.press("Escape");
    await bench.webview().locator(".message", { hasText: "This project has no versions yet." }).waitFor();
    await bench.shot("trusted");
  });
});
