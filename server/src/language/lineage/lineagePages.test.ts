import assert from "node:assert/strict";
import type { LineageReport, VersionReport } from "../../../../shared/ledger/lineage.ts";
import { LineagePage } from "../../../../shared/protocol/views/lineage.ts";
import { LineageTable } from "../../../../shared/protocol/views/lineageTable.ts";
import type { LineageOutline } from "../../lineage/lineageOutline.ts";
import { lineagePages } from "./lineagePages.ts";

const version = (name: string, more: Partial<VersionReport> = {}): VersionReport => ({
  name,
  commit: "",
  parent: null,
  generation: 0,
  factor: null,
  intervention: null,
  author: null,
  title: `title of ${name}`,
  hypothesis: null,
  backtest: null,
  score: null,
  low: null,
  high: null,
  measured: null,
  cleanScore: null,
  audit: null,
  decision: "keep",
  reason: "",
  comparison: null,
  evidence: [],
  labels: [],
  signals: {},
  failure: null,
  promoted: false,
  promotion: null,
  origin: null,
  alias: null,
  tags: [],
  notes: [],
  at: "2026-01-01T00:00:00.000Z",
  ...more,
});

/** Somebody who asks until all has come, and how many versions each answer brought. */
function asker(report: { now: LineageReport }) {
  const pages = lineagePages();
  const table = new LineageTable();
  let since = 0;
  return {
    table,
    ask: async (): Promise<number[]> => {
      const brought: number[] = [];
      for (let below: number | undefined; ;) {
        const epoch = table.epoch;
        const known = epoch === "" ? {} : { epoch, since };
        const page = LineagePage.parse(
          JSON.parse(
            JSON.stringify(
              await pages("/p", { ...known, ...(below === undefined ? {} : { below }) }, () =>
                Promise.resolve(outlineOf(report.now)),
              ),
            ),
          ),
        );
        if (page.epoch !== epoch) since = 0;
        table.apply(page);
        brought.push(page.index.length);
        below = page.index.at(-1);
        if (page.rest > 0 && below !== undefined) continue;
        since = page.revision;
        return brought;
      }
    },
  };
}

const outlineOf = ({ versions, ...about }: LineageReport): LineageOutline => ({
  ...about,
  versions: versions.map((v) => ({ name: v.name, parent: v.parent, report: () => v })),
});

const reportOf = (versions: VersionReport[]): LineageReport => ({ project: "p", domain: "swe", versions });

describe("pages of a lineage", () => {
  it("bring everything once, the newest first, and after that only what changed", async () => {
    const line = Array.from({ length: 9_001 }, (_, i) =>
      version(`v${i}`, { parent: i === 0 ? null : `v${i - 1}`, score: i / 10_000 }),
    );
    const report = { now: reportOf(line) };
    const { table, ask } = asker(report);
    assert.deepEqual(await ask(), [4000, 4000, 1001]);
    assert.equal(table.total, 9_001);
    assert.equal(table.version(0)?.name, "v0");
    assert.equal(table.version(9_000)?.parent, "v8999");
    assert.deepEqual(await ask(), [0]);
    report.now = reportOf([
      ...line.map((v) => (v.name === "v5" ? { ...v, tags: ["seen"] } : v)),
      version("next", { parent: "v9000", decision: "pending" }),
    ]);
    assert.deepEqual(await ask(), [2]);
    assert.deepEqual(table.version(5)?.tags, ["seen"]);
    assert.equal(table.version(9_001)?.decision, "pending");
    assert.equal(table.head, 9_000);
  });

  it("keep every field", async () => {
    const whole = version("v1", {
      factor: "reward",
      author: "ada",
      score: 0.5,
      low: 0.4,
      high: 0.6,
      decision: "invalid",
      reason: "two\nlines \u001f and a separator",
      promoted: true,
      alias: "best",
      tags: ["a"],
      notes: [{ at: "2026-01-02T00:00:00.000Z", by: "ada", text: "good" }],
      labels: [
        { name: "leak", rate: 0.25, alert: "critical" },
        { name: "echo", rate: 0, alert: null },
        { name: "history", rate: 0.24, alert: null, under: "leak" },
      ],
      measured: { metric: "val_bpb", value: 0.98765432, direction: "lower", unit: null },
    });
    const { table, ask } = asker({ now: reportOf([version("v0"), whole]) });
    await ask();
    const shown = table.version(1);
    assert.ok(shown);
    assert.equal(shown.measured, "val_bpb 0.987654");
    assert.equal(shown.reason, "two\nlines   and a separator");
    for (const field of [
      "factor",
      "author",
      "score",
      "low",
      "high",
      "decision",
      "promoted",
      "alias",
      "at",
    ] as const)
      assert.equal(shown[field], whole[field], field);
    for (const field of ["tags", "notes", "labels"] as const)
      assert.deepEqual(shown[field], whole[field], field);
  });

  it("start again when versions have moved", async () => {
    const report = { now: reportOf([version("v0"), version("v1", { parent: "v0" })]) };
    const { table, ask } = asker(report);
    await ask();
    report.now = reportOf([version("v0"), version("x", { parent: "v0" }), version("v1", { parent: "x" })]);
    assert.deepEqual(await ask(), [3]);
    assert.deepEqual(table.name, ["v0", "x", "v1"]);
    report.now = reportOf([version("v0")]);
    assert.deepEqual(await ask(), [1]);
    assert.deepEqual(table.name, ["v0"]);
    assert.equal(table.find("v1"), undefined);
  });
});
