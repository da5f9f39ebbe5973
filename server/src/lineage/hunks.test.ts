import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns, fuzzSeed } from "../../../test/support/base/fuzz.ts";
import { HarnessError } from "../base/errors.ts";
import { readChanges, withHunks } from "./hunks.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeTestRepository } from "../../../test/support/lineage/repository.ts";
import { createProposal, type FileEdit } from "./versions.ts";

describe("hunks", function () {
  this.timeout(60_000);
  let made: ReturnType<typeof makeTestRepository>;
  let repository: Repository;
  let number = 0;
  before(async () => {
    made = makeTestRepository({ "a.yaml": "one\ntwo\nthree\nfour\n", "b.txt": "no end", "c.bin": "x" });
    repository = await openRepository(made.root);
  });
  after(() => made.dispose());

  const propose = async (edits: readonly FileEdit[], parent = made.git("rev-parse", "HEAD")) => {
    const id = `p${++number}`;
    const at = new Date(Date.UTC(2026, 0, 1));
    const { commit } = await createProposal(repository, {
      domain: "swe",
      id,
      parent,
      edits,
      message: id,
      at,
    });
    return { parent, commit, changes: await readChanges(repository, parent, commit) };
  };

  it("are one per run of changed lines, with independent ids", async () => {
    const both = await propose([{ path: "a.yaml", content: "ONE\ntwo\nthree\nFOUR\nfive\n" }]);
    const [first, last] = both.changes[0]?.hunks ?? [];
    assert.deepEqual([first?.removed, first?.added, first?.baseStart], [["one\n"], ["ONE\n"], 0]);
    assert.deepEqual([last?.removed, last?.added, last?.baseStart], [["four\n"], ["FOUR\n", "five\n"], 3]);
    const alone = await propose([{ path: "a.yaml", content: "one\ntwo\nthree\nFOUR\nfive\n" }]);
    assert.equal(alone.changes[0]?.hunks[0]?.id, last?.id);
  });

  const cases: [string, FileEdit, (string | null)[]][] = [
    ["a new file", { path: "new.yaml", content: "a: 1\n" }, [null, "a: 1\n"]],
    ["a deleted file", { path: "a.yaml", content: null }, ["one\ntwo\nthree\nfour\n", null]],
    ["a file without a last line end", { path: "b.txt", content: "no end\nnow" }, ["no end", "no end\nnow"]],
    ["an emptied file", { path: "b.txt", content: "" }, ["no end", ""]],
    ["carriage returns", { path: "b.txt", content: "a\r\nb\r\n" }, ["no end", "a\r\nb\r\n"]],
  ];
  for (const [what, edit, [none, all]] of cases)
    it(`can be taken or left for ${what}`, async () => {
      const [change] = (await propose([edit])).changes;
      assert.ok(change);
      assert.equal(change.hunks.length, 1);
      assert.equal(withHunks(change, new Set()), none);
      assert.equal(withHunks(change, new Set(change.hunks.map((h) => h.id))), all);
    });

  it("are refused for a file that has no lines", () =>
    assert.rejects(propose([{ path: "c.bin", content: Buffer.from([0, 255]) }]), (e) =>
      HarnessError.is(e, "badInput"),
    ));

  it("add up to the proposal when the rest is taken later", async () => {
    const line = fc.constantFrom("a", "b", "c", "");
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((l) => `${l}\n`).join(""));
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        fc.array(fc.boolean(), { minLength: 13 }),
        async (base, proposed, coins) => {
          fc.pre(base !== proposed);
          const start = await propose([{ path: "f.txt", content: base }]);
          const [change] = (await propose([{ path: "f.txt", content: proposed }], start.commit)).changes;
          assert.ok(change);
          const taken = change.hunks.filter((_, i) => coins[i] === true);
          const left = change.hunks.filter((hunk) => !taken.includes(hunk));
          const some = withHunks(change, new Set(taken.map((h) => h.id))) ?? "";
          // Lines that were taken before move what is left down or up.
          const moved = left.map((hunk) => ({
            ...hunk,
            baseStart:
              hunk.baseStart +
              taken
                .filter((t) => t.baseStart < hunk.baseStart)
                .reduce((sum, t) => sum + t.added.length - t.removed.length, 0),
          }));
          const rest = { ...change, base: some, proposed: "not asked for", hunks: [...moved, noHunk] };
          assert.equal(withHunks(rest, new Set(moved.map((h) => h.id))), left.length === 0 ? some : proposed);
        },
      ),
      { numRuns: Math.min(fuzzRuns(), 25), ...fuzzSeed(7) },
    );
  });
});

/** One that is never taken, so that a text is made of hunks although all others are. */
const noHunk = { id: "none", baseStart: 0, proposedStart: 0, removed: [], added: [] };
