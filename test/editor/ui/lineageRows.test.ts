import assert from "node:assert/strict";
import { lineageProtocol } from "../../../shared/protocol/views/lineage.ts";
import { until } from "../launcher/workbench.ts";
import { lineageFixture, pageMessages, shownVersions, versionRow, versionRows } from "./lineageFixture.ts";
import { ViewHost } from "./viewHost.ts";

describe("the rows of the lineage panel", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("lineage");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });

  const load = (): Promise<void> =>
    host.load({ answer: ({ type }) => (type === "ready" ? pageMessages(lineageFixture, 25_000) : []) });
  const row = (name: string) => versionRow(host, name);
  const button = (text: string) =>
    host.page.locator("vscode-button:not([hidden])", { hasText: text }).first();
  const shown = (): Promise<string[]> => shownVersions(host);
  const filter = () => host.page.locator('input[type="search"]');

  it("works with the keyboard alone: one tab stop, arrows move and fold, Space marks, Enter opens", async () => {
    await load();
    const list = host.page.locator(".scroller");
    await row("v9").waitFor();
    await list.focus();
    const active = async () => {
      const id = await list.getAttribute("aria-activedescendant");
      return (await host.page.locator(`[id="${id ?? ""}"]`).getAttribute("aria-label"))?.split(",")[0];
    };
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await host.page.keyboard.press(key);
    assert.equal(await active(), "v8");
    await host.page.keyboard.press("p");
    assert.equal(await active(), "v4");
    await host.page.keyboard.press("Space");
    await host.page.keyboard.press("ArrowUp");
    await host.page.keyboard.press("ArrowUp");
    await host.page.keyboard.press("Space");
    assert.equal(await active(), "v5");
    await host.page.keyboard.press("c");
    await until("both are compared", () => host.sent.length > 1);
    assert.deepEqual(host.sent.at(-1), { protocol: lineageProtocol, type: "compare", names: ["v4", "v5"] });
    await host.page.keyboard.press("ArrowLeft");
    await host.page.keyboard.press("ArrowLeft");
    await host.page.locator(`${versionRows}[aria-expanded="false"]`).waitFor();
    assert.equal(await row("v7").count(), 0);
    await host.page.keyboard.press("ArrowRight");
    await row("v7").waitFor();
    await host.page.keyboard.press("End");
    assert.equal(await active(), "v0");
    await host.page.keyboard.press("Enter");
    await until("it is opened", () => host.sent.length > 3);
    assert.deepEqual(host.sent.at(-1), { protocol: lineageProtocol, type: "compare", names: ["v0"] });
    await host.page.keyboard.press("/");
    assert.equal(await host.page.evaluate("document.activeElement.type"), "search");
    await host.shot("keys");
  });

  it("filters and sorts with one box, with menus and with headings, and the table shows the same versions as the graph", async () => {
    await load();
    await row("v9").waitFor();
    await filter().fill("status:rejected score>=0.31");
    await row("v9").waitFor({ state: "detached" });
    assert.deepEqual(
      (await shown()).filter((n) => n.startsWith("v")),
      ["v7", "v6"],
    );
    await button("Table").click();
    await host.page.locator(".as-table").waitFor();
    assert.deepEqual(await shown(), ["v7", "v6"]);
    await filter().fill("");
    await host.page.locator(".counts", { hasText: /^11 versions$/ }).waitFor();
    await host.page.locator('select[aria-label="Factor"]').selectOption("reward");
    assert.equal(await filter().inputValue(), "factor:reward");
    await host.page.locator(".counts", { hasText: "2 of 11" }).waitFor();
    await filter().fill("");
    await host.page.locator(".sort", { hasText: "Score" }).click();
    await host.page.locator('[aria-sort="descending"]').waitFor();
    assert.deepEqual((await shown()).slice(0, 3), ["v8", "v4", "v3"]);
    await filter().fill("sort:colour");
    await host.page.locator(".problem", { hasText: "cannot be sorted by" }).waitFor();
    assert.match(JSON.stringify(await host.uiState()), /sort:colour/);
  });

  it("shows one line alone, focuses on a subtree, hides another, and undoes each with a chip", async () => {
    await load();
    await row("v4").click();
    await button("Focus Subtree").click();
    await host.page.locator(".counts", { hasText: "6 of 11" }).waitFor();
    await button("Solo Its Line").click();
    await host.page.locator(".counts", { hasText: "10 of 11" }).waitFor();
    await host.page.locator(".chip", { hasText: "Line of v4" }).click();
    await row("v8").click();
    await button("Hide Subtree").click();
    await host.page.locator(".counts", { hasText: "9 of 11" }).waitFor();
    await host.shot("hidden");
    await host.page.locator(".chip", { hasText: "Hidden: v8" }).click();
    await host.page.locator(".counts", { hasText: /^11 versions$/ }).waitFor();
  });
});
