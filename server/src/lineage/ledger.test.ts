import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import { parseEntry } from "./entryContent.ts";
import { emptyLog } from "./entries/entryLog.ts";
import { ledgerRef, openLedger, type Ledger } from "./ledger.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import { openRepository, type Repository } from "./repository.ts";
import { unsigned } from "./trust/signature.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import { programArguments } from "../../../test/support/base/program.ts";

const entry = (id: string, second = 0, reason = "r"): LedgerEntry => ({
  id,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  domain: "swe",
  type: "promotion",
  version: "v1",
  gap: null,
  reason,
});
const isInvalid = (pattern: RegExp) => (e: unknown) =>
  HarnessError.is(e, "ledgerInvalid") && pattern.test(e.message);

describe("ledgerPath", () => {
  const names: [string, RegExp][] = [
    ["version:v1", /^entries\/[0-9a-f]{2}\/version=3av1\.json$/],
    ["A.b-c_d", /\/=41\.b-c_d\.json$/],
    ["con", /\/=63on\.json$/],
    ["nul.txt", /\/=6eul\.txt\.json$/],
    ["console", /\/console\.json$/],
    [`a${":".repeat(199)}`, /^.{60,}~[0-9a-f]{64}\.json$/],
  ];
  for (const [id, pattern] of names)
    it(`is safe on every file system: ${id.slice(0, 20)}`, () => {
      const path = ledgerPath(id);
      assert.match(path, pattern);
      assert.match(path, /^entries\/[0-9a-f]{2}\/[a-z0-9._=~-]{1,200}$/);
    });
  it("differs for different ids", () => {
    const ids = ["a:b", "a=3ab", "A", "a", "=", `x${"A".repeat(180)}`, `x${"A".repeat(181)}`].map(ledgerPath);
    assert.equal(new Set(ids.map((p) => p.toLowerCase())).size, ids.length);
  });
});

