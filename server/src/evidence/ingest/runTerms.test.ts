import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import type { ClosedFile } from "../../../../shared/ledger/closing.ts";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import { digestFile } from "../../base/fileDigest.ts";
import { rebuildStore, type Store } from "../archive/store.ts";
import { countRollouts } from "../queries/query.ts";
import { quarantinedLines } from "../store/quarantine.ts";
import type { Asked, RunTerms } from "../store/runTerms.ts";
import { ingestFile } from "./ingest.ts";
import { takeOut } from "./takeOut.ts";

describe("a run's files against what the engine knows of the run", function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let store: Store;
  let path: string;
  let terms: { closed: RunTerms["closed"]; asked: Asked | null };
  const termsOf = (run: string) => Promise.resolve(run === "run-1" ? terms : undefined);
  beforeEach(async () => {
    terms = { closed: null, asked: null };
    workspace = await makeWorkspace();
    store = await workspace.open(termsOf);
    path = workspace.file("run-1/rollouts.jsonl");
    mkdirSync(dirname(path));
  });
  afterEach(() => workspace.remove());

  const ingest = () =>
    ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1", final: true });
  const line = (id: string, more: Partial<Rollout> = {}): string => toLine(makeRollout({ id, ...more }));
  const passes = async (of: Store = store): Promise<readonly [number, number]> => {
    const { pass, total } = await countRollouts(of, { split: "train" });
    return [pass, total];
  };
  const close = async (): Promise<void> => {
    const digest = await digestFile(path);
    assert.ok(digest?.stamp !== undefined);
    const file: ClosedFile = {
      name: "rollouts.jsonl",
      bytes: digest.bytes,
      sha256: digest.sha256,
      stamp: digest.stamp,
    };
    terms.closed = new Map([["rollouts.jsonl", file]]);
  };

  describe("that is closed", () => {
    it("count as they were closed, however often they are read", async () => {
      writeFileSync(path, line("a") + line("b", { outcome: "fail" }) + '{"id": "torn');
      await close();
      const first = await ingest();
      assert.deepEqual([first.rows, first.bad, first.change], [2, 1, undefined]);
      const again = await ingest();
      assert.deepEqual([again.rows, again.bad, again.change], [0, 0, undefined]);
    });

    it("are followed while they grow, and to the end once they are closed", async () => {
      const follow = () => ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1" });
      writeFileSync(path, line("a") + line("b").slice(0, 40));
      const first = await follow();
      assert.deepEqual([first.rows, first.pending], [1, 40]);
      appendFileSync(path, line("b").slice(40) + line("c"));
      assert.equal((await follow()).rows, 2);
      appendFileSync(path, line("d").trimEnd());
      assert.equal((await follow()).rows, 0);
      await close();
      const last = await follow();
      assert.deepEqual([last.rows, last.bad, last.change], [1, 0, undefined]);
      assert.deepEqual(await passes(), [4, 4]);
    });

    it("count as far as they were closed: what was added later is not read", async () => {
      writeFileSync(path, line("a"));
      await close();
      const added = line("b", { outcome: "fail" });
      appendFileSync(path, added);
      const { rows, change } = await ingest();
      assert.deepEqual(
        [rows, change?.what, change?.bytes],
        [1, "grown", Buffer.byteLength(line("a") + added)],
      );
      assert.deepEqual(await passes(), [1, 1]);
    });

    it("count as they were read when somebody rewrites them, with their old time", async () => {
      writeFileSync(path, line("a"));
      await close();
      await ingest();
      writeFileSync(path, line("a", { outcome: "fail" }));
      utimesSync(path, 1, 1);
      assert.equal((await ingest()).change?.what, "changed");
      assert.deepEqual(await passes(), [1, 1]);
    });

    it("count nowhere when somebody rewrote them before they were read", async () => {
      writeFileSync(path, line("a", { outcome: "fail" }));
      await close();
      writeFileSync(path, line("a", { outcome: "pass" }));
      assert.equal((await ingest()).change?.what, "changed");
      assert.deepEqual(await passes(), [0, 0]);
    });

    it("lose what was read of them when somebody rewrites them before all of it was", async () => {
      writeFileSync(path, line("a"));
      await ingest();
      appendFileSync(path, line("b"));
      await close();
      writeFileSync(path, line("a") + line("c", { outcome: "fail" }));
      assert.equal((await ingest()).change?.what, "changed");
      assert.deepEqual(await passes(), [0, 0]);
    });

    it("are whole again when the file is put back", async () => {
      writeFileSync(path, line("a"));
      await close();
      const whole = readFileSync(path);
      writeFileSync(path, line("x"));
      await ingest();
      rmSync(path);
      writeFileSync(path, whole);
      assert.deepEqual([(await ingest()).rows, (await ingest()).change], [1, undefined]);
    });

    it("count no file that came into the folder later, nor one of the run that lies elsewhere", async () => {
      terms.closed = new Map();
      writeFileSync(path, line("a"));
      const { rows, change } = await ingest();
      assert.deepEqual([rows, change?.what, change?.counts], [0, "grown", 0]);
      writeFileSync(path, line("a"));
      await close();
      path = workspace.file("elsewhere.jsonl");
      writeFileSync(path, line("b"));
      assert.deepEqual([(await ingest()).rows, await passes()], [0, [0, 0]]);
    });

    it("are held to it when the archive is rebuilt, which says so", async () => {
      writeFileSync(path, line("a"));
      await close();
      await ingest();
      appendFileSync(path, line("b", { outcome: "fail" }));
      await store.close();
      const rebuilt = await rebuildStore({ path: workspace.database, evidenceRoot: workspace.root, termsOf });
      try {
        assert.deepEqual(await passes(rebuilt.store), [1, 1]);
        assert.deepEqual(
          rebuilt.missing.map(({ path, reason }) => [
            path,
            /added [\d,]+ bytes to rollouts\.jsonl of the run/.test(reason),
          ]),
          [["run-1/rollouts.jsonl", true]],
        );
      } finally {
        await rebuilt.store.close();
      }
    });
  });

  describe("whose job was asked for certain rollouts", () => {
    const commit = "c".repeat(40);
    const sound = { harness: commit, seed: 1, split: "selection", item: "s1", step: 4 } as const;
    beforeEach(() => {
      terms.asked = {
        commit,
        seed: 1,
        splits: new Map([
          ["train", new Set(["t1"])],
          ["selection", new Set(["s1", "s2", "a long item, ünd not ASCII"])],
        ]),
        replaced: new Map(),
        samples: 2,
      };
    });
    /** What the parser reads, and what the scanner reads. */
    const forms: readonly (readonly [string, (text: string) => string])[] = [
      ["as the scanner takes it", (text) => text],
      // The scanner leaves a line with an escape in a name to the parser.
      ["as the parser takes it", (text) => text.replace('"id"', '"\\u0069d"')],
    ];
    const cases: readonly (readonly [string, Partial<Rollout>, RegExp | null])[] = [
      ["one that was asked for", {}, null],
      ["an item with a long name", { item: "a long item, ünd not ASCII" }, null],
      ["a training rollout", { split: "train", item: "t1", step: 1 }, null],
      ["one that says nothing of its origin", { harness: null, seed: null }, null],
      ["a harness that is no commit", { harness: "my harness" }, null],
      [
        "a split that was not asked for",
        { split: "audit", item: "a1" },
        /not asked for the audit split, only for train and selection/,
      ],
      ["an item of no split", { item: "easy" }, /the selection split has no item "easy"/],
      ["an item of another split", { item: "t1" }, /the selection split has no item "t1"/],
      ["an unknown training item", { split: "train", item: "s1" }, /the train split has no item "s1"/],
      ["another seed", { seed: 2 }, /seed is 2, but the job ran with seed 1/],
      ["another version", { harness: "d".repeat(40) }, /harness is d{40}, but the job ran the version c{40}/],
    ];
    for (const [form, write] of forms)
      for (const [title, claims, reason] of cases)
        it(`${reason === null ? "counts" : "sets aside"} ${title}, ${form}`, async () => {
          writeFileSync(path, write(line("x", { ...sound, ...claims })) + write(line("sound", sound)));
          const { rows, quarantined } = await ingest();
          assert.equal(rows, reason === null ? 2 : 1);
          assert.deepEqual(
            quarantined.map((q) => q.line),
            reason === null ? [] : [1],
          );
          if (reason !== null) assert.match(quarantined[0]?.reason ?? "", reason);
        });

    it("sets aside what another run has measured again since, behind lines that are wrong, and keeps the rest", async () => {
      const text = line("train", { ...sound, split: "train", item: "t1" }) + line("x", sound);
      writeFileSync(path, `${text}no json\n`);
      assert.deepEqual(
        [(await ingest()).rows, (await countRollouts(store, { split: "selection" })).total],
        [2, 1],
      );
      terms.asked = {
        ...(terms.asked ?? assert.fail()),
        replaced: new Map([["selection", "v1.selection.s1"]]),
      };
      await takeOut(store, path);
      const { rows } = await ingest();
      assert.deepEqual([rows, (await countRollouts(store, { split: "selection" })).total], [1, 0]);
      assert.equal((await countRollouts(store, { split: "train" })).total, 1);
      const [first, second, ...more] = await quarantinedLines(store);
      assert.deepEqual([first?.line, second?.line, more], [3, 2, []]);
      assert.match(second?.reason ?? "", /^measured again by the job v1\.selection\.s1, whose rollouts/);
    });

    for (const [form, write] of forms)
      it(`counts as many rollouts of an item at a step as the protocol has, ${form}`, async () => {
        const text = (id: string, more: Partial<Rollout> = {}): string =>
          write(line(id, { ...sound, ...more }));
        writeFileSync(
          path,
          text("1") + text("1") + text("2") + text("step", { step: 5 }) + text("s2", { item: "s2" }),
        );
        const first = await ingest();
        assert.deepEqual(
          [first.rows, first.quarantined.map((q) => q.line)],
          [4, [2]],
          "the second is a copy",
        );
        appendFileSync(path, text("3"));
        const second = await ingest();
        assert.deepEqual([second.rows, second.bad], [0, 1]);
        assert.match(second.quarantined[0]?.reason ?? "", /its item has 2 rollouts at this step already/);
        await store.close();
        store = await workspace.open(termsOf);
        appendFileSync(path, text("4") + text("t", { split: "train", item: "t1" }));
        assert.equal((await ingest()).rows, 1, "training may sample an item as often as it likes");
        assert.equal((await quarantinedLines(store)).length, 3);
      });
  });
});
