import assert from "node:assert/strict";
import { backtestProtocol, type BacktestState } from "../../../shared/protocol/views/backtest.ts";
import { nastyText } from "./rolloutFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const target = { root: "/p", subject: "file:///p/harness/main.reward.yaml" };

const distribution = (mean: number, bins: number[]) => ({
  ...{ mean, std: 0.4, min: 0, max: 2, bins, distinct: bins.length, topReward: 0, topShare: 0.5 },
  quartiles: [0, 0.5, 1] satisfies [number, number, number],
});
const violations = (rollouts: number) => ({ rollouts, pairs: rollouts, groups: 2, comparable: 100 });
const replayed = { groups: 320, kept: 60, dead: 201, low: 0, same: 0, rescued: 0, keepRatio: 0.2 };
const filter = {
  ...replayed,
  ...{ lowWithPass: 0, deadWithPass: 0, warmup: 0, runsInWarmup: 0, runs: 1, runsWithGaps: 0, steps: [] },
};
const reward: BacktestState = {
  type: "reward",
  title: "backtest of main.reward.yaml",
  found: {
    spec: "main",
    results: [
      {
        version: "v7",
        split: "train",
        base: { type: "archived", because: "it was not looked up" },
        reward: {
          archived: { groups: 320, rollouts: 2560 },
          ...{ groups: 320, rollouts: 2560, terms: [], noOp: false, rankCorrelation: 0.5 },
          leftOut: { rollouts: 0, incompleteGroups: 0, singles: 0, lacking: [] },
          outcomes: { unknown: 0, pass: 1000, fail: 1560 },
          dead: { before: 201, after: 44, revived: 157, died: 0 },
          violations: { before: violations(0), after: violations(8) },
          phantom: { before: 0, after: 0, living: 276, undecided: 0, terms: [] },
          advantages: { unchangedGroups: 10, mean: 0.2 },
          distribution: {
            before: distribution(0.4, [1500, 0, 0, 0, 1000]),
            after: distribution(0.7, [700, 600, 400, 300, 560]),
          },
          spread: { before: distribution(0.1, [250, 30, 20]), after: distribution(0.3, [44, 150, 126]) },
          reproduced: { same: 2560, compared: 2560 },
        },
        filter: { before: filter, after: { ...filter, kept: 210 }, kinds: [] },
        truncation: {},
        summary: [
          "Of 320 groups 201 are dead before and 44 after.",
          "8 failed rollouts are above a passed one.",
        ],
        concern: true,
        milliseconds: { reading: 1, replay: 1 },
      },
    ],
  },
};
const version = { split: "selection" as const, rollouts: 480 };
const diagnostic: BacktestState = {
  type: "diagnostic",
  title: "backtest of echo-trap.diagnostic.yaml",
  found: {
    ...{
      beforeFrom: "committed",
      diagnostic: "echo-trap",
      revision: "b",
      before: "a",
      examples: [],
      others: [],
    },
    question: "kept_against_rejected",
    versions: [
      {
        ...{ ...version, version: "v5-iterative-debug", decision: "reject" },
        before: { labelled: 100, undecided: 0 },
        after: { labelled: 160, undecided: 0 },
        newly: { count: 70, examples: ["v5.s1/r-1", nastyText] },
        noLonger: { count: 10, examples: ["v5.s1/r-2"] },
      },
      {
        ...{ ...version, version: "v2", decision: "keep" },
        before: { labelled: 5, undecided: 0 },
        after: { labelled: 5, undecided: 0 },
        newly: { count: 0, examples: [] },
        noLonger: { count: 0, examples: [] },
      },
    ],
    admission: {
      ...{ metric: "echo-trap", higher: "bad", auc: 1, leaveOneOut: null, exact: true, attainable: 0.5 },
      threshold: { at: 0.1, wrongGood: 0, wrongBad: 0 },
      ...{ p: 0.5, adjusted: null, verdict: "cannot_tell", because: "There are too few decided versions." },
      good: [{ version: "v2", value: 0.01 }],
      bad: [{ version: "v5-iterative-debug", value: 0.33 }],
    },
    letThrough: [
      {
        ...{
          version: "v4",
          diagnostic: "history-leak",
          revision: null,
          reason: "does_not_fire",
          waived: null,
        },
        message: "v4 would no longer be quarantined.",
      },
    ],
    advantages: [],
    notes: ["The work tree differs from the commit."],
  },
};