describe("ledger", () => {
  let made: TestRepository;
  let repository: Repository;
  let ledger: Ledger;
  beforeEach(async () => {
    made = makeTestRepository();
    repository = await openRepository(made.root);
    ledger = openLedger(repository);
  });
  afterEach(() => made.dispose());

  const ids = async (of = ledger) => Array.from((await of.read()).entries, (e) => e.id);
  const commits = () => Number(made.git("rev-list", "--count", ledgerRef));
  /** Puts a file on the ledger's branch as somebody with plain git would. */
  const tamper = (path: string, content: string | null) => {
    const worktree = `${made.root}/.evotrainer/tamper`;
    made.git("worktree", "add", "--quiet", "--detach", worktree, ledgerRef);
    const run = (...args: string[]) => made.git("-C", worktree, ...args);
    if (content === null) run("rm", "--quiet", path);
    else {
      mkdirSync(join(worktree, path, ".."), { recursive: true });
      writeFileSync(join(worktree, path), content);
      run("add", "--all");
    }
    run("commit", "--quiet", "-m", "by hand");
    made.git("update-ref", ledgerRef, run("rev-parse", "HEAD"));
    made.git("worktree", "remove", "--force", worktree);
  };

  it("is empty at first, keeps entries in order, and leaves the work tree alone", async () => {
    made.write("a.txt", "uncommitted\n");
    const index = readFileSync(join(made.root, ".git/index"));
    const before = made.git("status", "--porcelain=v2", "--branch");
    assert.deepEqual(await ledger.read(), {
      ...{ entries: emptyLog, quarantined: [], head: undefined, notices: [], isBroken: false },
    });
    await ledger.append([entry("z:1", 5)]);
    await ledger.append([entry("a:2", 1)]);
    await ledger.append([entry("m:4", 9), entry("m:3", 8)]);
    assert.deepEqual(await ids(), ["z:1", "a:2", "m:3", "m:4"]);
    assert.equal(commits(), 3);
    assert.deepEqual(unsigned((await ledger.read()).entries.at(0)), entry("z:1", 5));
    assert.deepEqual(await ids(openLedger(repository)), ["z:1", "a:2", "m:3", "m:4"]);
    assert.equal(made.git("status", "--porcelain=v2", "--branch"), before);
    assert.deepEqual(readFileSync(join(made.root, ".git/index")), index);
    assert.equal(made.git("rev-list", "--max-parents=0", "--count", ledgerRef), "1");
    assert.equal(existsSync(join(made.root, "entries")), false);
  });

  it("skips entries that it has, refuses changed ones, and never writes half a list", async () => {
    await ledger.append([entry("a:1"), entry("b:1")]);
    await ledger.append([entry("b:1"), entry("c:1"), entry("c:1")]);
    await ledger.append([entry("a:1")]);
    await ledger.append([]);
    assert.equal(commits(), 2);
    await assert.rejects(
      ledger.append([entry("d:1"), entry("a:1", 0, "other")]),
      isInvalid(/a:1 with different content/),
    );
    await assert.rejects(ledger.append([entry("d:1"), entry("d:1", 0, "other")]), isInvalid(/d:1/));
    assert.deepEqual(await ids(), ["a:1", "b:1", "c:1"]);
  });

  const refused: [string, unknown, RegExp][] = [
    ["a missing field", { ...entry("a"), reason: undefined }, /reason: /],
    ["an unknown type", { ...entry("a"), type: "gossip" }, /type: /],
    ["an id with a slash", entry("a/b"), /id: /],
    ["an invalid time", { ...entry("a"), at: "yesterday" }, /at: /],
    ["a number that JSON cannot hold", { ...entry("a"), gap: Number.NaN }, /gap: /],
    ["a value that is not an object", 7, /./],
    ["an entry of over a megabyte", entry("a", 0, "x".repeat(1_100_000)), /over 1048576 bytes/],
  ];
  for (const [name, value, pattern] of refused)
    it(`refuses ${name}`, async () => {
      await assert.rejects(ledger.append([value as LedgerEntry]), isInvalid(pattern));
      assert.equal((await ledger.read()).head, undefined);
      if (!name.startsWith("an entry of over")) assert.throws(() => parseEntry(value), isInvalid(pattern));
    });

  it("sets aside malformed entries and keeps the rest", async () => {
    await ledger.append([entry("good:1"), entry("good:2", 1), entry("good:3", 2)]);
    const bad: [string, string | null, RegExp][] = [
      [ledgerPath("torn"), '{"id": "torn", "at"', /not JSON/],
      [ledgerPath("short"), JSON.stringify({ id: "short", type: "promotion" }), /at: /],
      [ledgerPath("there"), JSON.stringify(entry("elsewhere")), /does not belong to this path/],
      [ledgerPath("huge"), " ".repeat(2_000_000), /over 1048576 bytes/],
      ["entries/readme.txt", "hello", /not the path/],
      [ledgerPath("good:1"), JSON.stringify(entry("good:1", 0, "rewritten")), /changed after/],
      [ledgerPath("good:2"), null, /deleted by hand/],
    ];
    for (const [path, content] of bad) tamper(path, content);
    await ledger.append([entry("good:4", 3)]);
    for (const reader of [ledger, openLedger(repository)]) {
      const { entries, quarantined } = await reader.read();
      assert.deepEqual(
        Array.from(entries, (e) => e.id),
        ["good:1", "good:2", "good:3", "good:4"],
      );
      const first = entries.at(0);
      assert.equal(first.type === "promotion" && first.reason, "r");
      assert.deepEqual(quarantined.map((q) => q.path).sort(), bad.map(([path]) => path).sort());
      for (const [path, , reason] of bad)
        assert.match(quarantined.find((q) => q.path === path)?.reason ?? "", reason);
    }
  });

  it("loses nothing when several processes append at once", async function () {
    this.timeout(120_000);
    const [writers, each] = [4, 8];
    const script = fileURLToPath(new URL("../../../test/support/lineage/ledgerAppender.ts", import.meta.url));
    const children = Array.from({ length: writers }, (_, i) =>
      spawn(process.execPath, [...programArguments(script), made.root, `w${i}`, String(each)], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    for (const [code] of await Promise.all(children.map((child) => once(child, "exit"))))
      assert.equal(code, 0);
    const { entries, quarantined } = await ledger.read();
    assert.deepEqual(quarantined, []);
    assert.equal(entries.length, writers * each);
    assert.equal(commits(), writers * each);
    for (let w = 0; w < writers; w++)
      assert.deepEqual(
        [...entries].filter((e) => e.id.startsWith(`promotion:w${w}:`)).map((e) => e.id),
        Array.from({ length: each }, (_, i) => `promotion:w${w}:${i}`),
      );
    assert.equal(made.git("fsck", "--strict", "--no-dangling"), "");
  });

  it("is created once when several processes start at the same time", async () => {
    await Promise.all(
      Array.from({ length: 4 }, (_, i) => openLedger(repository).append([entry(`e:${i}`, i)])),
    );
    assert.deepEqual((await ids()).sort(), ["e:0", "e:1", "e:2", "e:3"]);
    assert.equal(made.git("rev-list", "--max-parents=0", "--count", ledgerRef), "1");
  });

  for (const related of [true, false])
    it(`keeps all entries of two ${related ? "clones'" : "unrelated"} ledgers that were merged`, async () => {
      if (related) await ledger.append([entry("common", 0)]);
      const other = makeTestRepository({});
      try {
        other.git("fetch", "--quiet", "--update-head-ok", made.root, "main:main");
        if (related) other.git("fetch", "--quiet", made.root, `${ledgerRef}:${ledgerRef}`);
        other.git("checkout", "--quiet", "main");
        const theirs = openLedger(await openRepository(other.root));
        await ledger.append([entry("ours:1", 1)]);
        await theirs.append([entry("theirs:1", 2), entry("theirs:2", 3)]);
        await ledger.append([entry("ours:2", 4)]);
        assert.equal((await ids()).length, related ? 3 : 2);

        made.git("fetch", "--quiet", other.root, `${ledgerRef}:refs/heads/theirs`);
        made.git("checkout", "--quiet", "evotrainer/ledger");
        made.git("merge", "--quiet", "--no-edit", "--allow-unrelated-histories", "theirs");
        made.git("checkout", "--quiet", "main");
        await ledger.append([entry("after", 5)]);
        const expected = [
          ...(related ? ["common"] : []),
          "ours:1",
          "ours:2",
          "theirs:1",
          "theirs:2",
          "after",
        ];
        assert.deepEqual(await ids(), expected);
        assert.deepEqual(await ids(openLedger(repository)), expected);

        // The other side takes the merge over: there it is a fast-forward whose first parent is not what it knew.
        assert.equal((await ids(theirs)).length, related ? 3 : 2);
        other.git("fetch", "--quiet", "--update-head-ok", made.root, `${ledgerRef}:${ledgerRef}`);
        assert.deepEqual(await ids(theirs), expected);
        assert.deepEqual((await theirs.read()).quarantined, []);
      } finally {
        other.dispose();
      }
    });

  it("starts git twice to append, and not at all to read what it appended itself", async () => {
    const asked: string[] = [];
    const { git } = repository;
    const counted = openLedger({
      ...repository,
      git: {
        text: (args, options) => git.text(args, (asked.push(args[0] ?? ""), options)),
        answer: (args, options) => git.answer(args, (asked.push(args[0] ?? ""), options)),
        bytes: (args, options) => git.bytes(args, (asked.push(args[0] ?? ""), options)),
        stream: (args, onChunk, options) => git.stream(args, onChunk, (asked.push(args[0] ?? ""), options)),
      },
    });
    await counted.append([entry("a:1")]);
    await counted.read();
    asked.splice(0);
    await counted.append([entry("b:1", 1)]);
    assert.deepEqual(asked, ["cat-file", "fast-import"]);
    assert.deepEqual(await ids(counted), ["a:1", "b:1"]);
    assert.deepEqual(asked, ["cat-file", "fast-import"]);
  });

  it("takes what it appended itself as whoever reads it from git", async () => {
    await ledger.append([entry("a:1"), entry("gone:1", 1)]);
    await ledger.read();
    tamper(ledgerPath("gone:1"), null);
    const word: LedgerEntry = {
      ...{ id: "word:1", at: entry("", 3).at, domain: "swe", type: "note", version: "v1", by: "ada" },
      ...{ what: "text", value: "né \u2028 <\ud83d\ude00>" },
    };
    await ledger.append([entry("z:1", 9), word, entry("b:1", 9)]);
    // Deleted by hand, and written again with other words: the first content counts.
    await ledger.append([entry("gone:1", 4, "other"), entry("later:1", 4)]);
    const [mine, fresh] = [await ledger.read(), await openLedger(repository, { isFresh: true }).read()];
    assert.deepEqual([...mine.entries], [...fresh.entries]);
    assert.deepEqual(mine.quarantined, fresh.quarantined);
    assert.deepEqual(
      mine.quarantined.map(({ path }) => path),
      [ledgerPath("gone:1"), ledgerPath("gone:1")],
    );
    assert.equal(mine.head, fresh.head);
    assert.deepEqual(
      Array.from(mine.entries, (e) => e.id),
      ["a:1", "gone:1", "word:1", "b:1", "z:1", "later:1"],
    );
    // Somebody else goes on from there.
    await openLedger(repository).append([entry("else:1", 10)]);
    await ledger.append([entry("own:1", 11)]);
    assert.deepEqual((await ids()).slice(-2), ["else:1", "own:1"]);
  });

  it("reads everything again when the branch was replaced", async () => {
    await ledger.append([entry("a:1")]);
    assert.deepEqual(await ids(), ["a:1"]);
    made.git("update-ref", "-d", ledgerRef);
    assert.deepEqual(await ids(), []);
    await openLedger(repository).append([entry("b:1")]);
    assert.deepEqual(await ids(), ["b:1"]);
  });

  it("gets past a lock that a killed process left", async () => {
    await ledger.append([entry("a:1")]);
    const lock = join(made.root, ".git", `${ledgerRef}.lock`);
    writeFileSync(lock, "");
    const old = new Date(Date.now() - 120_000);
    utimesSync(lock, old, old);
    await ledger.append([entry("b:1", 1)]);
    assert.deepEqual(await ids(), ["a:1", "b:1"]);
  });

  it("names the branch that is in the way", async () => {
    made.git("branch", "evotrainer");
    await assert.rejects(
      ledger.append([entry("a:1")]),
      /evotrainer\/ledger cannot be created because a branch/,
    );
  });

  it("can have ten thousand entries", async function () {
    this.timeout(60_000);
    await ledger.append(Array.from({ length: 10_000 }, (_, i) => entry(`bulk:${i}`, i)));
    const all = await ids(openLedger(repository));
    assert.equal(all.length, 10_000);
    assert.equal(all[9_999], "bulk:9999");
    await ledger.append([entry("one:more", 1)]);
    assert.equal((await ids()).length, 10_001);
  });
});
