import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runEvotrainer } from "../../engine/cli.ts";
import { makeToyProject } from "../../engine/toyProject.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";
import { until, type Workbench } from "../launcher/workbench.ts";

describe("exports through the editor's save dialog", function () {
  this.timeout(180_000);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let project = "";

  before(async function () {
    this.timeout(180_000);
    project = makeToyProject();
    const { code, stderr } = await runEvotrainer(project, "evolve", "--generations", "1");
    assert.equal(code, 0, stderr);
    session = await EditorSession.start();
    ({ bench } = await session.open(project));
    await bench.ready("evotrainer.yaml");
    await bench.command("View: Show EvoTrainer");
  });
  after(async () => {
    await session?.stop();
    await removeInUse(project);
  });
  keepFailures(() => bench);

  /** Answers the dialog that asks for a file, which offers one of a name. */
  async function choose(offered: RegExp, name: string): Promise<void> {
    const input = bench.page.locator(".quick-input-widget .quick-input-box input");
    await until("the path to be offered", async () =>
      offered.test(await input.inputValue({ timeout: 10_000 })),
    );
    // The dialog writes its own name once more when it has read the folder.
    await until("the path to stay", async () => {
      await input.fill(join(project, name));
      await bench.page.waitForTimeout(500);
      return (await input.inputValue()) === join(project, name);
    });
    await bench.shot(`export-${name}`);
    await bench.page.keyboard.press("Enter");
  }

  it("write the rollouts of a list into the chosen file", async () => {
    const { page } = bench;
    await bench.command("EvoTrainer: Show Evidence");
    await bench.webview().getByRole("button", { name: "Export…" }).click();
    await choose(/\.rollouts\.jsonl$/, "exported.jsonl");
    await page.locator(".notification-toast", { hasText: /Wrote \d+ rollouts to/ }).waitFor();
    const lines = readFileSync(join(project, "exported.jsonl"), "utf8").trim().split("\n");
    const shown = await bench.webview().locator("body").innerText();
    assert.match(shown, new RegExp(`${lines.length} rollouts`));
    await bench.shot("exported");
    await page.locator(".notification-toast .codicon-notifications-clear").first().click();
  });

  it("write one trajectory as JSON, or as Markdown for reading", async () => {
    const { page } = bench;
    await bench.webview().locator('[role="row"], .row', { hasText: "selection-2" }).first().dblclick();
    await page.locator(".tab.active", { hasText: "selection" }).waitFor();
    for (const [name, pattern] of [
      ["one.json", /^\{\n {2}"/],
      ["one.md", /^# /],
    ] as const) {
      await bench.webview().getByRole("button", { name: "Export…" }).click();
      await choose(/\.json$/, name);
      await page.locator(".notification-toast", { hasText: "Wrote the rollout to" }).first().waitFor();
      await until(`${name} to be there`, () => existsSync(join(project, name)));
      assert.match(readFileSync(join(project, name), "utf8"), pattern);
      await page.locator(".notification-toast .codicon-notifications-clear").first().click();
    }
  });
});
