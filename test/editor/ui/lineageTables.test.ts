import assert from "node:assert/strict";
import { lineageProtocol } from "../../../shared/protocol/views/lineage.ts";
import { peopleFixture } from "./compareFixture.ts";
import { freshLineage, lineageFixture, pageMessages, versionRow } from "./lineageFixture.ts";
import { ViewHost } from "./viewHost.ts";

describe("labels and items by version in the lineage panel", () => {
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
  const protocol = lineageProtocol;

  it("shows labels by version, folded where they are on the same rollouts, and opens the rollouts of a cell", async () => {
    await load();
    await button("Labels").click();
    const grid = host.page.getByRole("grid", { name: "Share of the rollouts with each label" });
    await grid.waitFor();
    const names = await grid.getByRole("rowheader").allInnerTexts();
    assert.deepEqual(
      names.map((text) => text.replace(/\s+/g, " ")),
      ["history-leak", "echo-trap +1", "dead-group groups"],
    );
    await grid
      .getByRole("gridcell", { name: "14.0 %, echo-trap in v6: 14.0 % of its rollouts, over its warning" })
      .click();
    await host.sends({ protocol, type: "evidence", name: "v6", label: "echo-trap" });
    await host.page.keyboard.press("ArrowDown");
    await host.page.keyboard.press("ArrowRight");
    await host.page.keyboard.press("Enter");
    await host.sends({ protocol, type: "evidence", name: "v7", label: "dead-group" });
    await grid.getByRole("button", { name: "⊘ v1-leak" }).click();
    await host.sends({ protocol, type: "compare", names: ["v1-leak"] });
    assert.deepEqual(await host.violations(), []);
    await host.shot("labels");
    assert.deepEqual(await host.faults({ answers: [".matrix .row"] }), []);
  });

  it("says beside each label how right it is by people's answers, in the details, in rows and in the table by version", async () => {
    await load();
    const says =
      /^people, held-out items: precision 75\.0 % \[30\.1, 95\.4\] \(3 of 4 right\), recall unknown/;
    await row("v6").click();
    await host.page.locator(".details", { hasText: "echo-trap" }).waitFor();
    assert.equal(await host.page.locator(".people:visible").count(), 0, "nobody answered yet");
    await host.post({ protocol: lineageProtocol, type: "people", people: peopleFixture });
    await host.page.locator(".details dd .people").waitFor();
    assert.match(await host.page.locator(".details dd .people").innerText(), says);
    const cell = row("v6").locator(".cell.labels");
    assert.match(
      (await cell.getAttribute("title")) ?? "",
      /\becho-trap: people, held-out items: precision 75\.0/,
    );
    assert.deepEqual(await host.violations(), []);
    await button("Labels").click();
    const grid = host.page.getByRole("grid", { name: "Share of the rollouts with each label" });
    await grid.waitFor();
    assert.match(
      await host.page.locator(".tables .people").innerText(),
      /^echo-trap: people, held-out items: precision 75\.0/,
    );
    const named = grid.getByRole("rowheader", { name: "echo-trap" });
    assert.match((await named.getAttribute("title")) ?? "", /people, held-out items: precision 75\.0/);
    assert.deepEqual(await host.violations(), []);
    await host.shot("labels-people");
    // Of items there is nothing that people could have been asked about.
    await button("Items").click();
    await host.page.locator(".tables .people").waitFor({ state: "hidden" });
  });

  it("shows thousands of items by version, opens the rollouts of a cell, and compares two", async () => {
    const items = (versions: readonly string[]) => ({
      ...{ versions, invalid: [], older: 0, split: "selection", total: 9000 },
      items: Array.from({ length: 2000 }, (_, i) => ({
        item: `item-${i}`,
        changes: i < 3 ? 3 - i : 0,
        cells: versions.map((_name, k) => (k === 1 ? null : { passes: (i + k) % 5, known: 4, rollouts: 4 })),
      })),
    });
    await host.load({
      kept: { ...freshLineage, layout: "items" },
      answer: (message) =>
        message.type === "ready"
          ? pageMessages(lineageFixture, 25_000)
          : message.type === "items"
            ? [
                {
                  ...{ protocol, type: "items", id: message["id"] },
                  answer: { type: "items", items: items(message["versions"] as string[]) },
                },
              ]
            : [],
    });
    const cell = (name: string) => host.page.getByRole("gridcell", { name });
    await cell("0/4, item-0 in v0").click();
    await host.sends({ protocol, type: "cells", cells: [{ version: "v0", item: "item-0" }] });
    assert.ok((await host.page.locator(".matrix .space .row").count()) < 80, "only what is in view");
    assert.equal(await host.page.locator(".matrix .cell.void").first().isVisible(), true);
    await host.page.keyboard.press("Space");
    await host.page.getByRole("status").getByText("Marked: item-0 in v0").waitFor();
    await host.page.keyboard.press("End");
    await host.page.keyboard.press("Space");
    await host.sends({
      protocol,
      type: "cells",
      cells: [
        { version: "v0", item: "item-0" },
        { version: "v0", item: "item-1999" },
      ],
    });
    assert.deepEqual(await host.violations(), []);
    await host.shot("items");
    assert.deepEqual(await host.faults({ answers: [".matrix .row"] }), []);
  });
});
