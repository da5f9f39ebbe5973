import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { emptyLog } from "./entries/entryLog.ts";
import { readLedgerHistory, walkHistory } from "./ledgerHistory.ts";
import { ledgerPath } from "./entries/ledgerPath.ts";
import { readEntries, readNewest } from "./readEntries.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";

const entry = (id: string, second: number, value = "said"): LedgerEntry => ({
  id,
  at: new Date(second * 1000).toISOString(),
  domain: "swe",
  type: "note",
  version: "v1",
  what: "text",
  value,
  by: "ada",
});

/** A commit: its time, what it writes and what it deletes. */
interface Step {
  readonly at: number;
  readonly write?: readonly (LedgerEntry | { readonly path: string; readonly text: string })[];
  readonly remove?: readonly string[];
}

/** Ids whose files are in one folder: two changes there are seen as one change of the folder. */
function neighbours(count: number): string[] {
  const wanted = ledgerPath("note:0").slice(0, 10);
  const found: string[] = [];
  for (let n = 0; found.length < count; n++)
    if (ledgerPath(`note:${n}`).startsWith(wanted)) found.push(`note:${n}`);
  return found;
}

const at = (n: number): number => 1_770_000_000 + n;
const usual: Step[] = Array.from({ length: 30 }, (_, n) => ({
  at: at(60 * n + 1),
  write: [entry(`note:${4 * n}`, at(60 * n)), entry(`note:${4 * n + 1}`, at(60 * n + 1))],
}));
const [near = "", nearer = "", nearest = ""] = neighbours(9).slice(5);

describe("entries read from the files of the newest commit", function () {
  this.timeout(60_000);
  let made: TestRepository;
  let repository: Repository;
  beforeEach(async () => {
    made = makeTestRepository();
    repository = await openRepository(made.root);
  });
  afterEach(() => made.dispose());

  async function commit(steps: readonly Step[]): Promise<string> {
    const ref = "refs/heads/evotrainer/ledger";
    const text = steps.map(({ at: second, write = [], remove = [] }) => {
      const files = write.map((one) => {
        const { path, text } =
          "text" in one ? one : { path: ledgerPath(one.id), text: `${JSON.stringify(one)}\n` };
        return `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
      });
      const gone = remove.map((id) => `D ${ledgerPath(id)}\n`);
      return `commit ${ref}\ncommitter t <t@example.invalid> ${second} +0000\ndata 1\n.\n${gone.join("")}${files.join("")}`;
    });
    await repository.git.text(["fast-import", "--quiet", "--done", "--date-format=raw"], {
      input: `${text.join("")}done\n`,
    });
    return made.git("rev-parse", ref).trim();
  }
  async function both(steps: readonly Step[]) {
    const head = await commit(steps);
    const { commits } = await readLedgerHistory(repository.git, head);
    const walked = await readEntries(repository, await walkHistory(repository.git, commits), emptyLog);
    return { walked, newest: await readNewest(repository, head, commits) };
  }

  const told: Record<string, Step[]> = {
    "a ledger as it is written": usual,
    "commits within one second": usual.map((step) => ({
      ...step,
      at: at(0),
      write: (step.write ?? []).map((one) => ("at" in one ? { ...one, at: entry("x", at(0)).at } : one)),
    })),
    "entries that are older than the commits before": [
      ...usual,
      { at: at(9000), write: [entry("note:900", at(-70)), entry("note:901", at(9000))] },
      { at: at(9001), write: [entry(near, at(9001))] },
    ],
    "a clock that was set back": [...usual, { at: at(5), write: [entry(near, at(5))] }],
    "a file that is not an entry": [
      ...usual,
      { at: at(9000), write: [{ path: ledgerPath("torn"), text: "{" }] },
      { at: at(9001), write: [entry(near, at(9001))] },
    ],
    "a commit without entries of its time": [...usual, { at: at(9999), write: [entry(near, at(9000))] }],
  };
  for (const [what, steps] of Object.entries(told))
    it(`match the full walk, in the same order, for ${what}`, async () => {
      const { walked, newest } = await both(steps);
      assert.ok(newest !== undefined);
      assert.deepEqual([...newest.entries], [...walked.entries]);
      assert.deepEqual(newest.quarantined, walked.quarantined);
    });

  const others: Record<string, Step[]> = {
    "a deleted entry": [...usual, { at: at(9000), remove: ["note:4"] }],
    "a deleted entry whose place another takes": [
      ...usual,
      { at: at(8000), write: [entry(near, at(8000))] },
      { at: at(9000), remove: [near], write: [entry(nearer, at(9000))] },
    ],
    "a deleted entry whose place two others take": [
      ...usual,
      { at: at(8000), write: [entry(near, at(8000))] },
      { at: at(9000), remove: [near], write: [entry(nearer, at(9000)), entry(nearest, at(9000))] },
    ],
    "an entry that existed only for a while": [
      ...usual,
      { at: at(8000), write: [entry(near, at(8000)), entry(nearer, at(8000))] },
      { at: at(8500), remove: [near] },
      { at: at(9000), write: [entry(nearest, at(9000))] },
    ],
    "a rewritten entry": [...usual, { at: at(9000), write: [entry("note:4", at(60), "rewritten")] }],
    "an entry that was rewritten and then put right": [
      ...usual,
      { at: at(9000), write: [entry("note:4", at(60), "rewritten")] },
      { at: at(9001), write: [entry("note:4", at(60))] },
    ],
    "a file beside the entries": [...usual, { at: at(9000), write: [{ path: "readme.txt", text: "hello" }] }],
    "a file among the folders": [
      ...usual,
      { at: at(9000), write: [{ path: "entries/readme.txt", text: "hello" }] },
    ],
    "everything deleted at one time": [
      { at: at(-5), write: [entry(near, at(-5))] },
      { at: at(-4), remove: [near] },
      ...usual,
    ],
  };
  for (const [what, steps] of Object.entries(others))
    it(`are not used if the history has ${what}`, async () => {
      const { newest } = await both(steps);
      assert.equal(newest, undefined);
    });
});
