import assert from "node:assert/strict";
import { lineageProtocol, type LineageState } from "../../../shared/protocol/lineage.ts";
import { until } from "../launcher/workbench.ts";
import { lineageFixture } from "./lineageFixture.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

/** The panel's own page and bundle under its own policy, with the editor's side of it played by the test. */
describe("lineage panel", () => {
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

  const load = (state: LineageState, theme?: Theme): Promise<void> =>
    host.load({
      kept,
      ...(theme === undefined ? {} : { theme }),
      answer: ({ type, id }) =>
        type === "state" ? [{ protocol: lineageProtocol, verb: "reply", type, id, state }] : [],
    });

  const lineage: LineageState = { type: "lineage", view: lineageFixture };
  const rows = () => host.page.locator(".row .name").allTextContents();

  it("draws every version with score, interval, decision and factor", async () => {
    await load(lineage);
    await host.page.locator(".row").first().waitFor();
    assert.deepEqual(await rows(), lineageFixture.versions.map(({ name }) => name).reverse());
    const leak = host.page.locator(".row", { hasText: "v1-leak" });
    assert.match(await leak.innerText(), /invalid[^]*48\.8\s% \[46\.0, 52\.3\]/);
    assert.equal(await host.page.locator("path.node").count(), lineageFixture.versions.length);
    assert.equal(await host.page.locator("path.edge").count(), lineageFixture.versions.length - 1);
    await host.shot("dark");
  });

  for (const name of ["light", "high-contrast"] as const)
    it(`is readable in a ${name} theme`, async () => {
      await load(lineage, name);
      const theme = themes[name];
      await host.page.locator(".row", { hasText: "v1-leak" }).click();
      await host.page.locator(".details", { hasText: "history-leak 21.0 %" }).waitFor();
      const colors = await host.page.locator("body").evaluate((body) => {
        const style = getComputedStyle(body);
        return [style.color, style.backgroundColor];
      });
      const hex = (value: string) =>
        `rgb(${[1, 3, 5].map((i) => parseInt(value.slice(i, i + 2), 16)).join(", ")})`;
      assert.deepEqual(colors, [hex(theme["editor-foreground"]), hex(theme["editor-background"])]);
      assert.deepEqual(await host.violations(), []);
      await host.shot(name);
    });

  it("is worked with the keys: one tab stop, arrows move, Enter tells the editor", async () => {
    await load(lineage);
    const graph = host.page.locator(".graph");
    await graph.focus();
    await host.page.keyboard.press("ArrowDown");
    await host.page.keyboard.press("ArrowDown");
    assert.equal(await host.page.locator('[role="option"][aria-selected="true"] .name').textContent(), "v8");
    await host.page.keyboard.press("ArrowLeft");
    const active = await graph.getAttribute("aria-activedescendant");
    assert.equal(await host.page.locator(`[id="${active ?? ""}"] .name`).textContent(), "v4");
    await host.page.keyboard.press("Enter");
    assert.deepEqual(host.sent.at(-1), {
      protocol: 1,
      verb: "notify",
      type: "select",
      name: "v4",
    });
    await host.page.locator(".details h2", { hasText: "v4" }).waitFor();
    assert.deepEqual(await host.page.evaluate("document.activeElement.className"), "graph");
    await host.shot("keys");
  });

  it("has a table that says the same in words", async () => {
    await load(lineage);
    await host.page.locator("vscode-button", { hasText: "Table" }).click();
    await host.page.locator("tbody tr").first().waitFor();
    assert.equal(await host.page.locator("tbody tr").count(), lineageFixture.versions.length);
    const cells = await host.page.locator("tbody tr", { hasText: "v1-leak" }).locator("td").allTextContents();
    assert.deepEqual(cells.slice(0, 3), ["v1-leak", "invalid", "48.8\u00A0%"]);
    assert.equal(cells[7], "history-leak 21.0\u00A0%");
    assert.deepEqual(await host.uiState(), { version: 1, layout: "table", selected: null });
    await host.shot("table");
  });

  it("comes back as it was left", async () => {
    kept = { version: 1, layout: "graph", selected: "v5" };
    await load(lineage);
    await host.page.locator(".details h2", { hasText: "v5" }).waitFor();
  });

  it("starts anew when what was kept is none of ours", async () => {
    kept = { version: 7, layout: [] };
    await load(lineage);
    await host.page.locator(".row").first().waitFor();
    assert.equal(await host.page.locator(".details").count(), 0);
  });

  it("keeps selection and scroll when versions are added", async () => {
    await load(lineage);
    await host.page.setViewportSize({ width: 900, height: 320 });
    await host.page.locator(".row", { hasText: "v2" }).click();
    const place = async () => (await host.page.locator(".row.selected").boundingBox())?.y;
    const before = await place();
    assert.ok(
      (await host.page.locator("div.content").evaluate((node) => node.scrollTop)) > 0,
      "the list is scrolled",
    );
    const more = { ...lineageFixture, versions: [...lineageFixture.versions] };
    const last = more.versions.at(-1);
    assert.ok(last);
    more.versions.push({ ...last, name: "v10", parent: "v9" });
    await host.post({ protocol: 1, verb: "notify", type: "changed", state: { type: "lineage", view: more } });
    await host.page.locator(".row", { hasText: "v10" }).waitFor();
    assert.equal(await host.page.locator(".row.selected .name").textContent(), "v2");
    assert.equal(await place(), before);
  });

  it("drops messages that are none of ours", async () => {
    await load(lineage);
    await host.page.locator(".row").first().waitFor();
    for (const message of [
      null,
      3,
      {},
      { protocol: 2, verb: "notify", type: "reveal", name: "v0" },
      { protocol: 1, verb: "notify", type: "changed", state: { type: "lineage" } },
    ])
      await host.post(message);
    await host.post({ protocol: 1, verb: "notify", type: "reveal", name: "v3" });
    await host.page.locator(".details h2", { hasText: "v3" }).waitFor();
    assert.equal(await host.page.locator(".row").count(), lineageFixture.versions.length);
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
    await host.page.locator(".row").click();
    assert.equal(await host.page.locator("img").count(), 0);
    assert.equal(await host.page.locator(".details h2").textContent(), nasty);
  });

  it("says why it is empty and what to do", async () => {
    await load({
      type: "empty",
      reason: "noProject",
      cause: "No project.",
      advice: "Make one.",
      action: { label: "Refresh", id: "refresh" },
    });
    await host.page.locator(".message", { hasText: "No project." }).waitFor();
    await host.page.locator(".message vscode-button", { hasText: "Refresh" }).click();
    await until("the action is sent", () => host.sent.length === 2);
    assert.deepEqual(host.sent[1], {
      protocol: 1,
      verb: "notify",
      type: "action",
      action: "refresh",
    });
  });
});
