import assert from "node:assert/strict";
import type { ServiceResult } from "../../../shared/protocol/editorServices.ts";
import { serviceViewProtocol } from "../../../shared/protocol/views/serviceView.ts";
import { themes, type Theme } from "./themes.ts";
import { ViewHost } from "./viewHost.ts";

const none = {
  predicted: 0,
  hits: 0,
  withinNoise: 0,
  opposite: 0,
  notMeasured: 0,
  unforeseen: 1,
  precision: null,
  recall: 0,
  byChance: 0,
};
const checked = { parent: "v0", proposer: "catalogue", measured: true, risks: [], unforeseenFixes: [] };
const predictions: ServiceResult<"lineage.predictions"> = {
  versions: [
    { ...checked, version: "v1", fixes: [{ label: "echo-trap", result: "hit" }], unforeseenRisks: [] },
    {
      ...checked,
      version: "v2",
      fixes: [{ label: "abandon", result: "opposite" }],
      // It was to fall, and rose: that is told once.
      unforeseenRisks: ["\u202e<b>idle", "abandon"],
    },
    {
      ...checked,
      version: "v3",
      parent: "v9",
      measured: false,
      lacking: ["v3"],
      fixes: [{ label: "echo-trap", result: "not_measured" }],
      unforeseenRisks: [],
    },
    {
      ...checked,
      version: "v4",
      parent: "v1",
      measured: false,
      notValid: ["v4"],
      fixes: [{ label: "echo-trap", result: "not_measured" }],
      unforeseenRisks: ["leak"],
    },
    {
      ...checked,
      version: "v5",
      fixes: [],
      risks: [{ label: "abandon", result: "hit" }],
      unforeseenRisks: [],
    },
  ],
  proposers: [
    {
      proposer: "catalogue",
      versions: 3,
      measured: 2,
      fixes: {
        ...none,
        predicted: 12,
        hits: 6,
        opposite: 6,
        unforeseen: 0,
        precision: 0.5,
        recall: 1,
        byChance: 1.25,
      },
      risks: none,
    },
  ],
  problems: ["bad.diagnostic.yaml: kind is missing."],
};

describe("view of predictions", () => {
  let host: ViewHost;
  before(async () => {
    host = await ViewHost.start("predictions");
  });
  after(() => host.stop());
  afterEach(async () => {
    await host.page.close();
    assert.deepEqual(host.complaints, [], "the page complained");
  });
  const load = (value: unknown, theme: Theme = "dark"): Promise<void> =>
    host.load({
      theme,
      answer: ({ type, id }) =>
        type === "ask" ? [{ protocol: serviceViewProtocol, type: "answer", id, value }] : [],
    });

  for (const theme of Object.keys(themes) as Theme[])
    it(`shows the record of every proposer, then what came of each prediction, in a ${theme} theme`, async () => {
      await load(predictions, theme);
      const [record, versions] = [host.page.locator("table").first(), host.page.locator("table").nth(1)];
      await versions.waitFor();
      const textsOf = (table: typeof record): Promise<string[]> => table.locator("tbody tr").allInnerTexts();
      assert.deepEqual(await textsOf(record), [
        "catalogue\t2 of 3 measured\tfixes\t50.0 % of 12\t6 of 6\t1.25 hits",
        "catalogue\t2 of 3 measured\trisks\t–\t0 of 1\t–",
      ]);
      assert.deepEqual(
        (await textsOf(versions)).map((row) => row.replace(/\t\S*idle\t/, "\tidle\t")),
        [
          "v5\tabandon\tmay become more frequent\t△ came true",
          "v4\techo-trap\tbecomes rarer\t? v4 is not valid",
          "v4\tleak\tnot predicted\tbecame more frequent",
          "v3\techo-trap\tbecomes rarer\t? there are no rollouts of v3",
          "v2\tabandon\tbecomes rarer\t✗ the opposite",
          "v2\tidle\tnot predicted\tbecame more frequent",
          "v1\techo-trap\tbecomes rarer\t✓ came true",
        ],
      );
      assert.equal(
        await versions.locator(".colour-green").count(),
        1,
        "a risk that came true is no good news",
      );
      assert.equal(await host.page.locator("table b").count(), 0);
      assert.deepEqual(await host.violations(), []);
      if (theme === "dark") assert.deepEqual(await host.faults({ answers: ["tbody tr"] }), []);
    });

  it("opens the rollouts with the label, and names what was left out", async () => {
    await load(predictions);
    await host.page.getByRole("button", { name: "abandon" }).last().click();
    await host.page.getByText("Left out: bad.diagnostic.yaml: kind is missing.").waitFor();
    while (host.sent.length < 3) await host.page.evaluate("0");
    assert.deepEqual(host.sent.at(-1), {
      protocol: serviceViewProtocol,
      type: "evidence",
      query: { version: "v2", label: "abandon" },
    });
  });

  it("says so where nothing was predicted yet", async () => {
    await load({ versions: [], proposers: [], problems: [] });
    await host.page.getByText("No version has been proposed with a prediction yet.").waitFor();
    assert.equal(await host.page.locator("table").count(), 0);
  });
});
