import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type Page } from "playwright-core";
import { webviewHtml } from "../../client/src/page/webviewHtml.ts";
import { themes } from "../../test/editor/ui/themes.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** The browser that views are measured in, or why there is none. */
export function browserPath(): { readonly path: string } | { readonly skipped: string } {
  const named = process.env["EVOTRAINER_CHROMIUM"];
  // With windows first: that is what docs/performance.md was measured in.
  const paths = named === undefined ? ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"] : [named];
  const path = paths.find((file) => existsSync(file));
  return path === undefined
    ? { skipped: `there is no Chromium at ${paths.join(" or ")}; set EVOTRAINER_CHROMIUM` }
    : { path };
}

/** What a page gets: when it is ready the messages of the set named in its address, or answers to each of its messages. */
export type ViewSource =
  | { readonly sets: Readonly<Record<string, readonly unknown[]>> }
  | { readonly answer: (message: unknown) => Promise<readonly unknown[]> };

/**
 * A view's own page and bundle under its own policy. What it gets comes one message after another over a connection, as from
 * the extension.
 */
export class ViewPage {
  readonly #server: Server;
  readonly #browser: Browser;
  readonly page: Page;
  readonly #origin: string;

  static async open(view: string, path: string, source: ViewSource): Promise<ViewPage> {
    // Without its script a page would be waited for for ever.
    const missing = ["toolkit", view]
      .map((name) => join(dist, `webview-${name}.js`))
      .find((file) => !existsSync(file));
    if (missing !== undefined) throw new Error(`There is no ${missing}; run \`npm run build\`.`);
    const texts = Object.fromEntries(
      Object.entries("sets" in source ? source.sets : {}).map(([name, messages]) => [
        name,
        messages.map((m) => JSON.stringify(m)),
      ]),
    );
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      const origin = `http://${request.headers.host ?? ""}`;
      if (url.pathname === "/") {
        const files = {
          scripts: ["toolkit", view].map((name) => `${origin}/webview-${name}.js`),
          style: `${origin}/webview-${view}.css`,
        };
        const html = webviewHtml(view, { ...files, cspSource: origin }, "dGVzdA");
        response.setHeader("content-type", "text/html");
        // The messages are fetched, which the view itself may not.
        response.end(html.replace("default-src 'none'", `default-src 'none'; connect-src ${origin}`));
      } else if (url.pathname === "/message") {
        const text = texts[url.searchParams.get("set") ?? ""]?.[Number(url.searchParams.get("n"))];
        response.statusCode = text === undefined ? 404 : 200;
        response.end(text ?? "");
      } else if (url.pathname === "/ask" && "answer" in source) {
        void (async () => {
          const asked: unknown = await json(request);
          response.end(JSON.stringify(asked === null ? [] : await source.answer(asked)));
        })().catch((e: unknown) => response.destroy(e instanceof Error ? e : new Error(String(e))));
      } else if (url.pathname.startsWith("/webview-")) {
        response.setHeader("content-type", url.pathname.endsWith(".css") ? "text/css" : "text/javascript");
        response.end(readFileSync(join(dist, url.pathname)));
      } else {
        response.statusCode = 204;
        response.end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("The page is served nowhere.");
    const browser = await chromium.launch({
      executablePath: path,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"],
    });
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.addInitScript({
      content: `globalThis.__name = (f) => f;(${prepare})(${JSON.stringify(themes.dark)}, ${"answer" in source})`,
    });
    return new ViewPage(server, browser, page, `http://127.0.0.1:${address.port}`);
  }

  constructor(server: Server, browser: Browser, page: Page, origin: string) {
    this.#server = server;
    this.#browser = browser;
    this.page = page;
    this.#origin = origin;
  }

  async load(set = ""): Promise<void> {
    await this.page.goto(`${this.#origin}/?set=${set}`, { waitUntil: "commit" });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}

/** Runs in the page before its own script: the editor's side. */
const prepare = `(colors, asks) => {
  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, value] of Object.entries(colors))
      document.documentElement.style.setProperty("--vscode-" + name, value);
  });
  const set = new URL(location.href).searchParams.get("set");
  let kept = null;
  const send = async () => {
    for (let n = 0; ; n++) {
      const response = await fetch("/message?set=" + set + "&n=" + n);
      if (!response.ok) break;
      window.postMessage(JSON.parse(await response.text()));
    }
    window.allSent = true;
  };
  window.ask = (message) =>
    fetch("/ask", { method: "POST", body: JSON.stringify(message) }).then((response) => response.json());
  window.acquireVsCodeApi = () => ({
    getState: () => kept,
    setState: (next) => { kept = next; },
    postMessage: (message) => {
      if (asks) void window.ask(message).then((replies) => replies.forEach((reply) => window.postMessage(reply)));
      else if (message.type === "ready") void send();
    },
  });
}`;
