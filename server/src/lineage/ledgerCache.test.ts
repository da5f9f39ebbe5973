import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { ledgerRef, openLedger } from "./ledger.ts";
import type { LedgerContent } from "./entries/ledgerContent.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
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

/** The first line of what is kept, the order, and the blocks. */
function partsOf(file: Buffer): { header: string; order: Buffer; blocks: Buffer[] } {
  const header = file.toString("utf8", 0, file.indexOf(10));
  const told = Told.parse(JSON.parse(header));
  const from = file.indexOf(10) + 1;
  let at = from + 4 * told.entries;
  const blocks = told.blocks.map(([, bytes]) => file.subarray(at, (at += bytes)));
  return { header, order: file.subarray(from, from + 4 * told.entries), blocks };
}

/** What is kept with a change of the text of one of its blocks. */
function withText(file: Buffer, change: (text: string) => string): Buffer {
  const { header, order, blocks } = partsOf(file);
  const changed = blocks.map((block) => deflateRawSync(change(inflateRawSync(block).toString("utf8"))));
  const told = Told.parse(JSON.parse(header));
  const sizes = told.blocks.map(([count], i) => [count, changed[i]?.length]);
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...told, blocks: sizes })}\n`), order, ...changed]);
}

const Told = z.looseObject({ entries: z.number(), blocks: z.array(z.tuple([z.number(), z.number()])) });

let made: TestRepository;
let repository: Repository;
let file = "";
async function makeRepository(): Promise<void> {
  made = makeTestRepository();
  repository = await openRepository(made.root);
  file = join(made.root, ".git/evotrainer/ledger.blocks");
}

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
const ids = async (): Promise<string[]> => Array.from((await read()).entries, ({ id }) => id);
const upTo = (n: number): string[] => Array.from({ length: n }, (_, i) => `note:${i}`);
/** Changes what is kept so that a reader shows whether it has looked there. */
const mark = (): void => {
  writeFileSync(
    file,
    withText(readFileSync(file), (text) => text.replace('"é 7"', '"from there"')),
  );
};
const isFromThere = async (): Promise<boolean> =>
  [...(await read()).entries].some((e) => e.type === "note" && e.value === "from there");

describe("the cache of a long ledger", function () {
  this.timeout(30_000);
  beforeEach(makeRepository);
  afterEach(() => made.dispose());

  it("gives the next reader the same entries, with the new ones", async () => {
    await commit(0, 1200);
    const first = await read();
    assert.equal(first.entries.length, 1200);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const second = await read();
    assert.deepEqual([[...second.entries], second.head], [[...first.entries], first.head]);
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
    assert.match(readFileSync(file, "latin1"), /^.*"entries":2300,/);
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

  it("is not written when the path leads out of the repository", async () => {
    await commit(0, 1000);
    const elsewhere = join(made.root, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(made.root, ".git/evotrainer"));
    assert.equal((await read()).entries.length, 1000);
    assert.equal(existsSync(join(elsewhere, "ledger.blocks")), false);
  });

  it("is not made for a short ledger", async () => {
    await commit(0, 50);
    assert.equal((await read()).entries.length, 50);
    assert.equal(existsSync(file), false);
  });
});

describe("what was kept of a long ledger", function () {
  this.timeout(30_000);
  let kept: Buffer;
  // Their tests change what was kept, and not the ledger.
  before(async () => {
    await makeRepository();
    await commit(0, 1000);
    await read();
    mark();
    kept = readFileSync(file);
  });
  after(() => made.dispose());

  const latin = (of: Buffer, change: (text: string) => string): Buffer =>
    Buffer.from(change(of.toString("latin1")), "latin1");
  const broken: [string, (file: Buffer) => Buffer][] = [
    ["torn within a block", (of) => of.subarray(0, of.length / 2)],
    ["torn after a block", (of) => of.subarray(0, -(partsOf(of).blocks.at(-1)?.length ?? 0))],
    ["torn within the order of its entries", (of) => of.subarray(0, of.indexOf(10) + 400)],
    ["longer than it says", (of) => Buffer.concat([of, Buffer.from("more")])],
    ["empty", () => Buffer.alloc(0)],
    ["from another program", () => Buffer.from("hello\n")],
    ["in a later format", (of) => latin(of, (text) => text.replace('"format":2', '"format":3'))],
    [
      "not an entry in some block",
      (of) => withText(of, (text) => text.replace('"type":"note"', '"type":"gossip"')),
    ],
    [
      "one that names an entry twice",
      (of) => {
        const changed = Buffer.from(of);
        changed.copyWithin(of.indexOf(10) + 1, of.indexOf(10) + 5, of.indexOf(10) + 9);
        return changed;
      },
    ],
  ];
  for (const [how, change] of broken)
    it(`is ignored when it is ${how}`, async () => {
      writeFileSync(file, kept);
      assert.equal(await isFromThere(), true);
      writeFileSync(file, change(kept));
      assert.deepEqual(await ids(), upTo(1000));
      assert.equal(await isFromThere(), false);
    });
});
