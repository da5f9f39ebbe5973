import assert from "node:assert/strict";
import type { JobRow } from "../../../shared/protocol/views/job.ts";
import { runsProtocol, type RunCurves, type RunsShown } from "../../../shared/protocol/views/runs.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const nasty = "\u202egnp.exe <img src=x onerror=alert(1)>";
const job = (more: Partial<JobRow>): JobRow => ({
  id: "v9.train.s1",
  version: "v9",
  work: "train",
  seed: 1,
  attempt: 1,
  host: "gpu1",
  state: "running",
  waitsFor: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  seconds: 312,
  step: 60,
  stepsTotal: 80,
  reward: 0.61,
  etaSeconds: 104,
  gpuUse: null,
  gpus: 2,
  cost: { amount: 0.43, currency: "EUR" },
  failure: null,
  ...more,
});
const curve = (
  metric: RunCurves["series"][number]["metric"],
  steps: number,
  of: (step: number) => number,
) => ({
  ...{ metric, name: metric },
  steps: Array.from({ length: steps }, (_, i) => i + 1),
  values: Array.from({ length: steps }, (_, i) => of(i + 1)),
});
const noise = (step: number): number => 0.04 * Math.sin(7 * step);
const shown: RunsShown = {
  runs: [
    {
      job: job({}),
      because: "running",
      parent: "v8",
      series: [
        curve("reward", 60, (s) => 0.2 + 0.007 * s + noise(s)),
        curve("score", 60, (s) => 0.3 + 0.004 * s + noise(s)),
        curve("kl", 60, (s) => 0.001 * s),
        curve("entropy", 60, (s) => 1.2 - 0.018 * s),
        curve("flat_groups", 60, (s) => 0.2 + 0.006 * s),
      ],
      alarms: [
        { name: "entropy-collapse", step: 41, metrics: ["entropy"], message: `Entropy fell. ${nasty}` },
      ],
    },
    {
      job: job({
        id: "v8.train.s1",
        version: "v8",
        state: "finished",
        etaSeconds: null,
        step: 80,
        host: null,
        cost: null,
      }),
      because: "parent",
      series: [
        curve("reward", 80, (s) => 0.2 + 0.005 * s + noise(s)),
        curve("entropy", 80, (s) => 1.2 - 0.002 * s),
      ],
      alarms: [],
    },
    {
      job: job({
        ...{
          id: "v6.train.s1",
          version: "v6",
          state: "finished",
          etaSeconds: null,
          step: 80,
          host: null,
          cost: null,
        },
        collapsedAt: 55,
      }),
      because: "asked",
      series: [curve("reward", 80, (s) => (s < 50 ? 0.2 + 0.008 * s : 0.1) + noise(s))],
      alarms: [],
    },
  ],
  others: [{ id: "v4.train.s2", version: "v4", seed: 2 }],
};

