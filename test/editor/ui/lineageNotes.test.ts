import assert from "node:assert/strict";
import { lineageProtocol } from "../../../shared/protocol/views/lineage.ts";
import { testPage } from "../../support/lineage/lineageTable.ts";
import { until } from "../launcher/workbench.ts";
import { lineageFixture, pageMessages, versionRow } from "./lineageFixture.ts";
import { ViewHost } from "./viewHost.ts";

describe("what people write about versions in the lineage panel", () => {
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

  const load = (): Promise<void> =>
    host.load({
      kept,
      answer: ({ type }) => (type === "ready" ? pageMessages(lineageFixture, 25_000) : []),
    });
  const row = (name: string) => versionRow(host, name);
  const button = (text: string) =>
    host.page.locator("vscode-button:not([hidden])", { hasText: text }).first();

  it("saves notes, tags and names, and keeps unfinished text when the lineage changes", async () => {
    await load();
    await row("v5").click();
    await host.page.locator("textarea").fill("try again with less");
    const versions = lineageFixture.map((v) => (v.name === "v5" ? { ...v, tags: ["again"] } : v));
    const page = testPage(versions, { project: "swe-9b", domain: "swe", only: ["v5"], revision: 2 });
    await host.post({ protocol: lineageProtocol, type: "page", page });
    await host.page.locator(".details .chip", { hasText: "#again" }).waitFor();
    assert.equal(await host.page.locator("textarea").inputValue(), "try again with less");
    await button("Add Note").click();
    await until("the note is sent", () => host.sent.length > 1);
    assert.deepEqual(host.sent.at(-1), {
      protocol: lineageProtocol,
      type: "note",
      name: "v5",
      what: "text",
      value: "try again with less",
    });
    // The engine did not take it. What was written about a version that is not shown any more waits for it.
    const refuse = (name: string, value: string): Promise<void> =>
      host.post({ protocol: lineageProtocol, type: "refusedNote", name, value });
    const field = host.page.locator("textarea");
    await field.fill("and");
    await refuse("v5", "try again with less");
    await refuse("v6", "too long");
    await until("it is back", async () => (await field.inputValue()) === "try again with less\nand");
    await row("v6").click();
    await until("that of v6 is back", async () => (await field.inputValue()) === "too long");
    // So does what was given back, and what is being written.
    await field.fill("too long, but");
    await row("v5").click();
    await until("that of v5 is back", async () => (await field.inputValue()) === "try again with less\nand");
    await row("v6").click();
    await until("the new text is back", async () => (await field.inputValue()) === "too long, but");
    // A version of the same name in another project has nothing of it.
    const inOther = testPage(lineageFixture, { project: "swe-9b", domain: "swe", epoch: "of b" });
    await host.post({ protocol: lineageProtocol, type: "page", root: "/b", page: inOther });
    await until("the field is empty", async () => (await field.inputValue()) === "");
    const again = testPage(versions, { project: "swe-9b", domain: "swe", revision: 2 });
    await host.post({ protocol: lineageProtocol, type: "page", page: again });
    await until("the text is there again", async () => (await field.inputValue()) === "too long, but");
    await row("v5").click();
    const before = host.sent.length;
    await host.page.locator(".details .chip", { hasText: "#again" }).click();
    await until("the tag is taken off", () => host.sent.length > before);
    assert.deepEqual(host.sent.at(-1), {
      protocol: lineageProtocol,
      type: "note",
      name: "v5",
      what: "untag",
      value: "again",
    });
  });

  it("keeps unfinished text while another tab covers the page, which is made anew then", async () => {
    await load();
    await row("v5").click();
    await host.page.locator("textarea").fill("try again with less");
    await row("v6").click();
    await host.page.locator("textarea").fill("sent");
    await button("Add Note").click();
    await until("the note is sent", () => host.sent.length > 1);
    kept = await host.uiState();
    await host.page.close();
    await load();
    await row("v6").click();
    assert.equal(await host.page.locator("textarea").inputValue(), "");
    await row("v5").click();
    assert.equal(await host.page.locator("textarea").inputValue(), "try again with less");
  });
});
