import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import axe from "axe-core";
import { z } from "zod";
import type { Page } from "playwright-core";
import { webviewHtml } from "../../../client/src/page/webviewHtml.ts";
import { patience } from "../../support/base/patience.ts";
import { shots, startBrowser, type BrowserWindow } from "../launcher/host.ts";
import { differences, overlaps, read, written, type Picture } from "../pictures/golden.ts";
import { cutIn, smallTargets, unanswered } from "../pictures/checks.ts";
import { takePicture } from "../pictures/take.ts";
import { classesOf, themes, type Theme } from "./themes.ts";

const dist = new URL("../../../dist/", import.meta.url).pathname;
const goldenPictures = new URL("../pictures/golden/", import.meta.url).pathname;
const goldenWidths = [360, 500, 1000, 1600];
/** Windows in which a view must be usable: a zoom makes the window of a page smaller and nothing else. */
const windows = [
  ["360 px", 360, 752],
  ["500 px", 500, 752],
  ["1000 px", 1000, 752],
  ["1600 px", 1600, 752],
  ["1000 px at 150 %", 667, 501],
  ["1000 px at 200 %", 500, 376],
] as const;

/** What is found, once the page has had time to draw itself for a new size of the window. */
async function inTime(look: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + 1000 * patience;
  let found = await look();
  for (; found.length > 0 && Date.now() < deadline; found = await look()) await wait(50);
  return found;
}

/** Then the golden pictures are made, not compared. */
const makesGolden = process.env["EVOTRAINER_WRITE_PICTURES"] === "1";

export interface LoadOptions {
  readonly theme?: Theme;
  /** The state that the view kept before a reload. */
  readonly kept?: unknown;
  /** The extension's answer to a message. */
  readonly answer: (
    message: { readonly type: string } & Record<string, unknown>,
  ) => readonly unknown[] | Promise<readonly unknown[]>;
}

/** A view's page and bundle under its real policy in a browser; the test plays the part of the editor. */
export class ViewHost {
  readonly #view: string;
  readonly #server: Server;
  readonly #browser: BrowserWindow;
  #page: Page | undefined;
  /** What the page's console said, which should be nothing. */
  complaints: string[] = [];
  sent: unknown[] = [];

