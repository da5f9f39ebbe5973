import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import { rebuildStore, type Store } from "../../evidence/archive/store.ts";
import { forget } from "../../evidence/ingest/retention.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { importEvidence, type ImportReport } from "../importing/importEvidence.ts";
import { scoresOf } from "./scoreAlone.ts";

describe("scores that are imported without rollouts", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function bring(name: string, text: string, as?: string): Promise<ImportReport> {
    const path = workspace.file(name);
    await writeFile(path, text);
    return importEvidence(
      store,
      { paths: [path], as },
      { diagnostics: [], domain: "imported", signal: new AbortController().signal },
    );
  }
  const reasons = (report: ImportReport): string[] => report.problems.map(({ reason }) => reason);

  const table = [
    { version: "v1", score: 0.31, n: 616, items: 77, seeds: 1, set: "swe" },
    { version: "v8", score: 0.38, n: 616, items: 77, seeds: 1, set: "swe" },
  ];
  const texts: Readonly<Record<string, string>> = {
    "scores.json": JSON.stringify({ scores: table }),
    "paper.scores.yaml": `- { version: v1, score: 0.31, n: 616, items: 77, seeds: 1, set: swe }
- { version: v8, score: 0.38, n: 616, items: 77, seeds: 1, set: swe }
`,
    "scores.csv": "version,score,n,items,seeds,set\nv1,0.31,616,77,1,swe\nv8,.38,616,77,1,swe\n",
    "scores.tsv":
      "version\tscore\tn\titems\tseeds\tset\nv1\t0.31\t616\t77\t1\tswe\nv8\t0.38\t616\t77\t1\tswe\n",
  };
  for (const [name, text] of Object.entries(texts))
    it(`come from ${name}`, async () => {
      const report = await bring(name, text);
      assert.deepEqual([report.scores, report.rollouts, report.quarantined], [2, 0, 0]);
      assert.deepEqual(await scoresOf(store, "v8"), [
        {
          ...{ score: 0.38, n: 616, unknown: 0, items: 77, fewest: 77, bySeed: [], seeds: 1 },
          ...{ set: "swe", from: "reported" },
        },
      ]);
      assert.deepEqual(await scoresOf(store, "v9"), []);
    });

  it("set aside rows that are not a share, have unknown columns, or repeat another row", async () => {
    const rows = [
      { version: "a", score: 38.2, n: 10 },
      { version: "a", score: 0.5, n: 10, sead: 1 },
      { version: "a", score: 0.5, n: 10 },
      { version: "a", score: 0.6, n: 10 },
      { version: "a", score: 0.5, n: 10, items: 11, set: "x" },
      { version: "a", n: 10 },
    ];
    const found = reasons(await bring("scores.json", JSON.stringify(rows)));
    assert.equal(found.length, 5);
    assert.match(found[0] ?? "", /^score must be a share from 0 to 1, not 38\.2/);
    assert.match(found[1] ?? "", /^a score has no sead; it has version, score, n, items,/);
    assert.match(found[2] ?? "", /^row 3 already has a score of a for the same set and seed/);
    assert.match(found[3] ?? "", /^items: 11 items cannot have only 10 rollouts/);
    assert.match(found[4] ?? "", /^score: /);
  });

  it("are one mean over the rows of the seeds, and none where two files say different things", async () => {
    const seeds = [0.2, 0.4].map((score, i) => ({ version: "s", score, n: 100, items: 50, seed: i + 1 }));
    await bring("scores.json", JSON.stringify(seeds));
    const [joined] = await scoresOf(store, "s");
    assert.ok(joined !== undefined && Math.abs(joined.score - 0.3) < 1e-12);
    assert.deepEqual([joined.n, joined.items, joined.bySeed, joined.seeds], [200, 50, [0.2, 0.4], 2]);
    await bring("other.scores.json", JSON.stringify([{ version: "s", score: 0.9, n: 100 }]));
    await assert.rejects(
      scoresOf(store, "s"),
      (e) => HarnessError.is(e, "notComparable") && /3 scores that stand for the same/.test(e.message),
    );
  });

  it("of a version with rollouts are those of its rollouts, as far as those of an item agree", async () => {
    const rollouts = (["pass", "pass", "fail", "unknown"] as const).map((outcome, i) =>
      makeRollout({
        ...{ id: `r${i}`, run: "r", split: "selection", item: `i${i >> 1}`, group: `g${i}` },
        outcome,
        ...(outcome === "unknown" ? { unknown_reason: "sandbox" } : {}),
      }),
    );
    await bring("r.jsonl", rollouts.map(toLine).join(""));
    const [found] = await scoresOf(store, "r");
    assert.deepEqual(
      [found?.n, found?.unknown, found?.items, found?.from, found?.set],
      [3, 1, 2, "rollouts", null],
    );
  });

  it("change with the file, come back with a rebuild, and can be forgotten", async () => {
    await bring("scores.json", JSON.stringify(table));
    await bring("scores.json", JSON.stringify(table.map((row) => ({ ...row, score: 0.5 }))));
    assert.equal((await scoresOf(store, "v1"))[0]?.score, 0.5);
    const { path, evidenceRoot, log } = store;
    await store.close();
    store = (await rebuildStore({ path, evidenceRoot, log })).store;
    assert.equal((await scoresOf(store, "v1"))[0]?.score, 0.5);
    await forget(store, { run: "scores" });
    assert.deepEqual(await scoresOf(store, "v1"), []);
    await store.close();
    store = await workspace.open();
  });
});
