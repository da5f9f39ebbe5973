import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { webviewHtml } from "../../../client/src/webviewHtml.ts";
import { lineageProtocol, type LineageState } from "../../../shared/protocol/lineage.ts";
import { shots, startBrowser } from "../launcher/host.ts";
import { until } from "../launcher/workbench.ts";
import { lineageFixture } from "./lineageFixture.ts";

const dist = new URL("../../../dist/", import.meta.url).pathname;

const dark = {
  "editor-background": "#1f1f1f",
  "editor-foreground": "#cccccc",
  "panel-border": "#2b2b2b",
  descriptionForeground: "#9d9d9d",
  focusBorder: "#0078d4",
  "list-inactiveSelectionBackground": "#37373d",
  "list-hoverBackground": "#2a2d2e",
  "charts-green": "#89d185",
  "charts-red": "#f48771",
  "charts-orange": "#d18616",
  "charts-blue": "#3794ff",
  "charts-yellow": "#cca700",
  "charts-foreground": "#cccccc",
  "button-background": "#0078d4",
  "button-foreground": "#ffffff",
  "button-secondaryBackground": "#313131",
  "button-secondaryForeground": "#cccccc",
  "font-family": "sans-serif",
  "font-size": "13px",
};
const light = {
  ...dark,
  "editor-background": "#ffffff",
  "editor-foreground": "#3b3b3b",
  "panel-border": "#e5e5e5",
  descriptionForeground: "#3b3b3b",
  "list-inactiveSelectionBackground": "#e4e6f1",
  "charts-green": "#388a34",
  "charts-red": "#e51400",
  "charts-blue": "#1a85ff",
  "charts-foreground": "#3b3b3b",
  "button-secondaryBackground": "#e5e5e5",
  "button-secondaryForeground": "#3b3b3b",
};
const contrast = {
  ...dark,
  "editor-background": "#000000",
  "editor-foreground": "#ffffff",
  "panel-border": "#6fc3df",
  focusBorder: "#f38518",
  "list-inactiveSelectionBackground": "#000000",
  "charts-foreground": "#ffffff",
  descriptionForeground: "#ffffff",
};

