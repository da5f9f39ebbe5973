import { manyVersions, pageMessages } from "../../test/editor/ui/lineageFixture.ts";
import { least, median, quantile, type BenchRow, type SkippedRow } from "../row.ts";
import { browserPath, ViewPage } from "./viewPage.ts";

const names = [
  "lineage, first paint at 100,000 versions / at 1,000",
  "lineage, p95 of frames while panning / vsync",
];

/**
 * The lineage panel in headless Chromium: from the navigation to the first frame with rows while all versions are on their way,
 * and the time between frames while 100,000 unfolded versions are scrolled through.
 */
export async function benchViews(options: {
  readonly rounds: number;
  readonly frames: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const browser = browserPath();
  if ("skipped" in browser) return names.map((name) => ({ name, skipped: browser.skipped }));
  const sets = { few: pageMessages(manyVersions(1000)), many: pageMessages(manyVersions(100_000)) };
  // A browser each: what earlier pages left is not collected while frames are counted.
  const inBrowser = async (measure: (view: ViewPage) => Promise<BenchRow>): Promise<BenchRow> => {
    const view = await ViewPage.open("lineage", browser.path, { sets });
    try {
      return await measure(view);
    } finally {
      await view.close();
    }
  };
  return [
    await inBrowser((view) => firstPaint(view, options.rounds)),
    await inBrowser((view) => panning(view, options.frames)),
  ];
}

async function firstPaint(view: ViewPage, rounds: number): Promise<BenchRow> {
  const times: Record<"few" | "many", number[]> = { few: [], many: [] };
  let whole = 0;
  // The first round is for the browser to get going.
  for (let round = -1; round < rounds; round++)
    for (const set of ["few", "many"] as const) {
      await view.load(set);
      const painted = Number(await view.page.evaluate(untilPainted));
      if (round >= 0) times[set].push(painted);
      whole = Number(await view.page.evaluate(untilWhole(set === "few" ? "1,000" : "100,000")));
    }
  return {
    name: names[0] ?? "",
    measured: least(times.many) / least(times.few),
    target: 2,
    unit: "ratio",
    detail: `least ${least(times.many).toFixed(0)} (median ${median(times.many).toFixed(0)}) against ${least(times.few).toFixed(0)} ms (${median(times.few).toFixed(0)}) from the navigation; all 100,000 after ${whole.toFixed(0)} ms`,
  };
}

async function panning(view: ViewPage, frames: number): Promise<BenchRow> {
  await view.load("many");
  await view.page.waitForLoadState("load");
  await view.page.evaluate(untilWhole("100,000"));
  await view.page.evaluate(
    `document.querySelectorAll("vscode-button").forEach((b) => b.textContent === "Unfold All" && b.click())`,
  );
  const deltas = async (step: number, what = ".scroller"): Promise<number[]> => {
    const found: unknown = await view.page.evaluate(pan(what, step, frames));
    return Array.isArray(found) ? found.map(Number) : [];
  };
  const still = median(await deltas(0));
  // The first rows are for the browser to get going.
  await deltas(34);
  const moving = await deltas(120);
  await view.page.evaluate(standStill(120 * frames));
  const standing = await deltas(120, "#standing .scroller");
  return {
    name: names[1] ?? "",
    measured: quantile(moving, 0.95) / still,
    target: 1.05,
    unit: "ratio",
    detail: `p95 ${quantile(moving, 0.95).toFixed(1)} (median ${median(moving).toFixed(1)}, most ${Math.max(...moving).toFixed(1)}) ms between frames, ${still.toFixed(1)} when still; 120 px a frame; as many of its rows that stand, which the browser scrolls alone: p95 ${quantile(standing, 0.95).toFixed(1)} ms`,
  };
}

/** Milliseconds from the navigation to the frame after the one that has rows. */
const untilPainted = `new Promise((resolve) => {
  const look = () => document.querySelector(".space .row:not([hidden])")
    ? requestAnimationFrame(() => resolve(performance.now()))
    : requestAnimationFrame(look);
  look();
})`;

const untilWhole = (count: string): string => `new Promise((resolve) => {
  const look = () => document.querySelector(".counts")?.textContent === "${count} versions"
    ? resolve(performance.now())
    : requestAnimationFrame(look);
  look();
})`;

/**
 * Puts a list in the place of the lineage whose rows are copies of those in view and all there: while it is scrolled no code of
 * ours runs, and nothing is laid out. What is late in it is late because of the browser and the machine.
 */
const standStill = (pixels: number): string => `(async () => {
  const scroller = document.querySelector(".scroller");
  const rows = [...scroller.querySelectorAll(".space .row:not([hidden])")];
  const list = scroller.parentElement.cloneNode(false);
  const inner = scroller.cloneNode(false);
  const space = scroller.querySelector(".space").cloneNode(false);
  const height = parseFloat(getComputedStyle(rows[0]).height);
  const count = Math.ceil((${pixels} + scroller.clientHeight) / height);
  for (let i = 0; i < count; i++) {
    const row = rows[i % rows.length].cloneNode(true);
    row.style.top = i * height + "px";
    space.append(row);
  }
  space.style.height = count * height + "px";
  list.id = "standing";
  list.append(inner);
  inner.append(space);
  scroller.parentElement.replaceWith(list);
  for (let i = 0; i < 10; i++) await new Promise((wake) => requestAnimationFrame(wake));
})()`;

/** Milliseconds between frames while a list is scrolled by so many pixels in each. */
const pan = (what: string, step: number, frames: number): string => `new Promise((resolve) => {
  const scroller = document.querySelector("${what}");
  const times = [];
  const frame = (time) => {
    times.push(time);
    scroller.scrollTop += ${step};
    if (times.length > ${frames}) resolve(times.slice(1).map((t, i) => t - times[i]));
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;