describe("view of a backtest", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("backtest");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const message = (state: BacktestState) => ({ protocol: backtestProtocol, type: "state", target, state });
  const load = (state: BacktestState, theme: Theme = "dark", kept: unknown = null): Promise<void> =>
    host.load({ theme, kept, answer: ({ type }) => (type === "rollout" ? [] : [message(state)]) });
  const fits = async (): Promise<void> => {
    for (const width of [1600, 1000, 500, 360]) {
      await host.page.setViewportSize({ width, height: 700 });
      const overflow = await host.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      assert.ok(Number(overflow) <= 0, `the page is wider than a window of ${width}`);
    }
  };

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows rewards and spreads of groups before and after on one axis, in a ${theme} theme`, async () => {
      await load(reward, theme);
      await host.page.locator("figure").nth(1).waitFor();
      const text = await host.page.locator("#app").innerText();
      for (const expected of [
        /△ Of 320 groups 201 are dead before and 44 after/,
        /Reward of the rollouts\s+before[^]*mean 0\.4, 50\.0\s% at 0\s+after[^]*mean 0\.7/,
        /Spread of the groups\s+before/,
        /dead groups\s+201\s+44\s+▲ better\s+kept groups\s+60\s+210\s+▲ better\s+order violations\s+0\s+8\s+▼ worse/,
      ])
        assert.match(text, expected);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark") assert.deepEqual(await host.faults({ answers: [".first", "figure"] }), []);
      await fits();
      await host.shot(`reward-${theme}-360`);
      await host.page.setViewportSize({ width: 1000, height: 700 });
      await host.shot(`reward-${theme}-1000`);
      await load(diagnostic, theme);
      await host.page.locator(".labelled").waitFor();
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark") assert.deepEqual(await host.faults({ answers: [".untrusted", ".labelled"] }), []);
      await fits();
      await host.page.setViewportSize({ width: 1000, height: 700 });
      await host.shot(`diagnostic-${theme}-1000`);
    });

  it("leads to the rollouts whose label changed, and says which versions lie on which side", async () => {
    await load(diagnostic);
    const app = host.page.locator("#app");
    await host.page.locator(".admission").waitFor();
    const text = await app.innerText();
    for (const expected of [
      /⊘ v4 would no longer be quarantined\./,
      /× v5\s+20\.8\s% → 33\.3\s%/,
      /kept\s+v2 1\.0\s%\s+–[^]*rejected\s+–\s+v5 33\.0\s%/,
    ])
      assert.match(text, expected);
    assert.equal(await host.page.locator("img, a").count(), 0, "names are texts");
    await host.page.getByRole("button", { name: "v5.s1/r-1", exact: true }).focus();
    await host.page.keyboard.press("Enter");
    await host.sends({
      ...{ protocol: backtestProtocol, type: "rollout" },
      ...{ name: "v5.s1/r-1", label: "echo-trap" },
    });
  });

  it("asks again for what it showed before a reload, and says why there is nothing", async () => {
    await load(reward, "dark", { version: 1, target });
    await host.page.locator("figure").first().waitFor();
    assert.ok(host.sent.some((m) => JSON.stringify(m).includes("again")));
    await host.post(message({ type: "refused", message: "There is no archive yet." }));
    await host.page.getByText("There is no archive yet.").waitFor();
    assert.equal(await host.page.locator("figure").count(), 0);
  });
});
