import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
import { cutIn, smallTargets, tinyTexts, unanswered } from "../pictures/checks.ts";
import { bitmapsOf, goldenWidths, unlikeGolden } from "../pictures/compare.ts";
import { describePage } from "../pictures/describe.ts";
import { overlaps, partOf } from "../pictures/golden.ts";
import { takePictures, type Stage } from "../pictures/take.ts";
import { isWithoutScrolling, zoomed } from "../pictures/zoom.ts";
import { classesOf, themeNames, themes, type Theme } from "./themes.ts";

const dist = new URL("../../../dist/", import.meta.url).pathname;
/** Windows in which a view must be usable. */
const windows = [
  ["360 px", 360, 752],
  ["500 px", 500, 752],
  ["1000 px", 1000, 752],
  ["1600 px", 1600, 752],
  ...zoomed,
] as const;

/** What is found, once the page has had time to draw itself for a new size of the window. */
async function inTime(look: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + 1000 * patience;
  let found = await look();
  for (; found.length > 0 && Date.now() < deadline; found = await look()) await wait(50);
  return found;
}

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
   * What a person could not use or believe in the page as it is, at 360, 500, 1000 and 1600 px and in a zoom of 150 and 200 %:
   * what is cut (also in folds), what is too small to be hit or read, what of the answer is out of the first window, and texts
   * that lie over one another.
   * @param answers selects what answers the view's question
   * @param picture the name of a golden picture, of what the finished example does not have (finishedExample.test.ts)
   */
  async faults({
    answers = [],
    picture,
  }: { readonly answers?: readonly string[]; readonly picture?: string } = {}): Promise<string[]> {
    const { page } = this;
    const before = page.viewportSize();
    const found: string[] = [];
    for (const [said, width, height] of windows) {
      await page.setViewportSize({ width, height });
      await this.#scrollUp();
      const faults = await inTime(async () => [
        ...(isWithoutScrolling([said, width, height]) ? await unanswered(page, answers) : []),
        ...(await smallTargets(page)),
        ...(await tinyTexts(page)),
        ...overlaps((await describePage(page)).map((drawn) => ({ ...partOf(drawn), ink: "k" }))),
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
    if (picture !== undefined) {
      const bitmaps = bitmapsOf(picture);
      const taken = await takePictures(this.#stage(), { widths: goldenWidths, bitmaps });
      found.push(...unlikeGolden(picture, taken));
    }
    if (before) await page.setViewportSize(before);
    return found;
  }

  #scrollUp(): Promise<void> {
    return this.page.evaluate(() => {
      for (const element of document.querySelectorAll("*")) if (element.scrollTop > 0) element.scrollTo(0, 0);
    });
  }

  /** The page as pictures are taken of it. */
  #stage(): Stage {
    const { page } = this;
    return {
      page,
      look: () => Promise.resolve({ frame: page.mainFrame(), at: { x: 0, y: 0 } }),
      setSize: (width, height) => page.setViewportSize({ width, height }),
      // The colours of a theme, and the classes by which the editor names its kind.
      setTheme: (theme) =>
        page.evaluate(
          ({ css, all, classes }) => {
            for (const [name, value] of css)
              document.documentElement.style.setProperty(`--vscode-${name}`, value);
            document.body.classList.remove(...all);
            document.body.classList.add(...classes);
          },
          {
            css: Object.entries(themes[theme]),
            all: themeNames.flatMap(classesOf),
            classes: classesOf(theme),
          },
        ),
    };
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
