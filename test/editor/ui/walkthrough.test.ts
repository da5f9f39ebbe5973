import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createProfile } from "../launcher/profile.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";

/** From the installed package and an empty window, with nothing but the walkthrough's own links. */
describe("the walkthrough of the installed extension", function () {
  this.timeout(300_000 * patience);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let home = "";

  before(async function () {
    this.timeout(120_000 * patience);
    const profile = createProfile();
    home = join(profile.folder, "home");
    mkdirSync(join(home, "empty"), { recursive: true });
    session = await EditorSession.start({ profile, env: { HOME: home } });
    ({ bench } = await session.open(join(home, "empty")));
  });
  after(async () => {
    await session?.stop();
  });
  keepFailures(() => bench);

  const step = (title: string) =>
    bench.page.locator(".getting-started-step", {
      has: bench.page.locator(".step-title", { hasText: title }),
    });

  /** Opens the walkthrough at a step, and presses the link in it. */
  async function follow(title: string, link: string): Promise<void> {
    await bench.commandThatAsks("Welcome: Open Walkthrough...", "Evolve a policy with its training harness");
    await step(title).first().click();
    await bench.page.locator(".getting-started-step.expanded").getByText(link, { exact: true }).click();
  }

  it("ends in a running generation", async () => {
    const { page } = bench;
    await bench.command("View: Show EvoTrainer");
    await follow("Open the example project", "Open the Example Project");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "A new folder" }).first().click();
    await until("the example to be open", () =>
      readdirSync(home).some((name) => existsSync(join(home, name, "evotrainer.yaml"))),
    );
    await bench.ready("evotrainer.yaml");
    await follow("Run a generation", "Run a Generation");
    await bench
      .status("job")
      .filter({ hasText: /v0|v1/ })
      .waitFor({ timeout: 120_000 * patience });
    await bench.commandThatAsks("Welcome: Open Walkthrough...", "Evolve a policy with its training harness");
    await step("Run a generation")
      .locator(".codicon-getting-started-step-checked.complete")
      .first()
      .waitFor();
    await bench.shot("walkthrough-generation");
    // What EvoTrainer keeps in the project is no change of the user's.
    await until("source control to list no change", async () => {
      const badge = page.locator('.activitybar [aria-label*="Source Control"]').first();
      return !/[1-9]/.test((await badge.getAttribute("aria-label", { timeout: 5000 })) ?? "1");
    });
    await bench.command("EvoTrainer: Stop Evolution");
    await until("the evolution to stop", async () => (await bench.status("job").count()) === 0);
  });
});
