import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { archiveStatus } from "../store/archiveStatus.ts";
import { ensureFeatures } from "../store/derived.ts";
import { ingestFile } from "./ingest.ts";
import { writeLabels } from "../labels/labels.ts";
import { readRollout } from "../queries/readRollout.ts";
import { forget, trim } from "./retention.ts";
import { searchRollouts } from "../queries/search.ts";
import { rebuildStore, type Store } from "../archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";

describe("retention", function () {
  this.timeout(60_000); // real files and processes on a machine that may be busy
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  const bring = async (
    path: string,
    version: string,
    rollouts: readonly Partial<Rollout>[],
    run?: string,
  ): Promise<void> => {
    await writeFile(
      path,
      rollouts.map((r, i) => toLine(makeRollout({ id: `r-${i}`, run: run ?? version, ...r }))).join("") +
        "bad\n",
    );
    await ingestFile(store, {
      path,
      kind: "rollouts",
      version,
      ...(run === undefined ? {} : { run }),
    });
  };
  const held = async (): Promise<unknown[]> =>
    (
      await store.query({
        sql: `SELECT version, run, count(*) AS n FROM rollouts GROUP BY ALL ORDER BY ALL`,
        params: [],
      })
    ).map((row) => `${String(row["version"])}/${String(row["run"])} ${String(row["n"])}`);
  const rebuild = async (): Promise<void> => {
    await store.close();
    ({ store } = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root }));
  };

  it("forgets a version until its file is read again", async () => {
    for (const version of ["a", "b"]) await bring(workspace.file(`${version}.jsonl`), version, [{}, {}]);
    await ensureFeatures(store);
    await writeLabels(store, { label: "x", revision: "1", labels: [{ run: "a", id: "r-0", turns: [] }] });
    assert.deepEqual(await forget(store, { version: "a" }), {
      sources: [{ path: "a.jsonl", whole: true }],
      rollouts: 2,
      turns: 6,
      metrics: 0,
      scores: 0,
      quarantined: 1,
      deletedFiles: [],
      keptFiles: [],
    });
    await assert.rejects(forget(store, { version: "a" }), (e) => HarnessError.is(e, "notFound"));
    assert.deepEqual(await held(), ["b/b 2"]);
    await rebuild();
    assert.deepEqual(await held(), ["b/b 2"]);
    const path = workspace.file("a.jsonl");
    await ingestFile(store, { path, kind: "rollouts", version: "a" });
    assert.deepEqual(await held(), ["a/a 2", "b/b 2"]);
    await rebuild();
    assert.deepEqual(await held(), ["a/a 2", "b/b 2"]);
    await store.close();
  });

  it("forgets one run of a file with several, including lines that are written later", async () => {
    const path = workspace.file("both.jsonl");
    await bring(
      path,
      "v",
      [{ run: "one" }, { run: "two", id: "x" }, { run: "one" }].map((r, i) => ({ ...r, id: `${i}` })),
    );
    const { sources, rollouts, quarantined } = await forget(store, { run: "one" });
    assert.deepEqual([sources, rollouts, quarantined], [[{ path: "both.jsonl", whole: false }], 2, 0]);
    assert.deepEqual(await held(), ["v/two 1"]);
    const more = ["one", "two"].map((run) => toLine(makeRollout({ run, id: "later" }))).join("");
    await writeFile(path, more, { flag: "a" });
    await ingestFile(store, { path, kind: "rollouts", version: "v" });
    assert.deepEqual(await held(), ["v/two 2"]);
    await rebuild();
    assert.deepEqual(await held(), ["v/two 2"]);
    await store.close();
  });

  it("deletes files on request, and only inside the evidence folder", async () => {
    const outside = await mkdtemp(join(tmpdir(), "evotrainer-outside-"));
    try {
      const [inner, outer, link] = [
        workspace.file("in.jsonl"),
        join(outside, "out.jsonl"),
        workspace.file("link.jsonl"),
      ];
      await bring(inner, "a", [{}], "r1");
      await bring(outer, "a", [{}], "r2");
      await writeFile(join(outside, "linked.jsonl"), toLine(makeRollout({ run: "r3" })));
      await symlink(join(outside, "linked.jsonl"), link);
      await ingestFile(store, { path: link, kind: "rollouts", version: "a", run: "r3" });
      const result = await forget(store, { version: "a" }, { deleteFiles: true });
      assert.deepEqual(result.deletedFiles, ["in.jsonl"]);
      const reason = "it lies outside the evidence folder";
      assert.deepEqual(result.keptFiles, [
        { path: outer, reason },
        { path: "link.jsonl", reason },
      ]);
      assert.deepEqual(
        await Promise.all([inner, outer, join(outside, "linked.jsonl")].map((file) => exists(file))),
        [false, true, true],
      );
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("trims the text of the train split by version and age, and a rebuild restores it", async () => {
    const rollouts = [
      { id: "old", started_at: "2026-01-01T00:00:00.000Z" },
      { id: "new", started_at: "2026-03-01T00:00:00.000Z" },
      { id: "when", started_at: "yesterday" },
      { id: "held", split: "selection" as const, started_at: "2026-01-01T00:00:00.000Z" },
    ];
    for (const version of ["a", "b"]) await bring(workspace.file(`${version}.jsonl`), version, rollouts);
    const trimmed = async (): Promise<string[]> => {
      const names: string[] = [];
      for (const version of ["a", "b"])
        for (const { id } of rollouts) {
          const found = await readRollout(store, { within: version, id });
          const texts = found.rollout.turns.map((t) => t.text).join("");
          assert.equal(texts === "", found.trimmed === true);
          if (found.trimmed === true) names.push(`${version}/${id}`);
        }
      return names;
    };
    assert.deepEqual(await trimmed(), []);
    const startedBefore = new Date("2026-02-01");
    assert.deepEqual(await trim(store, { versions: ["a"], startedBefore }), { rollouts: 1, turns: 3 });
    assert.deepEqual(await trimmed(), ["a/old"]);
    assert.deepEqual(await trim(store, { versions: ["a", "b"] }), { rollouts: 5, turns: 15 });
    assert.deepEqual(await trim(store, { versions: ["a", "b"] }), { rollouts: 0, turns: 0 });
    assert.deepEqual(await trimmed(), ["a/old", "a/new", "a/when", "b/old", "b/new", "b/when"]);
    const text = { kind: "literal", pattern: "Fix it", ignoreCase: false } as const;
    assert.deepEqual((await searchRollouts(store, { split: "train", text })).hits, []);
    assert.equal((await searchRollouts(store, { split: "selection", text })).hits.length, 2);
    const [first] = (await archiveStatus(store)).versions;
    assert.deepEqual(first, {
      version: "a",
      files: 1,
      rollouts: 4,
      turns: 12,
      trimmedTurns: 9,
      metrics: 0,
      quarantined: 1,
    });
    await rebuild();
    assert.deepEqual(await trimmed(), []);
    await rm(workspace.file("a.jsonl"));
    assert.deepEqual((await archiveStatus(store)).missingFiles, ["a.jsonl"]);
    await store.close();
  });
});