/** The panel's own page and bundle under its own policy, with the editor's side of it played by the test. */
describe("lineage panel", () => {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[] = [];
  let kept: unknown = null;

  before(async () => {
    server = createServer((request, response) => {
      const path = request.url ?? "/";
      const origin = `http://${request.headers.host ?? ""}`;
      const nonce = "dGVzdA";
      if (path === "/") {
        response.setHeader("content-type", "text/html");
        const files = {
          script: `${origin}/webview-lineage.js`,
          style: `${origin}/webview-lineage.css`,
          cspSource: origin,
        };
        response.end(webviewHtml("Lineage", files, nonce));
        return;
      }
      if (!/^\/webview-lineage\.(js|css)$/.test(path)) {
        response.statusCode = 204;
        response.end();
        return;
      }
      response.setHeader("content-type", path.endsWith(".css") ? "text/css" : "text/javascript");
      response.end(readFileSync(join(dist, path)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ({ browser, context } = await startBrowser());
  });
  after(async () => {
    await browser.close();
    server.close();
  });
  beforeEach(() => {
    complaints = [];
    kept = null;
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(complaints, [], "the page complained");
  });

  async function load(state: LineageState, theme: Readonly<Record<string, string>> = dark): Promise<void> {
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        complaints.push(`${message.text()} ${JSON.stringify(message.location())}`);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    // The loader that runs these tests names functions by a helper that the page does not have.
    await page.addInitScript({ content: "globalThis.__name = (f) => f;" });
    const css = Object.entries(theme).map(([name, value]) => [`--vscode-${name}`, value] as const);
    await page.addInitScript(
      ({ css, kept, state, protocol }) => {
        const sent: unknown[] = [];
        let ui: unknown = kept;
        document.addEventListener("DOMContentLoaded", () => {
          for (const [name, value] of css) document.documentElement.style.setProperty(name, value);
        });
        Object.assign(window, {
          sent,
          uiState: () => ui,
          acquireVsCodeApi: () => ({
            getState: () => ui,
            setState: (next: unknown) => {
              ui = next;
            },
            postMessage: (message: { type: string; id?: number }) => {
              sent.push(message);
              if (message.type === "state")
                window.postMessage({ protocol, verb: "reply", type: "state", id: message.id, state });
            },
          }),
        });
      },
      { css, kept, state, protocol: lineageProtocol },
    );
    const address = server.address();
    assert.ok(typeof address === "object" && address);
    await page.goto(`http://127.0.0.1:${address.port}/`);
  }

  const lineage: LineageState = { type: "lineage", view: lineageFixture };
  const sent = () => page.evaluate("window.sent");
  const uiState = () => page.evaluate("window.uiState()");
  const rows = () => page.locator(".row .name").allTextContents();
  const shot = (name: string) => page.screenshot({ path: join(shots, `${name}.png`) });
  const post = (message: unknown) => page.evaluate((m) => window.postMessage(m), message);

  it("draws every version with score, interval, decision and factor", async () => {
    await load(lineage);
    await page.locator(".row").first().waitFor();
    assert.deepEqual(await rows(), lineageFixture.versions.map(({ name }) => name).reverse());
    const leak = page.locator(".row", { hasText: "v1-leak" });
    assert.match(await leak.innerText(), /invalid[^]*48\.8\s% \[46\.0, 52\.3\]/);
    assert.equal(await page.locator("path.node").count(), lineageFixture.versions.length);
    assert.equal(await page.locator("path.edge").count(), lineageFixture.versions.length - 1);
    await shot("lineage-dark");
  });

  for (const [name, theme] of [
    ["light", light],
    ["high-contrast", contrast],
  ] as const)
    it(`is readable in a ${name} theme`, async () => {
      await load(lineage, theme);
      await page.locator(".row", { hasText: "v1-leak" }).click();
      await page.locator(".details", { hasText: "history-leak 21.0 %" }).waitFor();
      const colors = await page.locator("body").evaluate((body) => {
        const style = getComputedStyle(body);
        return [style.color, style.backgroundColor];
      });
      const hex = (value: string) =>
        `rgb(${[1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16)).join(", ")})`;
      assert.deepEqual(colors, [hex(theme["editor-foreground"]), hex(theme["editor-background"])]);
      await shot(`lineage-${name}`);
    });

  it("is worked with the keys: one tab stop, arrows move, Enter tells the editor", async () => {
    await load(lineage);
    const graph = page.locator(".graph");
    await graph.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator('[role="option"][aria-selected="true"] .name').textContent(), "v8");
    await page.keyboard.press("ArrowLeft");
    const active = await graph.getAttribute("aria-activedescendant");
    assert.equal(await page.locator(`[id="${active ?? ""}"] .name`).textContent(), "v4");
    await page.keyboard.press("Enter");
    assert.deepEqual(((await sent()) as unknown[]).at(-1), {
      protocol: 1,
      verb: "notify",
      type: "select",
      name: "v4",
    });
    await page.locator(".details h2", { hasText: "v4" }).waitFor();
    assert.deepEqual(await page.evaluate("document.activeElement.className"), "graph");
    await shot("lineage-keys");
  });

  it("has a table that says the same in words", async () => {
    await load(lineage);
    await page.locator("vscode-button", { hasText: "Table" }).click();
    await page.locator("tbody tr").first().waitFor();
    assert.equal(await page.locator("tbody tr").count(), lineageFixture.versions.length);
    const cells = await page.locator("tbody tr", { hasText: "v1-leak" }).locator("td").allTextContents();
    assert.deepEqual(cells.slice(0, 3), ["v1-leak", "invalid", "48.8\u00A0%"]);
    assert.equal(cells[7], "history-leak 21.0\u00A0%");
    assert.deepEqual(await uiState(), { version: 1, layout: "table", selected: null });
    await shot("lineage-table");
  });

  it("comes back as it was left", async () => {
    kept = { version: 1, layout: "graph", selected: "v5" };
    await load(lineage);
    await page.locator(".details h2", { hasText: "v5" }).waitFor();
  });

  it("starts anew when what was kept is none of ours", async () => {
    kept = { version: 7, layout: [] };
    await load(lineage);
    await page.locator(".row").first().waitFor();
    assert.equal(await page.locator(".details").count(), 0);
  });

  it("keeps selection and scroll when versions are added", async () => {
    await load(lineage);
    await page.setViewportSize({ width: 900, height: 320 });
    await page.locator(".row", { hasText: "v2" }).click();
    const place = async () => (await page.locator(".row.selected").boundingBox())?.y;
    const before = await place();
    assert.ok(
      (await page.locator("div.content").evaluate((node) => node.scrollTop)) > 0,
      "the list is scrolled",
    );
    const more = { ...lineageFixture, versions: [...lineageFixture.versions] };
    const last = more.versions.at(-1);
    assert.ok(last);
    more.versions.push({ ...last, name: "v10", parent: "v9" });
    await post({ protocol: 1, verb: "notify", type: "changed", state: { type: "lineage", view: more } });
    await page.locator(".row", { hasText: "v10" }).waitFor();
    assert.equal(await page.locator(".row.selected .name").textContent(), "v2");
    assert.equal(await place(), before);
  });

  it("drops messages that are none of ours", async () => {
    await load(lineage);
    await page.locator(".row").first().waitFor();
    for (const message of [
      null,
      3,
      {},
      { protocol: 2, verb: "notify", type: "reveal", name: "v0" },
      { protocol: 1, verb: "notify", type: "changed", state: { type: "lineage" } },
    ])
      await post(message);
    await post({ protocol: 1, verb: "notify", type: "reveal", name: "v3" });
    await page.locator(".details h2", { hasText: "v3" }).waitFor();
    assert.equal(await page.locator(".row").count(), lineageFixture.versions.length);
  });

  it("shows text from the lineage as text", async () => {
    const nasty = "<img src=x onerror=alert(1)>";
    const [first] = lineageFixture.versions;
    assert.ok(first);
    await load({
      type: "lineage",
      view: {
        project: nasty,
        domain: nasty,
        versions: [{ ...first, name: nasty, title: nasty, reason: nasty }],
      },
    });
    await page.locator(".row").click();
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator(".details h2").textContent(), nasty);
  });

  it("says why it is empty and what to do", async () => {
    await load({
      type: "empty",
      reason: "noProject",
      cause: "No project.",
      advice: "Make one.",
      action: { label: "Refresh", id: "refresh" },
    });
    await page.locator(".message", { hasText: "No project." }).waitFor();
    await page.locator(".message vscode-button", { hasText: "Refresh" }).click();
    await until("the action is sent", async () => ((await sent()) as unknown[]).length === 2);
    assert.deepEqual(((await sent()) as unknown[])[1], {
      protocol: 1,
      verb: "notify",
      type: "action",
      action: "refresh",
    });
  });
});
