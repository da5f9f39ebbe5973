import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeToyProject, toyHarness } from "../../engine/toyProject.ts";
import { createProfile } from "../launcher/profile.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

describe("jobs in the editor", function () {
  this.timeout(180_000);
  let session: EditorSession | undefined;
  let bench: Workbench;
  let home = "";
  let failing = "";
  let logs = "";
  const example = (): string => join(home, "evotrainer-example");

  before(async function () {
    this.timeout(120_000);
    const profile = createProfile({ "evotrainer.trace.server": "verbose" });
    logs = join(profile.userData, "logs");
    home = join(profile.folder, "home");
    mkdirSync(join(home, "empty"), { recursive: true });
    failing = makeToyProject({ "harness/toy.yaml": toyHarness({ fault: "preflight", fault_base: "yes" }) });
    session = await EditorSession.start({ profile, env: { HOME: home } });
  });
  after(async () => {
    await session?.stop();
    await removeInUse(failing);
  });
  keepFailures(() => bench);

  const open = async (folder: string): Promise<void> => {
    assert.ok(session);
    ({ bench } = await session.open(folder));
  };
  const row = (text: string | RegExp) =>
    bench.page.locator(".pane-body .monaco-list-row", { hasText: text }).first();
  /** The row of a job by all that is told of it: what is beside it has no room for words such as its state. */
  const job = (told: RegExp) =>
    bench.page.locator(".pane-body").getByRole("treeitem", { name: told }).first();
  const answer = async (button: string): Promise<void> => {
    await bench.page.locator(".monaco-dialog-box").getByRole("button", { name: button, exact: true }).click();
    await bench.page.locator(".monaco-dialog-box").waitFor({ state: "hidden" });
  };
  /** The process of the evolution, and whether it lives. */
  const evolution = (root: string): { pid: number; lives: boolean } => {
    const { process: its } = JSON.parse(readFileSync(join(root, ".evotrainer/evolution.json"), "utf8")) as {
      process: { pid: number };
    };
    try {
      process.kill(its.pid, 0);
      return { pid: its.pid, lives: true };
    } catch {
      return { pid: its.pid, lives: false };
    }
  };

  it("opens the example project from an empty window", async () => {
    await open(join(home, "empty"));
    await bench.command("View: Show EvoTrainer");
    await bench.page
      .locator(".welcome-view-content", {
        hasText: "No folder of this workspace contains an evotrainer.yaml",
      })
      .waitFor();
    await bench.shot("jobs-welcome");
    const loaded = bench.page.waitForEvent("domcontentloaded", { timeout: 60_000 * patience });
    await bench.commandThatAsks("EvoTrainer: Open the Example Project", "A new folder in your home folder");
    await loaded;
    await bench.command("View: Show Explorer");
    await bench.ready("evotrainer.yaml");
    for (const file of ["evotrainer.yaml", "trainer/trainer.mjs", ".git/HEAD"])
      assert.ok(existsSync(join(example(), file)), file);
  });

  it("runs a generation and shows the job with its step and its output", async () => {
    const { page } = bench;
    await bench.command("View: Show EvoTrainer");
    await page.locator(".welcome-view-content", { hasText: "No job has been started yet" }).waitFor();
    await row("This project").waitFor();
    await bench.command("EvoTrainer: Run a Generation");
    await job(/v0.*(running|finished)/).waitFor({ timeout: 60_000 * patience });
    await bench.status("job").filter({ hasText: "v" }).waitFor();
    await bench.status("owner").filter({ hasText: "evolution" }).waitFor();
    // The base policy is measured within seconds; the baseline trains for longer.
    await job(/training.*running.*step \d+/).waitFor({ timeout: 120_000 * patience });
    await job(/training.*running/).click();
    await bench.webview().locator(".state", { hasText: "Running" }).waitFor();
    await bench.webview().locator("path.line").waitFor();
    await bench.command("EvoTrainer: Follow Evolution");
    await page
      .locator(".terminal-tabs-entry, .single-terminal-tab", { hasText: "Evolution" })
      .first()
      .waitFor();
    await bench.shot("jobs-running");
  });

  it("continues while the window is reloaded, and shows everything again", async () => {
    const { pid } = evolution(example());
    await bench.reloadWindow();
    await job(/training.*(running|finished)/).waitFor({ timeout: 60_000 * patience });
    await bench
      .webview()
      .locator("h1", { hasText: ".train.s" })
      .waitFor({ timeout: 60_000 * patience });
    await bench.page
      .locator(".terminal-tabs-entry, .single-terminal-tab", { hasText: "Evolution" })
      .first()
      .waitFor({ timeout: 60_000 * patience });
    // On a slow machine it may have ended since; another one must not have begun.
    assert.equal(evolution(example()).pid, pid);
    // A row whose command is not enabled is drawn as disabled.
    const disabled = bench.page.locator(".custom-view-tree-node-item-icon.disabled");
    await until("the commands of the rows to be enabled", async () => (await disabled.count()) === 0);
    await bench.shot("jobs-reloaded");
  });

  it("requests nothing for a hidden view, and keeps no page for it", async () => {
    const { page } = bench;
    await bench.commandThatAsks("Developer: Set Log Level...", "Trace");
    const asked = (service: string): number => {
      const written = readdirSync(logs, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith("EvoTrainer.log"))
        .map((file) => readFileSync(join(logs, file), "utf8"));
      return written.join("").split(`"service": "${service}"`).length - 1;
    };
    await until("the shown job to be asked for", () => asked("jobs.show") > 0);
    await bench.open("evotrainer.yaml");
    await until("its page to be gone", () =>
      page.frames().every((frame) => !/purpose=webviewView|extensionId=evotrainer/.test(frame.url())),
    );
    // The log is written after the requests: what the page still asked is in it before the list that comes next.
    const before = asked("jobs.list");
    await until("the log to have what the page asked", () => asked("jobs.list") > before + 1);
    const [shown, listed] = [asked("jobs.show"), asked("jobs.list")];
    await until("the list to be asked for", () => asked("jobs.list") >= listed + 3);
    assert.equal(asked("jobs.show"), shown);
    await page.locator(".tab", { hasText: ".train.s" }).click();
    await bench.webview().locator("h1", { hasText: ".train.s" }).waitFor();
    await until("it to be asked for again", () => asked("jobs.show") > shown);
  });

  it("stops the evolution with its jobs on request", async () => {
    const dialog = bench.page.locator(".monaco-dialog-box");
    const cancelsJobs = dialog.getByRole("button", { name: "Stop and Cancel Jobs", exact: true });
    for (let asked = 0; ; asked++) {
      // On a slow machine the evolution of the tests before ends by itself.
      const jobs = job(/(training|evaluation).*running/);
      await until("a job to run", async () => {
        if ((await jobs.count()) > 0) return true;
        if (!evolution(example()).lives) await bench.command("EvoTrainer: Run a Generation");
        await jobs.waitFor({ timeout: 10_000 }).catch(() => undefined);
        return false;
      });
      await bench.command("EvoTrainer: Stop Evolution");
      await dialog.waitFor();
      // Between two jobs there is none to cancel, and the question says nothing of jobs.
      if ((await cancelsJobs.count()) > 0 || asked === 5) break;
      await answer("Cancel");
    }
    await bench.shot("jobs-stop");
    await answer("Stop and Cancel Jobs");
    await until("the evolution to have ended", () => !evolution(example()).lives);
    // A job that ends by itself while the question is answered is not cancelled; either way none is left.
    await row(/was stopped at this step: .*; it can go on from there/).waitFor({
      timeout: 60_000 * patience,
    });
    await job(/(training|evaluation).*running/).waitFor({ state: "hidden", timeout: 60_000 * patience });
    await bench.shot("jobs-stopped");
  });

  it("says why a job failed and what to do", async () => {
    await bench.page.close();
    await open(failing);
    await bench.ready("evotrainer.yaml");
    await bench.command("View: Show EvoTrainer");
    await bench.command("EvoTrainer: Run a Generation");
    const note = bench.page.locator(".notification-toast", { hasText: "failed" });
    await note.waitFor({ timeout: 60_000 * patience });
    await row(/failed before its first evidence/).waitFor();
    await note.getByRole("button", { name: "Show Job" }).click();
    const view = bench.webview();
    await view.locator(".failure", { hasText: "no such module: torhc" }).waitFor();
    await view.locator(".failure", { hasText: "What to do" }).waitFor();
    await view.locator("pre", { hasText: "torhc" }).waitFor();
    await bench.shot("jobs-failed");
  });
});
