import assert from "node:assert/strict";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { serviceViewProtocol } from "../../../shared/protocol/views/serviceView.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const nasty = "\u202egnp.exe <img src=x onerror=alert(1)>";
const items: ServiceResult<"versions.items"> = {
  versions: ["v1", "v2-linear", "v3"],
  invalid: ["v3"],
  older: 2,
  split: "selection",
  total: 101,
  items: [
    {
      item: "repair-07",
      changes: 2,
      cells: [
        { passes: 0, known: 4, rollouts: 4 },
        { passes: 4, known: 4, rollouts: 4 },
        { passes: 1, known: 3, rollouts: 4 },
      ],
    },
    {
      item: nasty,
      changes: 0,
      cells: [{ passes: 2, known: 4, rollouts: 4 }, null, { passes: 3, known: 4, rollouts: 4 }],
    },
  ],
};

describe("view of items", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("items");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });
  const load = (reply: object, theme: Theme = "dark"): Promise<void> =>
    host.load({
      theme,
      answer: ({ type, id }) => (type === "ask" ? [{ protocol: serviceViewProtocol, id, ...reply }] : []),
    });

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows how often every item was solved in each version, in a ${theme} theme`, async () => {
      await load({ type: "answer", value: items }, theme);
      const rows = host.page.locator("tbody tr");
      await rows.first().waitFor();
      assert.deepEqual(await rows.first().locator("th, td").allInnerTexts(), [
        "repair-07",
        "2",
        "0/4",
        "4/4",
        "1/3?",
      ]);
      // A version that is not valid solved nothing that counts: no shade, and its number is struck through.
      assert.equal(await host.page.locator("thead th").last().innerText(), "⊘ v3");
      const struck = rows.first().locator("td.struck button", { hasText: "1/3?" });
      assert.match(await struck.evaluate((at) => getComputedStyle(at).textDecoration), /line-through/);
      assert.equal(await rows.first().locator("td.struck[class*=share]").count(), 0);
      await host.page.getByText("2 older versions are not shown.").waitFor();
      assert.equal(await host.page.locator("img").count(), 0);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark") assert.deepEqual(await host.faults({ answers: ["tbody tr"] }), []);
    });

  it("folds columns once for a width, and moves nothing where as many have room as before", async () => {
    const versions = Array.from({ length: 9 }, (_, i) => `v${i}-${"long".repeat(i)}`);
    const cells = versions.map(() => ({ passes: 1, known: 4, rollouts: 4 }));
    const many = Array.from({ length: 100 }, (_, i) => ({ item: `repair-${i}`, changes: 1, cells }));
    await load({ type: "answer", value: { ...items, versions, invalid: [], items: many } });
    const { page } = host;
    await page.locator("tbody tr").first().waitFor();
    await page.evaluate(
      "window.moved = 0; new MutationObserver((all) => { window.moved += all.length; }).observe(document.querySelector('table'), { childList: true, subtree: true })",
    );
    const movedAt = async (width: number): Promise<number> => {
      await page.setViewportSize({ width, height: 700 });
      const frames =
        "new Promise((done) => { let n = 0; const next = () => n++ < 4 ? requestAnimationFrame(next) : done(window.moved); requestAnimationFrame(next); })";
      const moved = Number(await page.evaluate(frames));
      await page.evaluate("window.moved = 0");
      return moved;
    };
    await movedAt(1000);
    assert.equal(await movedAt(996), 0);
    const once = await movedAt(400);
    // Each row gets one line for what was folded, and each folded cell is moved once.
    assert.ok(once > 0 && once < 100 * 40, `${once} changes`);
    assert.equal(await page.locator("tr.more").count(), 100);
  });

  it("opens the rollouts that a number was counted from, and asks for more items and for what has changed", async () => {
    await load({ type: "answer", value: items });
    await host.page.getByRole("button", { name: "4/4" }).click();
    await host.page.getByText("Show 99 more").click();
    await host.post({ protocol: serviceViewProtocol, type: "changed" });
    while (host.sent.length < 5) await host.page.evaluate("0");
    const protocol = serviceViewProtocol;
    assert.deepEqual(host.sent, [
      { protocol, type: "ask", id: 1, params: { limit: 100 } },
      { protocol, type: "ready" },
      { protocol, type: "evidence", query: { version: "v2-linear", item: "repair-07" } },
      { protocol, type: "ask", id: 2, params: { limit: 200 } },
      { protocol, type: "ask", id: 3, params: { limit: 200 } },
    ]);
  });

  it("says why there is nothing, and drops an answer that a later question has overtaken", async () => {
    await load({ type: "refused", message: "There is no evidence yet." });
    await host.page.getByText("There is no evidence yet.").waitFor();
    await host.post({ protocol: serviceViewProtocol, type: "answer", id: 0, value: items });
    await host.post({ protocol: serviceViewProtocol, type: "answer", id: 1, value: { odd: true } });
    await host.page.getByText("could not be read").waitFor();
    assert.equal(await host.page.locator("table").count(), 0);
  });
});
