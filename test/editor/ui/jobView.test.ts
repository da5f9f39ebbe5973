import assert from "node:assert/strict";
import { jobProtocol, type JobDetail } from "../../../shared/protocol/views/job.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const detail: JobDetail = {
  job: {
    id: "v3-linear.train.s1",
    version: "v3-linear",
    work: "train",
    seed: 1,
    attempt: 1,
    host: "gpu1",
    state: "running",
    waitsFor: null,
    startedAt: "2026-01-01T00:00:00.000Z",
    seconds: 312,
    step: 40,
    stepsTotal: 80,
    reward: 0.61,
    etaSeconds: 312,
    gpuUse: 0.87,
    gpus: 2,
    cost: { amount: 0.43, currency: "EUR" },
    failure: null,
  },
  directory: "/home/ada/swe/.evotrainer/runs/v3-linear.train.s1",
  commit: "0123456789abcdef0123456789abcdef01234567",
  curve: Array.from({ length: 40 }, (_, i) => ({
    step: i + 1,
    reward: 0.2 + 0.011 * i + 0.03 * Math.sin(i),
  })),
  lastLines: { stdout: ["\u001b[32mstep 39\u001b[0m reward 0.60", "step 40 reward 0.61"], stderr: [] },
};
const nasty = "\u202egnp.exe <img src=x onerror=alert(1)> \u001b]52;c;eA==\u0007 command:evil vscode://x";
const failed: JobDetail = {
  ...detail,
  job: {
    ...detail.job,
    host: null,
    state: "failed",
    etaSeconds: null,
    gpuUse: null,
    gpus: 0,
    cost: null,
    step: 3,
    failure: {
      class: "preflight_crash",
      message: `The trainer exited with 1 before its first evidence (last line: ${nasty}).`,
      advice: "Nothing was trained: correct trainer.command.",
    },
  },
  curve: [],
  lastLines: { stdout: [], stderr: ["Traceback (most recent call last):", nasty] },
};

describe("the view of a job", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("job");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = async (shown: JobDetail, theme: Theme = "dark"): Promise<void> => {
    await host.load({
      theme,
      answer: ({ type }) =>
        type === "ready"
          ? [{ protocol: jobProtocol, type: "state", root: "/p", state: { type: "job", detail: shown } }]
          : [],
    });
    await host.page.locator("dl.facts").waitFor();
  };

  for (const theme of Object.keys(themes) as Theme[]) {
    it(`shows how far a running job is, in a ${theme} theme`, async () => {
      await load(detail, theme);
      const { page } = host;
      assert.match(await page.locator(".state").innerText(), /▶ Running/);
      const facts = await page.locator("dl.facts").innerText();
      for (const text of ["gpu1", "40 of 80", "0.61", "87.0", "0.43\u00a0EUR", "0123456789ab"])
        assert.ok(facts.includes(text), `${text} in ${facts}`);
      assert.match((await page.locator("svg").getAttribute("aria-label")) ?? "", /at step 40/);
      assert.equal(await page.locator(".failure").isVisible(), false);
      assert.deepEqual(await host.violations(), []);
      await host.shot(theme);
      if (theme === "dark")
        assert.deepEqual(await host.faults({ answers: [".state"], picture: "job-running" }), []);
    });

    it(`says why a job failed and what to do, and shows its log as text, in a ${theme} theme`, async () => {
      await load(failed, theme);
      const { page } = host;
      assert.match(
        await page.locator(".failure").innerText(),
        /The trainer exited with 1 before its first evidence/,
      );
      const lines = await page.locator("pre").innerText();
      assert.ok(lines.includes("⟨U+202E⟩gnp.exe <img src=x") && lines.includes("␛]52;c;eA==␇"), lines);
      assert.equal(await page.locator("img, a").count(), 0);
      assert.equal(await page.locator("figure").isVisible(), false);
      assert.deepEqual(await host.violations(), []);
      await host.shot(`failed-${theme}`);
    });
  }

  it("says how the version compares and over how many seeds, what set off an alert in it, and which way a reward is better", async () => {
    const compared = { against: "v2-edit", difference: -0.458, verdict: "regressed", seeds: 3 } as const;
    const alerts = [{ name: "dead-group", rate: 0.625, alert: "critical", over: "group" } as const];
    const over = { state: "finished", etaSeconds: null, step: 80 } as const;
    await load({ ...detail, job: { ...detail.job, ...over, compared, alerts } });
    const { page } = host;
    assert.match(await page.locator(".state").innerText(), /^■ Finished$/);
    const lines = (await page.locator("p.verdict").allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(
      lines.map((line) => line.replaceAll("\u00a0", " ")),
      [
        "▼ Its version, v3 over 3 seeds: worse than v2, −45.8 points",
        "‼ Its version: critical alert, dead-group 62.5 % of groups",
      ],
    );
    assert.equal(await page.locator(".curve h2").innerText(), "Reward over steps ↑ higher is better");
    assert.deepEqual(await host.violations(), []);
  });

  it("offers the possible actions, by keyboard as well, and remembers which job it shows", async () => {
    await load(failed);
    const { page } = host;
    const shown = async () =>
      (await host.page.locator("vscode-button:visible").allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(await shown(), ["Follow Log", "Rerun", "Show Rollouts", "Open Run Folder", "Refresh"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.deepEqual(host.sent.at(-1), { protocol: jobProtocol, type: "action", action: "rerun" });
    assert.deepEqual(await host.uiState(), { version: 1, root: "/p", job: "v3-linear.train.s1" });
    await page.close();
    await load(detail);
    assert.deepEqual(await shown(), [
      "Follow Log",
      "Cancel Job…",
      "Show Rollouts",
      "Open Run Folder",
      "Refresh",
    ]);
  });

  it("extends the curve and keeps the focus while the job runs on", async () => {
    await load(detail);
    const { page } = host;
    const before = await page.locator("path.line").getAttribute("d");
    await page.locator("summary").click();
    await page.locator("summary").focus();
    const further: JobDetail = {
      ...detail,
      job: { ...detail.job, step: 41, reward: 0.7 },
      curve: [...detail.curve, { step: 41, reward: 0.7 }],
    };
    await host.post({
      protocol: jobProtocol,
      type: "state",
      root: "/p",
      state: { type: "job", detail: further },
    });
    await page.locator("td", { hasText: "41" }).first().waitFor();
    assert.notEqual(await page.locator("path.line").getAttribute("d"), before);
    assert.equal(await page.evaluate("document.activeElement.tagName"), "SUMMARY");
    assert.equal(await page.locator("td").first().innerText(), "41");
  });

  it("shows everything at 200 % zoom and reports a missing job", async () => {
    await load(detail);
    const { page } = host;
    await page.setViewportSize({ width: 640, height: 480 });
    assert.ok(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"));
    await host.shot("zoomed");
    await host.post({
      protocol: jobProtocol,
      type: "state",
      root: "/p",
      state: { type: "none", cause: "There is no job x.", advice: "" },
    });
    await page.locator(".message .cause", { hasText: "There is no job x." }).waitFor();
  });
});