describe("the view of curves", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("runs");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });
  const protocol = runsProtocol;
  const load = async (theme: Theme = "dark", kept: unknown = null): Promise<void> => {
    await host.load({
      ...{ theme, kept },
      answer: ({ type }) =>
        type === "ready" || type === "ask"
          ? [{ protocol, type: "state", state: { type: "runs", shown } }]
          : [],
    });
    await host.page.locator(".multiples figure").first().waitFor();
  };

  for (const theme of Object.keys(themes) as Theme[])
    it(`draws the curves of all running jobs and of the parent over each other, with alarms as marks, in a ${theme} theme`, async () => {
      await load(theme);
      const { page } = host;
      const titles = await page.locator(".multiples figcaption").allInnerTexts();
      assert.deepEqual(
        titles.map((title) => title.trim()),
        [
          "Reward ↑ higher is better",
          "Solve rate ↑ higher is better",
          "KL ↓ lower is better at the same solve rate",
          "Entropy neither way is better",
          "Dead groups ↓ lower is better",
        ],
      );
      assert.equal(await page.locator(".multiples figure").first().locator(".curve").count(), 3);
      const entropy = page.locator(".multiples figure", { hasText: "Entropy" });
      assert.equal(await entropy.locator(".alarm").count(), 1);
      assert.equal(await page.locator(".alarm").count(), 1);
      // An alarm has the mark of alerts, which the key names; a filled triangle says better or worse.
      assert.match((await entropy.locator(".alarm").textContent()) ?? "", /^△/);
      assert.match(await page.locator(".key").innerText(), /△ alarm that fired at a step/);
      assert.match(
        await page.locator(".standing").innerText(),
        /▲ better: none\s+▼ worse: v6\s+⊘ not to be trusted: none\s+… not decided yet: v9/,
      );
      assert.match(
        (await entropy.locator("svg").getAttribute("aria-label")) ?? "",
        /A, v9 seed 1: 1\.182 at step 1 to 0\.12 at step 60, entropy-collapse fired at step 41/,
      );
      const rows = await page.locator(".jobs li").allInnerTexts();
      assert.match(
        rows[0] ?? "",
        /v9 seed 1[^]*▶ running[^]*↑ so far reward above v8 in training, \+0\.10\d[^]*△ entropy-collapse at step 41[^]*step\s60\/80 · 1\smin\s44\ss\sleft[^]*0\.43\sEUR/,
      );
      assert.match(rows[1] ?? "", /■ finished[^]*the\sparent\sof\sv9/);
      // How often the alarm was false comes after the curves.
      const records = [{ name: "entropy-collapse", healthy: 19, falseAlarms: 2 }];
      await host.post({ protocol, type: "state", state: { type: "runs", shown, records } });
      const worth = page.locator(".jobs .alarms", { hasText: "at step 41 (false in 2 of 19 healthy runs)" });
      await worth.waitFor();
      assert.match(
        (await entropy.locator(".alarm title").textContent()) ?? "",
        /fired at step 41; false in 2 of 19 healthy runs/,
      );
      // A run that ended worse than it had been is no success.
      assert.match(rows[2] ?? "", /▼ finished, but its score fell/);
      assert.equal(rows[2]?.includes("■"), false);
      await page.getByText("No run here logs: length.").waitFor();
      assert.equal(await page.locator("img").count(), 0);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark")
        assert.deepEqual(await host.faults({ answers: [".jobs li"], picture: "runs-curves" }), []);
      await host.shot(theme);
    });

  it("says which is better, worse and not to be trusted, and gives rewards of other terms a panel of their own", async () => {
    const terms = (of: string, change: string): Pick<RunCurves, "terms"> => ({ terms: { of, change } });
    const [first, second, third] = shown.runs;
    assert.ok(first && second && third);
    const compared = { against: "v2-edit", difference: -0.458, verdict: "regressed", seeds: 3 } as const;
    const alerts = [
      { name: "dead-group", rate: 0.625, alert: "critical", over: "group" } as const,
      { name: "gives-up", rate: 0.39, alert: "warning" } as const,
      { name: "wrong-file", rate: 0.3, alert: "warning" } as const,
    ];
    const runs: RunsShown["runs"] = [
      { ...first, ...terms("v9-more", "components.edit.weight: 0 → 0.3") },
      { ...second, job: { ...second.job, notValid: true }, ...terms("v1", "") },
      { ...third, job: { ...third.job, compared, alerts }, ...terms("v1", "") },
    ];
    const state = { type: "runs", shown: { ...shown, runs } };
    await host.load({
      answer: ({ type }) => (type === "ready" ? [{ protocol, type: "state", state }] : []),
    });
    const { page } = host;
    await page.locator(".multiples figure").first().waitFor();
    const rows = await page.locator(".jobs li").allInnerTexts();
    assert.match(rows[0] ?? "", /⊘ its parent is not to be trusted/);
    assert.match(rows[1] ?? "", /⊘ finished, not valid[^]*⊘ not to be trusted/);
    assert.doesNotMatch(rows[1] ?? "", /reward/);
    // What was found of the version stands beside its run, and is not said of the run.
    assert.match(
      rows[2] ?? "",
      /▼ v6 over 3 seeds: worse than v2, −45\.8\spoints\s+‼ dead-group 62\.5\s% of groups, △ gives-up 39\.0\s% of rollouts and 1 more in v6/,
    );
    const titles = (await page.locator(".multiples figcaption").allInnerTexts()).map((title) => title.trim());
    assert.deepEqual(titles.slice(0, 3), [
      "Reward by the terms of v9 ↑ higher is better",
      "Reward by the terms of v1 ↑ higher is better",
      "Solve rate ↑ higher is better",
    ]);
    const panels = page.locator(".multiples figure");
    assert.deepEqual(await panels.nth(0).locator(".letter").allTextContents(), ["A"]);
    assert.deepEqual(await panels.nth(1).locator(".letter").allTextContents(), ["B", "C"]);
    // The curve that does not count says so where it is drawn.
    assert.equal(await panels.nth(0).locator(".untrusted-end").count(), 0);
    assert.deepEqual(await panels.nth(1).locator(".untrusted-end").allTextContents(), ["⊘"]);
    await host.shot("terms");
  });

  it("reads all curves at the step under the pointer, smooths, adds a run, opens and stops jobs", async () => {
    await load();
    const { page } = host;
    const first = await page.locator(".multiples figure > svg").first().boundingBox();
    assert.ok(first);
    await page.mouse.move(first.x + first.width * 0.6, first.y + 40);
    const read = await page.locator(".multiples figcaption").allInnerTexts();
    assert.match(read[0] ?? "", /^Reward step 4\d: A 0\.\d+, B 0\.\d+, C 0\.\d+$/);
    assert.match(read[3] ?? "", /^Entropy step 4\d: A 0\.\d+, B 1\.\d+$/);
    await page.getByLabel("Smoothing").selectOption({ label: "much" });
    assert.equal(await page.locator(".multiples figure").first().locator(".raw").count(), 3);
    await page.getByLabel("Add a run").selectOption({ label: "v4, seed 2" });
    await host.sends({ protocol, type: "ask", jobs: ["v4.train.s2"] });
    assert.deepEqual(await host.uiState(), { version: 1, jobs: ["v4.train.s2"], smoothing: 0.9 });
    await page.locator("vscode-button", { hasText: "Stop…" }).click();
    await host.sends({ protocol, type: "cancel", job: "v9.train.s1" });
    await page.getByRole("button", { name: "v6 seed 1" }).click();
    await host.sends({ protocol, type: "open", job: "v6.train.s1" });
  });

  it("asks again for the runs that were added, and fits at any width", async () => {
    await load("dark", { version: 1, jobs: ["v6.train.s1"], smoothing: 0.6 });
    assert.deepEqual(host.sent[0], { protocol, type: "ask", jobs: ["v6.train.s1"] });
    for (const width of [360, 500, 1000, 1600]) {
      await host.page.setViewportSize({ width, height: 760 });
      assert.ok(
        await host.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"),
        String(width),
      );
      await host.shot(`w${width}`);
    }
    await host.post({ protocol, type: "state", state: { type: "runs", shown: { runs: [], others: [] } } });
    await host.page.getByText("No training job has written a curve yet.").waitFor();
  });
});
