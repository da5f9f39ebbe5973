import { tmpdir } from "node:os";
import { z } from "zod";
import { evidenceProtocol, FromEvidencePanel } from "../../shared/protocol/views/evidence.ts";
import { rolloutsGroups } from "../../server/src/engine/rollouts/rolloutsGroups.ts";
import { rolloutsWindow } from "../../server/src/engine/rollouts/rolloutsWindow.ts";
import { versionsList } from "../../server/src/engine/versions/versionsList.ts";
import { openStore, type Store } from "../../server/src/evidence/archive/store.ts";
import { rolloutFixture, rolloutMessage } from "../../test/editor/ui/rolloutFixture.ts";
import type { ViewHost as View } from "../../test/editor/ui/viewHost.ts";
import { least, quantile, type BenchRow, type SkippedRow } from "../row.ts";
import { browserPath, ViewPage } from "./viewPage.ts";

const turnCount = 100;

/** The views of the evidence in headless Chromium, the list over the real archive: how long a row stays blank, and how long a long trajectory takes to be there. */
export async function benchEvidenceView(options: {
  readonly folder: string;
  readonly database: string;
  readonly rows: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const browser = browserPath();
  if ("skipped" in browser) return [{ name: "evidence view", skipped: browser.skipped }];
  const chromium = browser.path;
  // The launcher of the editor tests names what it needs; a view alone needs the browser only.
  const needed = { EDITOR_HOST: tmpdir(), VSIX: tmpdir(), SHOTS: options.folder, CHROMIUM: chromium };
  const before = { ...process.env };
  for (const [name, value] of Object.entries(needed)) process.env[`EVOTRAINER_${name}`] ??= value;
  try {
    return [await benchScroll(chromium, options), await benchReader()];
  } finally {
    // Other measures ask whether they were given.
    for (const name of Object.keys(needed).map((key) => `EVOTRAINER_${key}`))
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
  }
}

async function benchScroll(
  browser: string,
  { database, rows }: { readonly database: string; readonly rows: number },
): Promise<BenchRow> {
  const store = await openStore({ path: database, evidenceRoot: "/", threads: 2 });
  const engine = new Engine(store);
  const view = await ViewPage.open("evidence", browser, { answer: (asked) => engine.answer(asked) });
  try {
    const { page } = view;
    await view.load();
    await page.locator(".rows .row:not(.waiting)").first().waitFor();
    // The list is made while the first page is read.
    while (engine.times.length < 2) await page.waitForTimeout(20);
    const { longest, hops } = Measured.parse(await page.evaluate(scrollScript));
    const [first = NaN, made = NaN, ...jumps] = engine.times;
    return {
      name: "list of a million rollouts, longest a row stays blank, p95 over jumps",
      measured: quantile(longest, 0.95),
      target: 100,
      unit: "ms",
      detail: `${rows} rollouts, ${longest.length} jumps of the scroll bar and a drag through all: median ${quantile(longest, 0.5).toFixed(0)}, longest ${Math.max(...longest).toFixed(0)} ms; engine: first page ${first.toFixed(0)}, list made ${made.toFixed(0)}, rows anywhere p50 ${quantile(jumps, 0.5).toFixed(0)}, p95 ${quantile(jumps, 0.95).toFixed(0)} ms; a question that nobody works on and the next frame take p50 ${quantile(hops, 0.5).toFixed(0)}, p95 ${quantile(hops, 0.95).toFixed(0)} ms`,
    };
  } finally {
    await view.close();
    await store.close();
  }
}

const Measured = z.object({ longest: z.array(z.number()), hops: z.array(z.number()) });

/** The extension's side of the list: as there, a later question for rows takes the place of the one before. */
class Engine {
  readonly #store: Store;
  #page = new AbortController();
  /** Milliseconds that each answer with rows took. */
  readonly times: number[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async answer(raw: unknown): Promise<unknown[]> {
    const context = { store: this.#store, root: tmpdir(), trusted: true };
    const progress = (): void => undefined;
    const untilEnd = { signal: new AbortController().signal, progress };
    const asked = FromEvidencePanel.parse(raw);
    const envelope = { protocol: evidenceProtocol };
    switch (asked.type) {
      case "ready":
      case "refresh": {
        const versions = await versionsList.run(context, {}, untilEnd);
        return [{ ...envelope, type: "state", state: { type: "versions", root: "/", versions } }];
      }
      case "page": {
        const { id, query, list, offset, limit, counts } = asked;
        const start = performance.now();
        const named = list === null ? {} : { list };
        const params = { ...query, split: "train", offset, limit, counts, ...named };
        this.#page.abort();
        const { signal } = (this.#page = new AbortController());
        try {
          const page = await rolloutsWindow.run(context, rolloutsWindow.params.parse(params), {
            signal,
            progress,
          });
          this.times.push(performance.now() - start);
          return [{ ...envelope, type: "page", id, answer: { type: "page", page } }];
        } catch (e) {
          if (signal.aborted) return [];
          throw e;
        }
      }
      case "groups": {
        const params = rolloutsGroups.params.parse({ ...asked.query, split: "train", by: asked.by });
        const groups = await rolloutsGroups.run(context, params, untilEnd);
        return [{ ...envelope, type: "groups", id: asked.id, answer: { type: "groups", groups } }];
      }
      case "open":
      case "export":
        return [];
    }
  }
}

/**
 * For each place that is jumped to, and then for each tenth of a drag, how long a row in view stood blank at the longest;
 * and what the way there and back costs alone: a question that is answered with nothing, and the frame after.
 */
const scrollScript = `(async () => {
  const scroller = document.querySelector(".rows");
  const frame = () => new Promise((wake) => requestAnimationFrame(wake));
  const blank = () => {
    const { top, bottom } = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll(".waiting")]
      .filter((row) => { const at = row.getBoundingClientRect(); return at.bottom > top && at.top < bottom; })
      .map((row) => row.getAttribute("aria-posinset"));
  };
  const longest = [];
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let jump = 0; jump < 40; jump++) {
    const start = performance.now();
    scroller.scrollTop = random() * (scroller.scrollHeight - scroller.clientHeight);
    await frame();
    while (blank().length > 0) await frame();
    longest.push(performance.now() - start);
  }
  const since = new Map();
  let most = 0;
  for (let i = 0; i <= 300; i++) {
    scroller.scrollTop = (i / 300) * (scroller.scrollHeight - scroller.clientHeight);
    await frame();
    const now = performance.now();
    const rows = new Set(blank());
    for (const row of since.keys()) if (!rows.has(row)) since.delete(row);
    for (const row of rows) {
      if (!since.has(row)) since.set(row, now);
      most = Math.max(most, now - since.get(row));
    }
    if (i % 30 === 29) { longest.push(most); most = 0; }
  }
  const hops = [];
  for (let i = 0; i < 40; i++) {
    const start = performance.now();
    await frame();
    await window.ask(null);
    await frame();
    hops.push(performance.now() - start);
  }
  return { longest, hops };
})()`;

async function benchReader(): Promise<BenchRow> {
  const { ViewHost } = await import("../../test/editor/ui/viewHost.ts");
  const host = await ViewHost.start("rollout");
  try {
    return await measureReader(host);
  } finally {
    await host.stop();
  }
}

async function measureReader(host: View): Promise<BenchRow> {
  const line = "a line of a log that is as long as such lines are, with a number 1234\n";
  const text = line.repeat(Math.ceil(20_000 / line.length)).slice(0, 20_000);
  const turns = Array.from({ length: turnCount }, (_, i) => ({
    role: i % 2 === 0 ? "assistant" : "tool",
    text,
  }));
  const shown = { ...rolloutFixture, rollout: { ...rolloutFixture.rollout, turns }, labels: [] };
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    await host.load({ answer: () => [] });
    const ms: unknown = await host.page.evaluate(
      `((message) => new Promise((done) => {
        const start = performance.now();
        window.postMessage(message);
        window.addEventListener("message", () => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start))));
      }))(${JSON.stringify(rolloutMessage(shown, null))})`,
    );
    times.push(Number(ms));
    if ((await host.page.locator(".turn").count()) !== turnCount)
      throw new Error("The trajectory is not there.");
    await host.page.close();
  }
  return {
    name: "a trajectory of 100 turns and 2 MB from its message to its picture",
    measured: quantile(times, 0.5),
    target: 200,
    unit: "ms",
    detail: `${times.length} pages: least ${least(times).toFixed(0)}, longest ${Math.max(...times).toFixed(0)} ms`,
  };
}
