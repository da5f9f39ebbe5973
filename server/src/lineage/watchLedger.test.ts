import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { keepEnvironment } from "../../../test/support/base/environment.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import { buildLineage, findVersion } from "./graph.ts";
import { ledgerRef, openLedger } from "./ledger.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import { openRepository, type Repository } from "./repository.ts";
import { engineKey } from "./trust/engineKey.ts";
import { keepSeen, seenLedger } from "./trust/seenLedgers.ts";
import { trustKey } from "./trust/trustedKeys.ts";
import { acceptLedger } from "./watchLedger.ts";

const note = (id: string, second = 0): LedgerEntry => ({
  ...{ id, at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(), domain: "toy", version: "v1" },
  ...{ type: "note", what: "text", value: "x", by: "me" },
});

describe("a ledger that was changed behind the engine's back", () => {
  let made: TestRepository;
  let repository: Repository;
  let folder: string;
  let restore: () => void;
  beforeEach(async () => {
    restore = keepEnvironment();
    folder = mkdtempSync(join(tmpdir(), "evo-seen-"));
    process.env["EVOTRAINER_KEYS"] = folder;
    made = makeTestRepository();
    repository = await openRepository(made.root);
  });
  afterEach(() => {
    restore();
    made.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  /** What a process that starts now is told. */
  const notices = async (of = repository): Promise<readonly string[]> =>
    (await openLedger(of).read()).notices;
  const append = (...ids: string[]) => openLedger(repository).append(ids.map((id, i) => note(id, i)));
  const head = () => made.git("rev-parse", ledgerRef);
  /** Commits a change of a file of the ledger with plain git. */
  const byHand = (path: string, content: string | null): void => {
    const worktree = join(made.root, ".evotrainer/hand");
    made.git("worktree", "add", "--quiet", "--detach", worktree, ledgerRef);
    const file = join(worktree, path);
    mkdirSync(dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else writeFileSync(file, content);
    made.git("-C", worktree, "add", "--all");
    made.git("-C", worktree, "commit", "--quiet", "-m", "by hand");
    made.git("update-ref", ledgerRef, made.git("-C", worktree, "rev-parse", "HEAD"));
    made.git("worktree", "remove", "--force", worktree);
  };

  it("is not one that engines append to, that grows by a merge, or that was fetched", async () => {
    await append("a");
    assert.deepEqual(await notices(), []);
    await append("b");
    await append("c");
    assert.deepEqual(await notices(), []);
    const before = head();
    made.git("commit-tree", "-p", before, "-m", "theirs", `${before}^{tree}`);
    const theirs = made.git("commit-tree", "-p", before, "-m", "theirs", `${before}^{tree}`);
    made.git("update-ref", ledgerRef, theirs);
    assert.deepEqual(await notices(), []);
    assert.equal(seenLedger(repository.commonDir)?.head, theirs);
  });

  it("is read as it is now by who had read more of it", async () => {
    const ledger = openLedger(repository);
    for (const id of ["a", "b", "c", "d"]) await append(id);
    assert.equal((await ledger.read()).entries.length, 4);
    made.git("update-ref", ledgerRef, `${head()}~2`);
    const { entries, notices: told } = await ledger.read();
    assert.deepEqual(
      [...entries].map(({ id }) => id),
      ["a", "b"],
    );
    assert.match(told[0] ?? "", /it had 4 entries, and now it has 2\./);
  });

  it("is reported as long as commits are missing, with what to do, and no longer once they are back", async () => {
    for (const id of ["a", "b", "c", "d"]) await append(id);
    const was = head();
    made.git("update-ref", ledgerRef, `${was}~2`);
    for (let look = 0; look < 2; look++) {
      const [notice = ""] = await notices();
      assert.match(
        notice,
        /^Somebody took the last 2 commits off the ledger: .* it had 4 entries, and now it has 2\./,
      );
      assert.ok(notice.includes(`git update-ref ${ledgerRef} ${was}`));
      assert.match(notice, /evotrainer lineage accept/);
    }
    made.git("update-ref", ledgerRef, was);
    assert.deepEqual(await notices(), []);
  });

  it("is reported when a merge puts another beginning before it, and when a merge of an old state takes something out", async () => {
    await append("a");
    await append("b");
    assert.deepEqual(await notices(), []);
    const was = head();
    const tree = made.git("rev-parse", `${was}^{tree}`);
    const orphan = made.git("commit-tree", "-m", "another beginning", tree);
    made.git("update-ref", ledgerRef, made.git("commit-tree", "-p", orphan, "-p", was, "-m", "merge", tree));
    const read = await openLedger(repository).read();
    assert.match(read.notices[0] ?? "", /^A merge changed the ledger: .* it had 2 entries/);
    assert.equal(read.isBroken, true);

    const old = made.git("rev-parse", `${was}~1`);
    const theirs = made.git("commit-tree", "-p", old, "-p", was, "-m", "ours", `${old}^{tree}`);
    made.git("update-ref", ledgerRef, theirs);
    assert.match((await notices())[0] ?? "", /^A merge changed the ledger: /);

    const more = made.git("commit-tree", "-p", old, "-m", "theirs", `${old}^{tree}`);
    made.git("update-ref", ledgerRef, made.git("commit-tree", "-p", more, "-p", was, "-m", "merge", tree));
    assert.deepEqual(await notices(), []);
  });

  it("is reported when the last entries were taken off before anybody read them", async () => {
    await append("a");
    await append("b");
    made.git("update-ref", ledgerRef, `${head()}~1`);
    assert.match((await notices())[0] ?? "", /took the last 1 commit off/);
  });

  it("is reported when an engine has continued from what was left", async () => {
    for (const id of ["a", "b", "c"]) await append(id);
    made.git("update-ref", ledgerRef, `${head()}~1`);
    await append("d");
    const [notice = ""] = await notices();
    assert.match(
      notice,
      /^The ledger was rewritten: .* it had 3 entries, and 1 commit that it had then is missing now/,
    );
  });

  it("is reported by a reader that goes on reading, until its user accepts it", async () => {
    const ledger = openLedger(repository);
    await append("a", "b");
    await append("c");
    assert.deepEqual((await ledger.read()).notices, []);
    made.git("update-ref", ledgerRef, `${head()}~1`);
    assert.equal((await ledger.read()).notices.length, 1);
    assert.equal((await ledger.read()).notices.length, 1);
    const { entries, quarantined, head: now } = await ledger.read();
    assert.ok(now !== undefined);
    await acceptLedger(repository, { head: now, entries: entries.length, quarantined: quarantined.length });
    assert.deepEqual((await ledger.read()).notices, []);
    assert.deepEqual(await notices(), []);
  });

  it("is reported when it is gone, and when git no longer has what was there", async () => {
    await append("a");
    const was = head();
    made.git("update-ref", "-d", ledgerRef);
    assert.match((await notices())[0] ?? "", /^The ledger of this repository is gone: /);
    const seen = seenLedger(repository.commonDir);
    assert.ok(seen);
    await append("b");
    await keepSeen({ ...seen, head: was.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) });
    assert.match(
      (await notices())[0] ?? "",
      /^The ledger was replaced: .*Fetch evotrainer\/ledger from a clone/,
    );
  });

  it("is reported with the entries that were edited, removed or added in a form that cannot be used", async () => {
    await append("a", "b");
    byHand(ledgerPath("a"), JSON.stringify({ ...note("a"), value: "rewritten" }));
    byHand(ledgerPath("b"), null);
    byHand("entries/readme.txt", "hello");
    const [notice = ""] = await notices();
    assert.match(notice, /^Somebody changed the ledger by hand, or merged two: /);
    for (const says of [/changed after it was written/, /deleted by hand/, /not the path of a ledger entry/])
      assert.match(notice, says);
    const { entries, quarantined, head: now } = await openLedger(repository).read();
    assert.equal(entries.length, 2, "the first content counts");
    assert.ok(now !== undefined);
    await acceptLedger(repository, { head: now, entries: entries.length, quarantined: quarantined.length });
    assert.deepEqual(await notices(), []);
    byHand("entries/again.txt", "hello");
    assert.match((await notices())[0] ?? "", /: entries\/again\.txt: not the path of a ledger entry\. /);
  });

  it("is another one where another repository has come to lie in the same place", async () => {
    await append("a");
    rmSync(made.root, { recursive: true, force: true });
    mkdirSync(made.root);
    made.git("init", "--quiet", "--initial-branch=main");
    made.git("config", "user.name", "t");
    made.git("config", "user.email", "t@example.invalid");
    made.write("b.txt", "another");
    made.commit("another");
    const other = await openRepository(made.root);
    await openLedger(other).append([note("z")]);
    assert.deepEqual(await notices(other), []);
  });

  it("is still read if nothing can be kept", async () => {
    await append("a");
    process.env["EVOTRAINER_KEYS"] = join(made.root, "a.txt", "keys");
    assert.deepEqual(await notices(), []);
    process.env["EVOTRAINER_KEYS"] = join(folder, "new");
    assert.deepEqual(await notices(), []);
  });

  describe("by a merge of two clones that made a version of one name", () => {
    const commits = { ours: "a".repeat(40), theirs: "b".repeat(40), later: "c".repeat(40) };
    const version = (name: string, parent: string | null, commit: string): LedgerEntry => ({
      ...{ id: `version:${name}`, at: "2026-01-01T00:00:00Z", domain: "toy", version: name, type: "version" },
      ...{ commit, parent, generation: 0, factor: null, intervention: null, title: name },
    });
    const decision = (name: string, reason: string): LedgerEntry => ({
      ...{
        id: `decision:${name}`,
        at: "2026-01-01T00:00:01Z",
        domain: "toy",
        version: name,
        type: "decision",
      },
      ...{ decision: "keep", reason, comparison: null, evidence: [] },
    });
    let other: TestRepository;
    let ours: string;
    let theirs: string;
    beforeEach(async () => {
      ours = engineKey().public;
      await openLedger(repository).append([version("v0", null, "0".repeat(40))]);
      other = makeTestRepository({});
      other.git("fetch", "--quiet", "--update-head-ok", made.root, "main:main", `${ledgerRef}:${ledgerRef}`);
      other.git("checkout", "--quiet", "main");
      await openLedger(repository).append([version("v5", "v0", commits.ours), decision("v5", "ours")]);
      process.env["EVOTRAINER_KEYS"] = join(folder, "theirs");
      theirs = engineKey().public;
      await openLedger(await openRepository(other.root)).append([
        ...[version("v5", "v0", commits.theirs), decision("v5", "theirs")],
        ...[version("v6", "v5", commits.later), note("note:v5")],
      ]);
      process.env["EVOTRAINER_KEYS"] = folder;
      made.git("fetch", "--quiet", other.root, `${ledgerRef}:refs/heads/theirs`);
    });
    afterEach(() => other.dispose());
    const merge = (side: "ours" | "theirs"): void => {
      made.git("checkout", "--quiet", "evotrainer/ledger");
      made.git("merge", "--quiet", "--no-edit", "-X", side, "theirs");
      made.git("checkout", "--quiet", "main");
    };

    for (const side of ["ours", "theirs"] as const)
      it(`keeps both, however git merged them: ${side}`, async () => {
        merge(side);
        await trustKey({ key: theirs, name: "bob" });
        const content = await openLedger(repository).read();
        const lineage = buildLineage(content.entries, "toy");
        assert.deepEqual(
          lineage.versions.map((v) => [v.name, v.parent, v.commit, v.decision?.reason, v.standing]),
          [
            ["v0", null, "0".repeat(40), undefined, "signed"],
            ["v5", "v0", commits.ours, "ours", "signed"],
            ["v5-bbbbbbb", "v0", commits.theirs, "theirs", "signed"],
            ["v6", "v5-bbbbbbb", commits.later, undefined, "signed"],
          ],
        );
        assert.deepEqual(
          lineage.versions.flatMap((v) => v.claims),
          [],
        );
        assert.match(
          content.notices.join(),
          /two clones made a version v5; the other one is shown as v5-bbbbbbb/,
        );
        // A reader that knew the ledger before tells the same as one that starts now.
        assert.ok(findVersion(lineage, "v5-bbbbbbb"));
        await append("after");
        assert.equal((await openLedger(repository).read()).entries.length, content.entries.length + 1);
      });

    it("as a reader that had read it before also tells, and with claims where the other writer is not trusted", async () => {
      const ledger = openLedger(repository);
      await ledger.read();
      merge("ours");
      const { entries } = await ledger.read();
      const names = buildLineage(entries, "toy").versions.map((v) => [v.name, v.standing]);
      assert.deepEqual(names, [
        ...[
          ["v0", "signed"],
          ["v5", "signed"],
        ],
        ...[
          ["v5-bbbbbbb", "claim"],
          ["v6", "claim"],
        ],
      ]);
      assert.notEqual(ours, theirs);
    });

    it("says so where both decided one version differently", async () => {
      process.env["EVOTRAINER_KEYS"] = join(folder, "theirs");
      const their = openLedger(await openRepository(other.root));
      await their.append([decision("v0", "theirs")]);
      process.env["EVOTRAINER_KEYS"] = folder;
      await openLedger(repository).append([decision("v0", "ours")]);
      made.git("fetch", "--quiet", other.root, `+${ledgerRef}:refs/heads/theirs`);
      merge("theirs");
      const { entries, notices: told } = await openLedger(repository).read();
      assert.equal(findVersion(buildLineage(entries, "toy"), "v0")?.decision?.reason, "ours");
      assert.match(told.join(), /two clones wrote it differently; the one that was here first counts/);
    });
  });

  it("takes no entry that says it had another name", async () => {
    await append("a");
    byHand(ledgerPath("b"), JSON.stringify({ ...note("b"), was: { id: "a", version: "v0" } }));
    const { entries, quarantined } = await openLedger(repository).read();
    assert.deepEqual(
      Array.from(entries, ({ id }) => id),
      ["a"],
    );
    assert.match(quarantined[0]?.reason ?? "", /had another name/);
  });
});
