import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Turn } from "../../../../shared/model/rollout.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../../test/support/evidence/evidence.ts";
import { ensureDerived } from "../store/derived.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { repeatedCalls } from "./repeatedCalls.ts";

const book = (flight: string): Turn => ({ role: "assistant", text: "", tool: "book", args: { flight } });
const edit: Turn = { role: "assistant", text: "", tool: "edit", args: { path: "a.py" } };
const other: Turn = { ...edit, args: { path: "b.py" } };
const bare: Turn = { role: "assistant", text: "", tool: "book" };
const user: Turn = { role: "user", text: "Please do." };
const says = (text: string): Turn => ({ role: "tool", text });
const [error, done] = [says("Error: no seats"), says("booked")];

/** By name the turns of a rollout, and those whose call repeats an earlier one in vain. */
const cases: Readonly<Record<string, readonly [readonly Turn[], readonly number[]]>> = {
  "the same call, answered the same": [[book("1"), error, user, book("1"), error], [3]],
  "other arguments": [[book("1"), error, book("2"), error], []],
  "the same call, answered otherwise": [[book("1"), error, book("1"), done], []],
  "another call in between": [[book("1"), error, book("2"), error, book("1"), error], [4]],
  "an edit in between": [[book("1"), error, edit, says("done"), book("1"), error], []],
  "the same edit, which fails again": [[edit, error, edit, error], [2]],
  "two edits in turns": [
    [edit, done, other, done, edit, done, other, done, edit, done],
    [6, 8],
  ],
  "no reply": [[book("1"), error, book("1")], []],
  "no arguments on record": [[bare, error, bare, error], []],
  "nothing called": [[user], []],
};

describe("calls that repeat an earlier one in vain", () => {
  for (const [name, [turns, expected]] of Object.entries(cases))
    it(name, () => assert.deepEqual(repeatedCalls(turns), expected));

  it("are the same in the archive", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const all = Object.values(cases).map(([turns], i) => makeRollout({ id: `r-${i}`, turns: [...turns] }));
      await writeFile(workspace.file("r.jsonl"), all.map(toLine).join(""));
      const path = workspace.file("r.jsonl");
      await ingestFile(store, { path, kind: "rollouts", version: "v", run: "run-1" });
      await ensureDerived(store, "actions");
      const rows = await store.query({
        sql: "SELECT to_json(repeated_calls)::VARCHAR AS turns FROM actions ORDER BY rid",
        params: [],
      });
      assert.deepEqual(
        rows.map(({ turns }) => JSON.parse(String(turns)) as unknown),
        Object.values(cases).map(([, expected]) => expected),
      );
    } finally {
      await workspace.remove();
    }
  });
});
