import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Frame } from "playwright-core";
import { z } from "zod";
import { createProfile } from "../launcher/profile.ts";
import { Remote } from "../launcher/remote.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { cutIn, mouseOnly, smallTargets } from "../pictures/checks.ts";
import { bitmapsOf, goldenWidths, unlikeGolden } from "../pictures/compare.ts";
import { shownFrame, sideBarStage, viewStage } from "../pictures/editorStage.ts";
import { takePictures } from "../pictures/take.ts";
import { zoomFaults } from "../pictures/zoom.ts";
import { patience } from "../../support/base/patience.ts";
import { finishedViewNames, finishedViews, openView } from "./finishedViews.ts";

/** As a person opens it from an empty window. */
describe("the finished example in the editor", function () {
  this.timeout(300_000);
  let session: EditorSession | undefined;
  let remote: Remote;
  let bench: Workbench;
  let root = "";

  before(async function () {
    this.timeout(120_000);
    const profile = createProfile();
    const home = join(profile.folder, "home");
    mkdirSync(join(home, "empty"), { recursive: true });
    root = join(home, "evotrainer-finished-example");
    session = await EditorSession.start({
      ...{ profile, env: { HOME: home } },
      prepare: (made) => {
        remote = Remote.installIn(made);
      },
    });
    ({ bench } = await session.open(join(home, "empty")));
    // The loader of these tests names functions with a helper that the pages do not have.
    await bench.page.addInitScript({ content: "globalThis.__name = (f) => f;" });
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
    await remote.command("notifications.toggleDoNotDisturbMode");
    await remote.command("workbench.action.closeSidebar");
  });

  /** What axe-core finds in a view: of colours only once the rest was looked at in another theme. */
  const violations = async (frame: Frame, rules?: readonly string[]): Promise<string[]> => {
    await frame.evaluate(axe.source);
    // Rows of a long table are like those above them.
    const context = { exclude: [["tbody tr:nth-child(n + 30)"]] };
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    const found: unknown = await frame.evaluate(
      `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)}).then((r) => r.violations.map((v) => \`\${v.id} in \${v.nodes.length} places: \${v.nodes[0].html.slice(0, 160)} \${v.nodes[0].failureSummary}\`))`,
    );
    return z.array(z.string()).parse(found);
  };

  for (const name of finishedViewNames)
    it(`has the picture of ${name} in four widths and four themes, to be used by keyboard and in a zoom, clean for axe-core`, async () => {
      const view = finishedViews(bench, remote, root)[name];
      await openView(bench, name, view);
      const stage = await viewStage(bench, remote);
      const found: string[] = [];
      const taken = await takePictures(stage, {
        widths: [1000, ...goldenWidths.filter((width) => width !== 1000)],
        bitmaps: bitmapsOf(name),
        inTheme: async (frame, theme) => {
          const rules = theme === "dark" ? undefined : ["color-contrast"];
          found.push(...(await violations(frame, rules)).map((text) => `${theme}: ${text}`));
        },
        inWidth: async (frame, width) => {
          const faults = [
            ...(await cutIn(frame)),
            ...(await mouseOnly(frame)),
            ...(await smallTargets(frame)),
          ];
          found.push(...faults.map((text) => `${width} px: ${text}`));
        },
      });
      // In the last of the themes, whose lines around boxes take the most room.
      found.push(...(await zoomFaults(stage, view)));
      assert.deepEqual([...found, ...unlikeGolden(name, taken)], []);
    });

  it("has the picture of its side bar in two widths and four themes", async () => {
    await remote.command("workbench.action.closeAllEditors");
    await bench.page.setViewportSize({ width: 1400, height: 900 });
    await bench.command("View: Show EvoTrainer");
    await bench.page.locator('[role="tree"][aria-label="Jobs"] .monaco-list-row').first().waitFor();
    await bench.page.mouse.move(0, 0);
    await bench.page.evaluate("globalThis.__name = (f) => f");
    const within = ".part.sidebar";
    const taken = await takePictures(sideBarStage(bench, remote), {
      ...{ widths: [260, 400], within, bitmaps: bitmapsOf("side-bar") },
    });
    assert.deepEqual(unlikeGolden("side-bar", taken), []);
  });

  it("is unlike its pictures when something is gone, has another colour, or lies elsewhere", async () => {
    await remote.command("workbench.action.closeSidebar");
    const name = "version-rejected";
    await openView(bench, name, finishedViews(bench, remote, root)[name]);
    const frame = await shownFrame(bench);
    const stage = await viewStage(bench, remote);
    // A style that a test adds is refused by the policy of the page; what a script sets is not.
    const found = async (set: string, back: string): Promise<string> => {
      const change = (to: string): Promise<unknown> =>
        frame.evaluate(`document.querySelector(".banner .because").style.${to}`);
      await change(set);
      const taken = await takePictures(stage, { widths: [360, 1000] });
      await change(back);
      return unlikeGolden(name, taken, false).join("\n");
    };
    assert.equal(await found("color = ''", "color = ''"), "");
    assert.match(await found("visibility = 'hidden'", "visibility = ''"), /1000 px: missing: .*because/);
    assert.match(
      await found("setProperty('color', 'var(--vscode-charts-green)', 'important')", "color = ''"),
      /360 px: another colour in a dark theme: .*because/,
    );
    assert.match(
      await found("transform = 'translateY(30px)'", "transform = ''"),
      /360 px: (?:moved: .*because|.*lie over one another)/,
    );
  });

  it("leads from every version that was not kept to a turn of a rollout that failed", async () => {
    for (const name of [
      "v4-efficiency-weight-on-25",
      "v5-iterative-debug",
      "v7-optimisation-clip-up",
      "v6-optimisation-clip-down",
    ]) {
      await remote.command("evotrainer.showVersion", { name });
      await bench.webview().locator(`h1:has-text("${name} against")`).waitFor();
      const example = bench.webview().locator(".banner .examples button").first();
      assert.match(`${name}: ${await example.innerText()}`, /failed|, turn \d+/);
    }
    // The score of this one is as high as that of its parent.
    await bench.webview().locator(".banner .examples button").first().click();
    await until("the rollout at its turn", async () => {
      for (const frame of bench.page.frames())
        if ((await frame.locator(".turn.current").count()) > 0)
          return (await frame.locator(".summary").first().innerText()).includes("failed");
      return false;
    });
    await remote.command("workbench.action.closeActiveEditor");
  });

  it("has one tab of the lineage after a reload of the window, though nobody looked at it since", async () => {
    await remote.command("evotrainer.showLineage");
    await bench.webview().locator(".score-picture .mark").first().waitFor();
    await remote.command("evotrainer.showVersion", { name: "v5-iterative-debug" });
    const version = bench.webview().locator('h1:has-text("v5-iterative-debug against")');
    await version.waitFor();
    await bench.reloadWindow();
    await version.waitFor({ timeout: 60_000 * patience });
    await bench.command("EvoTrainer: Show Lineage");
    await bench.webview().locator(".score-picture .mark").first().waitFor();
    assert.equal(await bench.page.locator('.tab[aria-label^="Lineage"]').count(), 1);
  });

  it("says after an answer what is true: that the evolution is over, and how predictions came out, as before", async () => {
    await bench.command("EvoTrainer: Review Proposal");
    const card = bench.webview();
    const record = card.getByText("Fixes: 2 of 4 came true");
    await record.waitFor();
    // The comment at the changed line says the same as the card, also what was looked up after it was there.
    await bench.command("EvoTrainer: Open Changes of Proposal");
    const comment = bench.page.locator(".review-widget .comment-body").first();
    await comment.getByText("its target insufficient-signal is not found in v2").waitFor();
    assert.doesNotMatch(await comment.innerText(), /rarer: insufficient-signal/);
    await bench.command("EvoTrainer: Review Proposal");
    await record.waitFor();
    await card
      .locator("vscode-button", { hasText: /^\s*Approve/ })
      .first()
      .click();
    const notice = card.locator(".notice.done");
    await notice.waitFor({ timeout: 60_000 * patience });
    assert.match(await notice.innerText(), /The evolution is not running now: All 3 generations are done/);
    assert.equal(await record.count(), 1);
    // An evolution that is over is no fault of who answers.
    assert.equal(await bench.page.locator(".notifications-toasts .codicon-error").count(), 0);
    await bench.shot("finished-answered");
  });
});
