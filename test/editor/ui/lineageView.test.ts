import assert from "node:assert/strict";
import {
  lineageProtocol,
  type LineageAbsence,
  type LineageVersion,
} from "../../../shared/protocol/views/lineage.ts";
import { testPage } from "../../support/lineage/lineageTable.ts";
import { until } from "../launcher/workbench.ts";
import {
  freshLineage,
  lineageFixture,
  manyVersions,
  pageMessages,
  shownVersions,
  versionRow,
  versionRows,
} from "./lineageFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";
import { patience } from "../../support/base/patience.ts";

/** The panel's own page and bundle under its own policy, with the editor's side of it played by the test. */
describe("the lineage panel", () => {
  let host: ViewHost;
  let kept: unknown = null;
  before(async () => {
    host = await ViewHost.start("lineage");
  });
  after(() => host.stop());
  beforeEach(() => {
    kept = null;
  });
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = (versions: readonly LineageVersion[] = lineageFixture, theme?: Theme): Promise<void> =>
    host.load({
      kept,
      ...(theme === undefined ? {} : { theme }),
      answer: ({ type }) => (type === "ready" ? pageMessages(versions, 25_000) : []),
    });
  const loadAbsent = (state: LineageAbsence): Promise<void> =>
    host.load({
      kept,
      answer: ({ type }) => (type === "ready" ? [{ protocol: lineageProtocol, type: "absent", state }] : []),
    });

  const row = (name: string) => versionRow(host, name);
  /** The versions that are shown, top down. */
  const shown = (): Promise<string[]> => shownVersions(host);
  const button = (text: string) =>
    host.page.locator("vscode-button:not([hidden])", { hasText: text }).first();
  const filter = () => host.page.locator('input[type="search"]');
  const heading5 = "▾ 4 versions tried together: 1 kept, 3 rejected · highest 38.2\u00A0% in v8";
  const all = [
    "v9",
    heading5,
    "v8",
    "v7",
    "v6",
    "v5",
    "▾ 2 versions tried together: 2 kept · highest 36.3\u00A0% in v4",
    "v4",
    "v3",
    "v2",
    "v1-leak",
    "v1",
    "v0",
  ];

  it("draws every version with score, interval, decision, labels and factor, and each decision with a different shape", async () => {
    await load();
    assert.deepEqual(await shown(), all);
    assert.match(
      await row("v1-leak").innerText(),
      /invalid[^]*48\.8\s%\s*clean 31\.0\s%[^]*history-leak 21\.0\s%/,
    );
    assert.equal(
      await row("v1-leak")
        .locator(".score .value")
        .evaluate((value) => getComputedStyle(value).textDecorationLine),
      "line-through",
    );
    assert.match(await row("v4").innerText(), /search first/);
    assert.match(await row("v8").innerText(), /#release\s*✎\s1[^]*kept ★/);
    const looks = await host.page.evaluate(() =>
      ["keep", "reject", "invalid", "pending", "base"].map((d) => {
        const node = document.querySelector(`.space .row:not([hidden]) .node.${d}`);
        return `${node?.getAttribute("d") ?? "none"} ${node?.classList.contains("open") === true}`;
      }),
    );
    assert.equal(new Set(looks).size, 5);
    await host.shot("dark");
  });

  for (const name of ["light", "high-contrast", "high-contrast-light", "dark"] as const)
    it(`is readable in a ${name} theme`, async () => {
      await load(lineageFixture, name);
      const theme = themes[name];
      await row("v1-leak").click();
      await host.page.locator(".details", { hasText: "history-leak 21.0 %, critical alert" }).waitFor();
      const colors = await host.page.locator("body").evaluate((body) => {
        const style = getComputedStyle(body);
        return [style.color, style.backgroundColor];
      });
      const hex = (value: string) =>
        `rgb(${[1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16)).join(", ")})`;
      assert.deepEqual(colors, [hex(theme["editor-foreground"]), hex(theme["editor-background"])]);
      assert.deepEqual(await host.violations(), []);
      if (name === "dark") assert.deepEqual(await host.faults({ answers: [".standing"] }), []);
      await host.shot(`${name}-details`);
      await button("Table").click();
      await host.page.locator(".as-table").waitFor();
      const score = row("v1-leak").locator(".cell.score");
      assert.match(await score.evaluate((cell) => getComputedStyle(cell).textDecoration), /line-through/);
      assert.deepEqual(await host.violations(), []);
      if (name === "dark")
        assert.deepEqual(
          await host.faults({
            answers: [".standing", ".space .row"],
          }),
          [],
        );
      await host.shot(`${name}-table`);
    });

  const protocol = lineageProtocol;
  const standing = {
    running: [{ id: "v9.train.s1", version: "v9", step: 66, stepsTotal: 80, etaSeconds: 190 }],
    waiting: ["v10"],
  };

  it("says first what is best, what is running and what is waiting, and draws the scores; an invalid one is never the best", async () => {
    await load();
    await host.post({ protocol, type: "standing", standing });
    await host.post({
      protocol,
      type: "seeds",
      versions: [
        {
          version: "v8",
          seeds: [
            { seed: 1, score: 0.37 },
            { seed: 2, score: 0.39 },
          ],
        },
      ],
    });
    const strip = host.page.locator(".standing");
    await strip.getByText("v9 66/80, 3 min 10 s left").waitFor();
    assert.match(
      await strip.innerText(),
      /best ★ v8 38\.2\s% \(audit 35\.1\s%, 3\.1 points below \[−7\.6, \+1\.1\], ≈ inside the noise\)/,
    );
    const picture = host.page.locator(".score-picture > svg");
    assert.match(
      (await picture.getAttribute("aria-label")) ?? "",
      /^Scores of 10 versions\. Best that was kept: v8, 38\.2\s%\. Not valid: v1-leak\./,
    );
    await picture.locator(".seed").nth(1).waitFor({ state: "attached" });
    // Its point is what is left of its score, in the lower half; what it claims hangs above it, struck through.
    const height = async (of: string): Promise<number> => (await picture.locator(of).boundingBox())?.y ?? -1;
    assert.equal(await picture.locator(".mark.invalid").count(), 1);
    assert.equal(await picture.locator(".claimed .strike").count(), 1);
    assert.ok((await height(".claimed")) < (await height(".mark.invalid")));
    assert.deepEqual(await host.page.locator(".score-picture .legend .entry").allInnerTexts(), [
      " base",
      " kept",
      " rejected",
      " not valid, its clean score",
      " claimed score, does not count",
      "★ best",
      " best kept so far",
      " on the audit split",
      " one seed",
      " 95 % interval",
    ]);
    assert.equal(await picture.locator(".audit").count(), 1);
    // Whiskers of all measured versions but the one whose score does not count.
    assert.equal(await picture.locator(".whisker").count(), 9);
    const last = await picture.locator(".mark").last().boundingBox();
    assert.ok(last);
    await host.page.mouse.move(last.x + 3, last.y + 60);
    assert.match(
      await host.page.locator(".score-picture .says").innerText(),
      /^v8 kept, promoted · 38\.2\s% ±\s2\.8 · audit 35\.1\s%, 3\.1 points below \[−7\.6, \+1\.1\], ≈ inside the noise · seeds 1: 37\.0\s%, 2: 39\.0\s%/,
    );
    await host.page.mouse.click(last.x + 3, last.y + 60);
    await host.sends({ protocol, type: "compare", names: ["v8"] });
    await strip.getByRole("button", { name: "v9" }).click();
    await host.sends({ protocol, type: "job", id: "v9.train.s1" });
    await strip.getByRole("button", { name: "v10" }).click();
    await host.sends({ protocol, type: "gate", name: "v10" });
    await host.shot("progress");
    assert.deepEqual(
      await host.faults({
        answers: [".standing", ".space .row"],
      }),
      [],
    );
  });

  for (const width of [360, 500])
    it(`keeps the picture, the score and why at ${width} px`, async () => {
      await load();
      await row("v6").waitFor();
      await host.page.setViewportSize({ width, height: 760 });
      assert.equal(await host.page.locator(".score-picture").isVisible(), true);
      assert.match(await row("v6").innerText(), /v6\s+33\.0\s%\s+△ echo-trap/);
      assert.equal(await row("v2").locator(".change").isVisible(), true);
      const overflow = await host.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
      assert.ok(Number(overflow) <= 0, "the page is wider than the window");
      await host.shot(`w${width}`);
    });

  it("comes back as the user left it", async () => {
    kept = { ...freshLineage, selected: "v5", query: "author:ada", marked: ["v2"], layout: "table" };
    await load();
    await host.page.locator(".details h2", { hasText: "v5" }).waitFor();
    await host.page.locator(".as-table").waitFor();
    assert.equal(await filter().inputValue(), "author:ada");
    await host.page.locator(".chip", { hasText: "☑ v2" }).waitFor();
    assert.deepEqual(await host.uiState(), kept);
  });

  it("starts fresh when its stored state is not valid", async () => {
    kept = { version: 7, layout: [] };
    await load();
    await row("v9").waitFor();
    assert.equal(await host.page.locator(".details:not([hidden])").count(), 0);
  });

  it("keeps selection and place when versions are added, and receives only what changed", async () => {
    await load();
    await row("v9").waitFor();
    await host.page.setViewportSize({ width: 1200, height: 400 });
    await row("v2").click();
    const place = async () => (await host.page.locator(".space .row.selected").boundingBox())?.y;
    const before = await place();
    assert.ok(
      (await host.page.locator(".scroller").evaluate((node) => node.scrollTop)) > 0,
      "the list is scrolled",
    );
    const last = lineageFixture.at(-1);
    assert.ok(last);
    const more = [...lineageFixture, { ...last, name: "v10", parent: "v9", generation: 7 }];
    await host.post({
      protocol: lineageProtocol,
      type: "page",
      page: testPage(more, { project: "swe-9b", domain: "swe", only: ["v10"], revision: 2 }),
    });
    await host.page.locator(".counts", { hasText: "12 versions" }).waitFor();
    assert.equal(await host.page.locator(".space .row.selected .own").textContent(), "v2");
    assert.equal(await place(), before);
    await host.page.locator(".scroller").evaluate((node) => node.scrollTo(0, 0));
    await row("v10").waitFor();
  });

  it("draws only the visible part of 100,000 versions, folded by generation", async function () {
    this.timeout(120_000);
    await load(manyVersions(100_000));
    await host.page.locator(`${versionRows}.generation`).first().waitFor();
    await host.page
      .locator(".counts", { hasText: /^100,000 versions$/ })
      .waitFor({ timeout: 30_000 * patience });
    assert.ok((await host.page.locator(".space .row").count()) < 60);
    await host.shot("100k-folded");
    await button("Unfold All").click();
    await row("v99999").waitFor();
    await host.page.locator(".scroller").focus();
    await host.page.keyboard.press("End");
    await row("v0").waitFor();
    assert.equal(await host.page.locator(".space .row.selected .own").textContent(), "v0");
    await host.page.locator(".scroller").evaluate((node) => node.scrollTo(0, 2_000_000));
    await host.shot("100k");
    assert.deepEqual(await host.violations(), []);
  });

  it("is readable at 200 % zoom", async () => {
    await load(manyVersions(30));
    await row("v29").waitFor();
    await host.page.setViewportSize({ width: 1400, height: 800 });
    await host.shot("30");
    await host.page.setViewportSize({ width: 640, height: 500 });
    await row("v29").click();
    await host.shot("zoom");
    const overflow = await host.page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
    assert.ok(Number(overflow) <= 0, "the page is wider than the window");
    await load(manyVersions(3));
    await row("v2").waitFor();
    await host.shot("3");
  });

  it("ignores foreign messages", async () => {
    await load();
    await row("v9").waitFor();
    for (const message of [
      null,
      3,
      {},
      { protocol: 1, type: "reveal", name: "v0" },
      { protocol: lineageProtocol, type: "page", page: { total: 3 } },
    ])
      await host.post(message);
    await host.post({ protocol: lineageProtocol, type: "reveal", name: "v3" });
    await host.page.locator(".details h2", { hasText: "v3" }).waitFor();
    await host.page.locator(".counts", { hasText: "11 versions" }).waitFor();
  });

  it("shows text from the lineage as text", async () => {
    const nasty = "<img src=x onerror=alert(1)>";
    const [first] = lineageFixture;
    assert.ok(first);
    await load([{ ...first, name: nasty, title: nasty, reason: nasty, alias: nasty, tags: [nasty] }]);
    await host.page.locator(".space .row:not([hidden])").first().click();
    assert.equal(await host.page.locator("img").count(), 0);
    assert.match((await host.page.locator(".details h2").textContent()) ?? "", /<img/);
  });

  it("says why it is empty and what to do", async () => {
    await loadAbsent({
      type: "empty",
      reason: "noProject",
      cause: "No project.",
      advice: "Make one.",
      action: { label: "Refresh", id: "refresh" },
    });
    await host.page.locator(".message", { hasText: "No project." }).waitFor();
    await host.page.locator(".message vscode-button", { hasText: "Refresh" }).click();
    await until("the action is sent", () => host.sent.length === 2);
    assert.deepEqual(host.sent[1], { protocol: lineageProtocol, type: "action", action: "refresh" });
  });
});
