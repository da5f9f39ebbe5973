import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
import { describePage, type Drawn } from "../pictures/describe.ts";
import { differences, inkOf, overlaps, partOf, read, written, type Picture } from "../pictures/golden.ts";
import { contrasts } from "../pictures/ink.ts";
import { themes, type Theme } from "./themes.ts";

const dist = new URL("../../../dist/", import.meta.url).pathname;
const goldenPictures = new URL("../pictures/golden/", import.meta.url).pathname;
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
      ({ css, kept }) => {
        let ui: unknown = kept;
        document.addEventListener("DOMContentLoaded", () => {
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
      { css, kept },
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
   * What is cut at these widths of the window: a page wider than the window, or a table or list wider than its box.
   * A width is given time until the page has drawn itself for it. What is folded is looked at too.
   */
  async cutAt(...widths: readonly number[]): Promise<string[]> {
    const found: string[] = [];
    const before = this.page.viewportSize();
    const all = "[...document.querySelectorAll('details')]";
    const open = await this.page.evaluate(`${all}.map((fold) => fold.open)`);
    await this.page.evaluate(`${all}.forEach((fold) => { fold.open = true; })`);
    for (const width of widths) {
      await this.page.setViewportSize({ width, height: 752 });
      const deadline = Date.now() + 2000 * patience;
      let cut = await this.#cut();
      for (; cut.length > 0 && Date.now() < deadline; cut = await this.#cut()) await wait(50);
      found.push(...cut.map((one) => `${width} px: ${one}`));
    }
    await this.page.evaluate(`${all}.forEach((fold, i) => { fold.open = ${JSON.stringify(open)}[i]; })`);
    if (before) await this.page.setViewportSize(before);
    return found;
  }

  /**
   * What differs from the golden picture of this name at 360, 500, 1000 and 1600 px, and texts that lie over one another.
   * @throws when there is no golden picture
   */
  async unlikeGolden(name: string): Promise<string[]> {
    const before = this.page.viewportSize();
    const taken: Picture[] = [];
    for (const width of [360, 500, 1000, 1600]) taken.push(await this.#picture(width));
    if (before) await this.page.setViewportSize(before);
    const file = join(goldenPictures, `${this.#view}-${name}.txt`);
    if (makesGolden) {
      mkdirSync(goldenPictures, { recursive: true });
      writeFileSync(file, written(taken));
    }
    const golden = read(readFileSync(file, "utf8"));
    return taken.flatMap((now, i) => {
      const one = golden[i];
      assert.ok(one?.width === now.width, `${file} has a picture of ${now.width} px`);
      return [...differences(one, now), ...overlaps(now)].map((text) => `${now.width} px: ${text}`);
    });
  }

  /** What a person sees at a width, once the page has drawn itself for it. */
  async #picture(width: number): Promise<Picture> {
    const page = this.page;
    await page.setViewportSize({ width, height: 900 });
    let [last, drawn] = ["", [] as Drawn[]];
    for (const deadline = Date.now() + 5000 * patience; Date.now() < deadline;) {
      drawn = await describePage(page.locator("html"));
      const said = JSON.stringify(drawn);
      if (said === last) break;
      last = said;
      await wait(50);
    }
    const seen = await contrasts(
      page,
      await page.screenshot(),
      drawn.map(({ box }) => box),
    );
    return { width, parts: drawn.map((one, i) => partOf(one, inkOf(one, seen[i] ?? 1))) };
  }

  async #cut(): Promise<string[]> {
    return this.page.evaluate(() => {
      const wide = [...document.querySelectorAll("table")].flatMap((table) => {
        if (table.offsetWidth === 0) return [];
        const room = table.closest<HTMLElement>(".table") ?? table.parentElement;
        const right =
          room === null ? window.innerWidth : room.getBoundingClientRect().left + room.clientWidth;
        return table.getBoundingClientRect().right > Math.min(right, window.innerWidth) + 1
          ? [`the table ${table.caption?.textContent ?? table.className}`]
          : [];
      });
      const lists = [...document.querySelectorAll(".scroller, .rows")]
        .filter((list) => list.scrollWidth > list.clientWidth)
        .map(() => "the list");
      wide.push(...lists);
      return document.documentElement.scrollWidth > window.innerWidth ? ["the page", ...wide] : wide;
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
