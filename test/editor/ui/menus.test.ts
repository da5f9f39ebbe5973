import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { evotrainer, lineageOf } from "../../engine/cli.ts";
import { makeToyProject, toyFiles, toyHarness } from "../../engine/toyProject.ts";
import { Hands, isOnTop } from "../launcher/hands.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

/** What the row of the first training is called. */
const firstSeed = "v1 · training · seed 1";

describe("the menus of the side bar, and the walkthrough", function () {
  this.timeout(180_000);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let evolved = "";
  let slow = "";
  let another = "";
  let hands: Hands;

  before(async function () {
    this.timeout(180_000);
    evolved = makeToyProject({
      "evotrainer.yaml": (toyFiles["evotrainer.yaml"] ?? "").replace(
        "autonomy: full",
        "autonomy: human_gated",
      ),
    });
    // The rule answers for what is trained, and the best version waits for its promotion.
    assert.match(
      evotrainer(evolved, "evolve", "--autonomy", "full").stderr,
      /evotrainer promote v2-linear-shape/,
    );
    const slowly = { "harness/toy.yaml": toyHarness({ step_ms: 10_000 * patience }) };
    [slow, another] = [makeToyProject(slowly), makeToyProject(slowly)];
    session = await EditorSession.start();
    await open(evolved);
  });
  after(async () => {
    await session?.stop();
    // An engine that was told to stop may still write its last lines.
    for (const root of [evolved, slow, another]) await removeInUse(root);
  });
  keepFailures(() => bench);

  const open = async (folder: string): Promise<void> => {
    assert.ok(session);
    ({ bench } = await session.open(folder));
    await bench.ready("evotrainer.yaml");
    await bench.command("View: Show EvoTrainer");
  };
  /** A row of a view of the side bar, by the name that it begins with and by what else is told of it. */
  const row = (view: string, name: string, told = "") => {
    const named = bench.page.locator(
      `[role="tree"][aria-label="${view}"] .monaco-list-row[aria-label^="${name}"]`,
    );
    return (told === "" ? named : named.and(bench.page.getByRole("treeitem", { name: told }))).first();
  };
  const entries = () => bench.page.locator(".monaco-menu .action-label");
  /** Opens the menu of a row and answers with what it offers. */
  const menuOf = async (...of: Parameters<typeof row>): Promise<string[]> => {
    // What is told of the row under the pointer would cover the next one.
    await bench.page.mouse.move(0, 0);
    await row(...of).click({ button: "right" });
    await entries().first().waitFor();
    return (await entries().allTextContents()).filter((label) => label !== "");
  };
  const closeMenu = async (): Promise<void> => {
    await until("the menu to take keys", () =>
      bench.page.evaluate("document.activeElement?.closest('.monaco-menu, .shadow-root-host') !== null"),
    );
    await bench.page.keyboard.press("Escape");
    await bench.page.locator(".monaco-menu").waitFor({ state: "hidden" });
  };
  const choose = async (label: string, ...of: Parameters<typeof row>): Promise<void> => {
    const offered = await menuOf(...of);
    assert.ok(offered.includes(label), `${label} among ${offered.join(", ")}`);
    // A menu that has just opened takes no click yet.
    const entry = bench.page.locator(".monaco-menu .action-item", { hasText: label });
    await entry.hover();
    await bench.page.locator(".monaco-menu .action-item.focused", { hasText: label }).waitFor();
    await bench.page.keyboard.press("Enter");
    await bench.page.locator(".monaco-menu").waitFor({ state: "hidden" });
  };
  /** Rows of jobs are drawn anew as they go on: a command of a row that has just gone asks which job is meant. */
  const chooseJob = async (label: string, said: string, then: Locator): Promise<void> => {
    await choose(label, "Jobs", firstSeed, said);
    const asked = bench.page.locator(".quick-input-list .monaco-list-row", { hasText: firstSeed }).first();
    await asked
      .or(then)
      .first()
      .waitFor({ timeout: 60_000 * patience });
    if (await asked.isVisible()) await asked.click();
    await then.waitFor({ timeout: 60_000 * patience });
  };
  const dialog = () => bench.page.locator(".monaco-dialog-box");
  const confirm = async (button: string): Promise<void> => {
    await dialog().getByRole("button", { name: button, exact: true }).click();
    await dialog().waitFor({ state: "hidden" });
  };
  const kept = () => {
    const version = lineageOf(evolved).versions.find(
      ({ decision, promoted, factor }) => decision === "keep" && !promoted && factor !== null,
    );
    assert.ok(version);
    return version;
  };

  /** The page that has an element, where several are shown beside each other or one is being replaced. */
  const pageWith = async (selector: string): Promise<FrameLocator> => {
    const shown = bench.page.locator("iframe.webview.ready");
    let found: FrameLocator | undefined;
    await until(`a page with ${selector}`, async () => {
      for (let i = 0; found === undefined && i < (await shown.count()); i++) {
        const page = shown.nth(i).contentFrame().locator("iframe#active-frame").contentFrame();
        if ((await page.locator(selector).count()) > 0) found = page;
      }
      return found !== undefined;
    });
    assert.ok(found);
    return found;
  };

  it("are not needed to learn why a version was rejected, with a failing turn: three clicks", async () => {
    hands = await Hands.of(bench);
    const rejected = lineageOf(evolved).versions.find(({ decision }) => decision === "reject");
    assert.ok(rejected);
    await hands.openEditor();
    await hands.click(bench.status("status"));
    await hands.click(bench.webview().locator(".score-picture .mark.reject").first());
    const banner = (await pageWith(".banner .because")).locator(".banner");
    const said = await banner.innerText();
    assert.match(said, new RegExp(`rejected[^]*\\b${rejected.name.split("-")[0]}\\b`, "i"));
    assert.ok(said.includes(rejected.reason.slice(0, 40)), said);
    await hands.click(banner.locator(".examples button").first());
    const reader = await pageWith(".summary");
    await reader.locator(".summary", { hasText: "failed" }).first().waitFor();
    const turn = reader.locator(".turn.current").first();
    await turn.waitFor();
    await until("the turn to be in sight", () => isOnTop(turn));
    assert.deepEqual(await hands.done(), { clicks: 3, keys: 0, wheels: 0 });
    await bench.shot("walk-failing-turn");
  });

  it("are not needed to see which label grew most between two versions: two clicks", async () => {
    const [from, to] = ["v1", lineageOf(evolved).versions.at(-1)?.name ?? ""];
    await hands.openEditor();
    await hands.click(bench.status("status"));
    await hands.click(bench.webview().locator("header vscode-button", { hasText: /^\s*Labels\s*$/ }));
    const matrix = bench.webview().locator(".matrix");
    await matrix.locator(".space .row").first().waitFor();
    const cellOf = (label: string, version: string) =>
      matrix.locator(`[title^="${label} in ${version}: "]`).first();
    const labels = (await matrix.locator(".space .row").allInnerTexts()).map(
      (text) => text.split(/\s/)[0] ?? "",
    );
    const seen: { label: string; grew: number }[] = [];
    for (const label of labels) {
      const [a, b] = [cellOf(label, from), cellOf(label, to)];
      if ((await a.count()) === 0 || (await b.count()) === 0) continue;
      assert.ok((await isOnTop(a)) && (await isOnTop(b)), `${label} is in sight`);
      seen.push({ label, grew: parseFloat(await b.innerText()) - parseFloat(await a.innerText()) });
    }
    assert.deepEqual(await hands.done(), { clicks: 2, keys: 0, wheels: 0 });
    await bench.shot("walk-labels");
    // The last version of this project shows the policy the answers, and the policy reads them.
    const most = seen.toSorted((a, b) => b.grew - a.grew)[0];
    assert.equal(most?.label, "leak", JSON.stringify(seen));
    await bench.command("View: Show EvoTrainer");
  });

  it("offer what can be done with a version, and nothing else", async () => {
    const { versions } = lineageOf(evolved);
    const root = versions.find(({ parent }) => parent === null);
    const invalid = versions.find(({ decision }) => decision === "invalid");
    assert.ok(root && invalid);
    const decide = ["Promote Version…", "Revert Version…"];
    const decisions = async (name: string): Promise<string[]> => {
      const offered = await menuOf("Lineage", `${name}, `);
      await closeMenu();
      return decide.filter((label) => offered.includes(label));
    };
    assert.deepEqual(await decisions(root.name), []);
    assert.deepEqual(await decisions(invalid.name), ["Revert Version…"]);
    const baseline = versions.find(({ decision, factor }) => decision === "keep" && factor === null);
    assert.ok(baseline);
    assert.deepEqual(await decisions(baseline.name), ["Revert Version…"]);
    await menuOf("Lineage", `${kept().name}, `);
    await bench.shot("menu-version");
    await closeMenu();
    assert.deepEqual(await decisions(kept().name), decide);
  });

  it("promote a version after a confirmation, and do not offer to promote it again", async () => {
    const { name } = kept();
    await choose("Promote Version…", "Lineage", `${name}, `);
    await bench.page.locator(".monaco-dialog-box", { hasText: "cannot be unseen" }).waitFor();
    await bench.shot("menu-promote");
    await confirm("Promote");
    await until("the version to be promoted", () =>
      lineageOf(evolved).versions.some((version) => version.name === name && version.promoted),
    );
    await until("the menu to have lost the entry", async () => {
      const offered = await menuOf("Lineage", `${name}, `);
      await closeMenu();
      return !offered.includes("Promote Version…") && offered.includes("Revert Version…");
    });
  });

  it("revert a version by making a new version, with the reason", async () => {
    const name = lineageOf(evolved).versions.find(({ decision }) => decision === "keep")?.name ?? "";
    const before = lineageOf(evolved).versions.length;
    await choose("Revert Version…", "Lineage", `${name}, `);
    await bench.page.locator(".quick-input-widget input").fill("it was a test");
    await bench.shot("menu-revert");
    await bench.page.keyboard.press("Enter");
    await until("the version that takes it back", () => lineageOf(evolved).versions.length === before + 1);
    const made = lineageOf(evolved).versions.at(-1);
    assert.equal(made?.decision, "revert");
    // Only the rows in view are there.
    await bench.page.locator('[role="tree"][aria-label="Lineage"]').focus();
    await until("its row to be there", async () => {
      await bench.page.keyboard.press("End");
      return row("Lineage", `${made.name}, `).isVisible();
    });
    await bench.shot("menu-reverted");
  });

  it("open the folder of a run in a terminal when the editor is on another machine", async () => {
    // The base policy's job is the oldest: its row is in the fold of older jobs, and is drawn once it is in view.
    await bench.page.locator('[role="tree"][aria-label="Jobs"]').focus();
    await until("its row to be there", async () => {
      await bench.page.keyboard.press("End");
      await bench.page.keyboard.press("ArrowRight");
      return row("Jobs", "v0 ").isVisible();
    });
    await choose("Open Run Folder", "Jobs", "v0 ");
    await bench.page
      .locator(".terminal-tabs-entry, .single-terminal-tab", { hasText: "Run v0" })
      .first()
      .waitFor();
    await bench.shot("menu-run-folder");
  });

  it("lead through the walkthrough, whose buttons do what they say", async () => {
    const { page } = bench;
    await bench.commandThatAsks("Welcome: Open Walkthrough...", "Evolve a policy");
    const steps = page.locator(".gettingStartedContainer .step-title");
    await until("the steps to be there", async () => (await steps.count()) === 7);
    await bench.shot("walkthrough");
    await steps.filter({ hasText: "Review a proposal" }).click();
    await page.locator(".gettingStartedContainer").getByRole("button", { name: "Review Proposal" }).waitFor();
    await steps.filter({ hasText: "See the result" }).click();
    await bench.shot("walkthrough-lineage");
    await page.locator(".gettingStartedContainer").getByRole("button", { name: "Show Lineage" }).click();
    await bench.webview().locator(".row .name").first().waitFor();
  });

  it("cancel a job after a confirmation, and run it again", async () => {
    await bench.page.close();
    await open(slow);
    await bench.command("EvoTrainer: Run a Generation");
    // The second seed waits for its turn or trains beside it.
    await row("Jobs", firstSeed, "running").waitFor({ timeout: 60_000 * patience });
    assert.ok(!(await menuOf("Jobs", firstSeed, "running")).includes("Rerun Job"));
    await bench.shot("menu-job");
    await closeMenu();
    await chooseJob("Cancel Job", "running", dialog());
    await confirm("Cancel Job");
    await row("Jobs", firstSeed, "cancelled").waitFor({ timeout: 60_000 * patience });
    const offered = await menuOf("Jobs", firstSeed, "cancelled");
    await bench.shot("menu-job-cancelled");
    await closeMenu();
    assert.ok(!offered.includes("Cancel Job"), offered.join(", "));
    await chooseJob("Rerun Job", "cancelled", row("Jobs", firstSeed, "running"));
    await bench.shot("menu-job-rerun");
    await chooseJob("Cancel Job", "running", dialog());
    await confirm("Cancel Job");
    await row("Jobs", firstSeed, "rerun 1")
      .filter({ hasText: "cancelled" })
      .waitFor({ timeout: 60_000 * patience });
  });

  it("are not needed to see the curves of two jobs in one picture, and to stop the run: two clicks each", async () => {
    await bench.page.close();
    await open(another);
    await bench.command("EvoTrainer: Run a Generation");
    const running = bench.page.locator(".pane-body").getByRole("treeitem", { name: /training.*running/ });
    await until("two jobs to train", async () => (await running.count()) > 1);
    const hands = await Hands.of(bench);
    const choice = (text: string) =>
      bench.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
    await hands.openEditor();
    await hands.click(bench.status("job"));
    await hands.click(choice("Show the Curves of All Running Jobs"));
    const reward = bench.webview().locator(".multiples figure", { hasText: "Reward" }).first();
    await until("both curves in one picture", async () => (await reward.locator("path.curve").count()) > 1);
    assert.equal(await isOnTop(reward), true);
    assert.deepEqual(await hands.done(), { clicks: 2, keys: 0, wheels: 0 });
    await bench.shot("walk-two-jobs");

    await hands.openEditor();
    await hands.click(bench.status("job"));
    await bench.shot("walk-stop");
    await hands.click(choice("Stop the Evolution and Cancel Its Jobs"));
    await bench.command("View: Show EvoTrainer");
    await running.first().waitFor({ state: "hidden", timeout: 60_000 * patience });
    assert.deepEqual((await hands.done()).clicks, 2);
  });
});
