import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createProfile } from "../launcher/profile.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import type { Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";

/** As a person opens it from an empty window. */
describe("the finished example in the editor", function () {
  this.timeout(300_000);
  let session: EditorSession | undefined;
  let bench: Workbench;

  before(async function () {
    this.timeout(120_000);
    const profile = createProfile();
    const home = join(profile.folder, "home");
    mkdirSync(join(home, "empty"), { recursive: true });
    session = await EditorSession.start({ profile, env: { HOME: home } });
    ({ bench } = await session.open(join(home, "empty")));
  });
  after(async () => {
    await session?.stop();
  });
  keepFailures(() => bench);

  it("opens from an empty window by one link, and shows its lineage; one more click shows the best version", async () => {
    const { page } = bench;
    await bench.command("View: Show EvoTrainer");
    const link = page
      .locator(".welcome-view-content")
      .getByRole("button", { name: "Open a Finished Example" });
    await link.waitFor();
    const began = performance.now();
    await link.click();
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "A new folder" }).first().click();
    await bench
      .webview()
      .locator(".score-picture .mark")
      .first()
      .waitFor({ timeout: 60_000 * patience });
    const drawn = performance.now();
    await bench.webview().locator(".standing button", { hasText: "★ v2" }).first().click();
    await bench.webview().locator(".banner .verdict").first().waitFor();
    const shown = performance.now();
    const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);
    process.stdout.write(
      `      from the click to the lineage ${seconds(began, drawn)} s, to the page of the best version ${seconds(began, shown)} s\n`,
    );
    await bench.shot("finished-version");
  });
});