  static async start(view: string): Promise<ViewHost> {
    const server = createServer((request, response) => {
      const path = request.url ?? "/";
      const origin = `http://${request.headers.host ?? ""}`;
      if (path === "/") {
        response.setHeader("content-type", "text/html");
        const scripts = ["toolkit", view].map((name) => `${origin}/webview-${name}.js`);
        const style = `${origin}/webview-${view}.css`;
        response.end(webviewHtml(view, { scripts, style, cspSource: origin }, "dGVzdA"));
        return;
      }
      if (![`/webview-${view}.js`, `/webview-${view}.css`, "/webview-toolkit.js"].includes(path)) {
        response.statusCode = 204;
        response.end();
        return;
      }
      response.setHeader("content-type", path.endsWith(".css") ? "text/css" : "text/javascript");
      response.end(readFileSync(join(dist, path)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ViewHost(view, server, await startBrowser());
  }

  constructor(view: string, server: Server, browser: BrowserWindow) {
    this.#view = view;
    this.#server = server;
    this.#browser = browser;
  }

  get page(): Page {
    if (!this.#page) throw new Error("Load the page first.");
    return this.#page;
  }

  async load({ theme = "dark", kept = null, answer }: LoadOptions): Promise<void> {
    [this.complaints, this.sent] = [[], []];
    await this.#page?.close();
    const page = await this.#browser.context.newPage();
    this.#page = page;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        this.complaints.push(`${message.text()} ${JSON.stringify(message.location())}`);
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    // The loader of these tests names functions with a helper that the page does not have.
    await page.addInitScript({ content: "globalThis.__name = (f) => f;" });
    await page.exposeFunction("hostReceives", async (message: { type: string }) => {
      this.sent.push(message);
      for (const reply of await answer({ ...message })) await this.post(reply);
    });
    const css = Object.entries(themes[theme]).map(([name, value]) => [`--vscode-${name}`, value] as const);
    await page.addInitScript(
      ({ css, classes, kept }) => {
        let ui: unknown = kept;
        document.addEventListener("DOMContentLoaded", () => {
          document.body.classList.add(...classes);
          for (const [name, value] of css) document.documentElement.style.setProperty(name, value);
        });
        const receives = "hostReceives" in window ? window.hostReceives : undefined;
        Object.assign(window, {
          uiState: () => ui,
          acquireVsCodeApi: () => ({
            getState: () => ui,
            setState: (next: unknown) => {
              ui = next;
            },
            postMessage: (message: unknown) => {
              if (typeof receives === "function") void Reflect.apply(receives, window, [message]);
            },
          }),
        });
      },
      { css, classes: classesOf(theme), kept },
    );
    const address = this.#server.address();
    if (typeof address !== "object" || !address) throw new Error("The page is served nowhere.");
    await page.goto(`http://127.0.0.1:${address.port}/`);
  }

  /** What axe-core finds in the page as it is now: each rule with the elements that break it. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const found: unknown = await this.page.evaluate(
      "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.failureSummary}`).join(' | ')}`))",
    );
    return z.array(z.string()).parse(found);
  }

  /**
   * What a person could not use or believe in the page as it is, at 360, 500, 1000 and 1600 px and at 1000 px in a zoom of
   * 150 and 200 %: what is cut (also in folds), what is too small to be hit, what of the answer is out of the first window, and
   * what is unlike the golden picture of this name.
   * @param answers selects what answers the view's question
   * @param within selects what the golden picture is of, where the page draws much more
   */
  async faults(
    name: string,
    { answers = [], within }: { readonly answers?: readonly string[]; readonly within?: string } = {},
  ): Promise<string[]> {
    const { page } = this;
    const before = page.viewportSize();
    const found: string[] = [];
    for (const [said, width, height] of windows) {
      await page.setViewportSize({ width, height });
      await this.#scrollUp();
      const faults = await inTime(async () => [
        ...(await unanswered(page, answers)),
        ...(await smallTargets(page)),
      ]);
      found.push(...faults.map((text) => `${said}: ${text}`));
    }
    const all = "[...document.querySelectorAll('details')]";
    const open = await page.evaluate(`${all}.map((fold) => fold.open)`);
    await page.evaluate(`${all}.forEach((fold) => { fold.open = true; })`);
    for (const [said, width, height] of windows) {
      await page.setViewportSize({ width, height });
      found.push(...(await inTime(() => cutIn(page))).map((text) => `${said}: ${text} is cut`));
    }
    await page.evaluate(`${all}.forEach((fold, i) => { fold.open = ${JSON.stringify(open)}[i]; })`);
    found.push(...(await this.#compare(name, within, goldenWidths, makesGolden)));
    if (before) await page.setViewportSize(before);
    return found;
  }

  #scrollUp(): Promise<void> {
    return this.page.evaluate(() => {
      for (const element of document.querySelectorAll("*")) if (element.scrollTop > 0) element.scrollTo(0, 0);
    });
  }

  /**
   * What differs from the golden picture of this name at 360, 500, 1000 and 1600 px in every theme, and texts that lie over
   * one another. The page keeps the last theme.
   * @param within selects what answers the view's question, where the page draws much more
   * @throws when there is no golden picture
   */
  unlikeGolden(name: string, within?: string, widths: readonly number[] = goldenWidths): Promise<string[]> {
    return this.#compare(name, within, widths);
  }

  /** Takes the pictures, first makes golden ones of them if `isMaking`, and compares. */
  async #compare(
    name: string,
    within: string | undefined,
    widths: readonly number[],
    isMaking = false,
  ): Promise<string[]> {
    const before = this.page.viewportSize();
    const bitmaps = isMaking ? join(shots, `golden-${this.#view}-${name}`) : undefined;
    const taken: Picture[] = [];
    for (const width of widths) taken.push(await takePicture(this.page, width, within, bitmaps));
    if (before) await this.page.setViewportSize(before);
    const file = join(goldenPictures, `${this.#view}-${name}.txt`);
    if (isMaking)
      writeFileSync(file, written(taken, existsSync(file) ? read(readFileSync(file, "utf8")) : []));
    const golden = read(readFileSync(file, "utf8"));
    return taken.flatMap((now) => {
      const one = golden.find(({ width }) => width === now.width);
      assert.ok(one, `${file} has a picture of ${now.width} px`);
      return [...differences(one, now), ...overlaps(now)].map((text) => `${now.width} px: ${text}`);
    });
  }

  /** A message from the extension. */
  async post(message: unknown): Promise<void> {
    await this.page.evaluate((m) => window.postMessage(m), message);
  }

  /** Waits until this is the last message of the page: a message takes its way through the browser. */
  async sends(expected: unknown): Promise<void> {
    const deadline = Date.now() + 5000 * patience;
    while (!isDeepStrictEqual(this.sent.at(-1), expected) && Date.now() < deadline) await wait(20);
    assert.deepEqual(this.sent.at(-1), expected);
  }

  uiState(): Promise<unknown> {
    return this.page.evaluate("window.uiState()");
  }

  async shot(name: string): Promise<void> {
    await this.page.screenshot({ path: join(shots, `${this.#view}-${name}.png`) });
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}
