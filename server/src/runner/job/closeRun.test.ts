import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { ledgerPath } from "../../lineage/entries/ledgerPath.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { closeRun, findClosing } from "./closeRun.ts";
import { writeRecord } from "./jobRecords.ts";

describe("closing a run", function () {
  this.timeout(60_000);
  let made: TestRepository;
  let repository: Repository;
  let directory: string;
  beforeEach(async () => {
    made = makeTestRepository({ "a.txt": "a\n" });
    repository = await openRepository(made.root);
    directory = statePath(repository, "runs", "v1.train.s1");
    mkdirSync(directory, { recursive: true });
  });
  afterEach(() => made.dispose());
  const close = () => closeRun({ repository, domain: "swe", version: "v1", run: "v1.train.s1", directory });
  const file = (name: string): string => join(directory, name);
  const line = (item: string): string => `{"split":"selection","item":"${item}"}\n`;

  it("judges by what was there, even when it is asked again after somebody wrote more", async () => {
    writeFileSync(file("rollouts.jsonl"), line("a"));
    writeFileSync(file("metrics.jsonl"), '{"step":1}\n');
    const first = await close();
    appendFileSync(file("rollouts.jsonl"), line("b"));
    appendFileSync(file("metrics.jsonl"), '{"step":2}\n');
    assert.deepEqual(await close(), first);
    assert.deepEqual([...first.items.selection], ["a"]);
    assert.equal((await openLedger(repository).read()).entries.length, 1);
  });

  it("holds when two engines do it at the same moment", async () => {
    writeFileSync(file("rollouts.jsonl"), line("a"));
    const both = await Promise.all([close(), close()]);
    assert.deepEqual(both[0], both[1]);
    assert.equal((await openLedger(repository).read()).entries.length, 1);
  });

  it("is known by the engine's own record when the ledger has lost it", async () => {
    writeFileSync(file("rollouts.jsonl"), line("a"));
    await close();
    const told = await findClosing(repository, "v1.train.s1", directory);
    made.git("update-ref", "-d", "refs/heads/evotrainer/ledger");
    assert.deepEqual(await findClosing(repository, "v1.train.s1", directory), told);
    assert.equal(
      await findClosing(repository, "v2.train.s1", statePath(repository, "runs", "v2.train.s1")),
      undefined,
    );
    appendFileSync(file("rollouts.jsonl"), line("b"));
    assert.deepEqual([...(await close()).items.selection], ["a"]);
  });

  it("goes by what a trusted key signed, although somebody else closed it before", async () => {
    writeFileSync(file("rollouts.jsonl"), line("a"));
    const forged = {
      ...{ id: "closing:v1.train.s1", at: "2026-01-01T00:00:00.000Z", domain: "swe" },
      ...{ type: "closing" as const, version: "v1", run: "v1.train.s1", files: [] },
    };
    await openLedger(repository).append([forged], { isSigned: false });
    assert.equal(await findClosing(repository, "v1.train.s1", directory), undefined);
    assert.deepEqual([...(await close()).items.selection], ["a"]);
    const told = await findClosing(repository, "v1.train.s1", directory);
    assert.deepEqual(
      told?.files.map(({ name }) => name),
      ["rollouts.jsonl"],
    );
    assert.deepEqual([...(await close()).items.selection], ["a"]);
  });

  it("goes by no closing that the same key signed for a run of that name in another project", async () => {
    const other = makeTestRepository({ "a.txt": "another project\n" });
    try {
      const begin = async (of: Repository, commit: string): Promise<void> =>
        openLedger(of).append([
          {
            ...{ id: "version:v1", at: "2026-01-01T00:00:00.000Z", domain: "swe", type: "version" },
            ...{ version: "v1", commit, parent: null, generation: 0, factor: null, intervention: null },
            title: "the baseline",
          },
        ]);
      const there = await openRepository(other.root);
      await begin(there, other.git("rev-parse", "HEAD"));
      await begin(repository, made.git("rev-parse", "HEAD"));
      const folder = statePath(there, "runs", "v1.train.s1");
      mkdirSync(folder, { recursive: true });
      await closeRun({
        repository: there,
        domain: "swe",
        version: "v1",
        run: "v1.train.s1",
        directory: folder,
      });
      const copied = await findClosing(there, "v1.train.s1", folder);
      assert.deepEqual(copied?.files, []);
      const path = ledgerPath("closing:v1.train.s1");
      const written = other.git("cat-file", "blob", `evotrainer/ledger:${path}`);
      made.git("checkout", "--quiet", "evotrainer/ledger");
      made.write(path, `${written}\n`);
      made.git("add", path);
      made.git("commit", "--quiet", "-m", "a closing from elsewhere");
      made.git("checkout", "--quiet", "main");

      writeFileSync(file("rollouts.jsonl"), line("a"));
      assert.equal(await findClosing(repository, "v1.train.s1", directory), undefined);
      assert.deepEqual([...(await close()).items.selection], ["a"]);
    } finally {
      other.dispose();
    }
  });

  it("is not known by the record of another run", async () => {
    writeFileSync(file("rollouts.jsonl"), line("a"));
    await close();
    const other = statePath(repository, "runs", "v2.train.s1");
    mkdirSync(other, { recursive: true });
    await writeRecord(other, "closing.json", (await findClosing(undefined, "v1.train.s1", directory)) ?? {});
    assert.equal(await findClosing(undefined, "v2.train.s1", other), undefined);
  });

  it("takes a small entry, whatever the run holds, even nothing", async () => {
    assert.equal((await close()).bytes, 0);
    const empty = await findClosing(repository, "v1.train.s1", directory);
    assert.deepEqual(empty?.files, []);
    assert.ok(
      readFileSync(join(made.root, ".evotrainer/records/runs/v1.train.s1/closing.json")).length < 300,
    );
  });
});
