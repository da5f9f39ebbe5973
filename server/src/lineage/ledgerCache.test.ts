import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { ledgerRef, openLedger } from "./ledger.ts";
import type { LedgerContent } from "./ledgerContent.ts";
import { ledgerPath } from "./ledgerPath.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";

const entry = (n: number): LedgerEntry => ({
  id: `note:${n}`,
  at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  domain: "swe",
  type: "note",
  version: "v1",
  what: "text",
  value: `é ${n}`,
  by: "ada",
});

describe("the cache of a long ledger", function () {
  this.timeout(30_000);
  let made: TestRepository;
  let repository: Repository;
  let file = "";
  beforeEach(async () => {
    made = makeTestRepository();
    repository = await openRepository(made.root);
    file = join(made.root, ".git/evotrainer/ledger.jsonl");
  });
  afterEach(() => made.dispose());

  /** A commit for each entry, on the branch as it is. */
  async function commit(from: number, to: number, start = ""): Promise<void> {
    let stream = "";
    for (let n = from; n < to; n++) {
      const text = JSON.stringify(entry(n));
      stream += `commit ${ledgerRef}\ncommitter t <t@example.invalid> ${n} +0000\ndata 1\n.\n${n === from ? start : ""}M 100644 inline ${ledgerPath(entry(n).id)}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    }
    await repository.git.text(["fast-import", "--quiet", "--force", "--done", "--date-format=raw"], {
      input: `${stream}done\n`,
    });
  }
  const read = (): Promise<LedgerContent> => openLedger(repository).read();
  const ids = async (): Promise<string[]> => (await read()).entries.map(({ id }) => id);
  const upTo = (n: number): string[] => Array.from({ length: n }, (_, i) => `note:${i}`);
  /** Changes what is kept so that a reader shows whether it has looked there. */
  const mark = (): void => {
    writeFileSync(file, readFileSync(file, "utf8").replace('"é 7"', '"from there"'));
  };
  const isFromThere = async (): Promise<boolean> =>
    (await read()).entries.some((e) => e.type === "note" && e.value === "from there");

  it("gives the next reader the same entries, with the new ones", async () => {
    await commit(0, 1200);
    const first = await read();
    assert.equal(first.entries.length, 1200);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const second = await read();
    assert.deepEqual([second.entries, second.head], [first.entries, first.head]);
    const ledger = openLedger(repository);
    await ledger.append([entry(1200)]);
    assert.deepEqual(await ids(), upTo(1201));
    assert.deepEqual((await ledger.read()).entries.length, 1201);
    mark();
    assert.equal(await isFromThere(), true);
    assert.equal(made.git("status", "--porcelain"), "");
  });

  it("is renewed after a thousand more commits, and not before", async () => {
    await commit(0, 1200);
    await read();
    const before = readFileSync(file);
    await commit(1200, 1300, `from ${ledgerRef}^0\n`);
    assert.deepEqual(await ids(), upTo(1300));
    assert.ok(readFileSync(file).equals(before));
    await commit(1300, 2300, `from ${ledgerRef}^0\n`);
    assert.deepEqual(await ids(), upTo(2300));
    assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 2301);
  });

  it("is ignored when the branch was replaced", async () => {
    await commit(0, 1200);
    await read();
    made.git("update-ref", "-d", ledgerRef);
    await commit(5, 9);
    assert.deepEqual(await ids(), ["note:5", "note:6", "note:7", "note:8"]);
    made.git("update-ref", "-d", ledgerRef);
    assert.deepEqual(await ids(), []);
  });

  const broken: [string, (text: string) => string][] = [
    ["torn within a line", (text) => text.slice(0, text.length / 2)],
    ["torn after a line", (text) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1)],
    ["empty", () => ""],
    ["from another program", () => "hello\n"],
    ["in a later format", (text) => text.replace('"format":1', '"format":2')],
    ["not an entry in some line", (text) => text.replace('"type":"note"', '"type":"gossip"')],
  ];
  for (const [how, change] of broken)
    it(`is ignored when it is ${how}`, async () => {
      await commit(0, 1000);
      await read();
      mark();
      assert.equal(await isFromThere(), true);
      writeFileSync(file, change(readFileSync(file, "utf8")));
      assert.deepEqual(await ids(), upTo(1000));
      assert.equal(await isFromThere(), false);
    });

  it("is not written when the path leads out of the repository", async () => {
    await commit(0, 1000);
    const elsewhere = join(made.root, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(made.root, ".git/evotrainer"));
    assert.equal((await read()).entries.length, 1000);
    assert.equal(existsSync(join(elsewhere, "ledger.jsonl")), false);
  });

  it("is not made for a short ledger", async () => {
    await commit(0, 50);
    assert.equal((await read()).entries.length, 50);
    assert.equal(existsSync(file), false);
  });
});
