import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Turn } from "../../../../shared/model/rollout.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "../../predicate/compile.ts";
import { rolloutFacts } from "../../predicate/facts.ts";
import { ingestFile } from "../ingest/ingest.ts";
import { answeredCalls, answeredSql } from "./answeredCalls.ts";

const call = (tool: string, args: Record<string, unknown> = {}): Turn => ({
  role: "assistant",
  text: "",
  tool,
  args,
});
const says = (role: string, text = ""): Turn => ({ role, text });
const reply = (text = ""): Turn => says("tool", text);

/** By name the turns of a rollout, and for each turn which call it answers. */
const cases: Readonly<Record<string, readonly [readonly Turn[], readonly (number | null)[]]>> = {
  "one call and its reply": [
    [says("user"), call("open", { path: "a.py" }), reply("x"), call("bash", { command: "ls" }), reply()],
    [null, null, 1, null, 3],
  ],
  "calls side by side, whose replies come in their order": [
    [call("open"), says("assistant"), call("bash"), reply(), reply()],
    [null, null, null, 0, 2],
  ],
  "more replies than calls": [
    [call("open"), reply(), reply()],
    [null, 0, null],
  ],
  "fewer replies than calls": [
    [call("open"), call("bash"), reply(), call("edit"), reply()],
    [null, null, 0, null, 3],
  ],
  "a turn of somebody else in between": [
    [call("open"), says("user"), reply()],
    [null, null, null],
  ],
  "a reply without a call": [
    [says("assistant"), reply(), reply()],
    [null, null, null],
  ],
};

describe("the call that a reply answers", () => {
  for (const [name, [turns, expected]] of Object.entries(cases))
    it(name, () => assert.deepEqual(answeredCalls(turns), expected));

  it("is the same in the archive, for a rollout by itself and among many", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const all = Object.values(cases).map(([turns], i) => makeRollout({ id: `r-${i}`, turns: [...turns] }));
      await writeFile(workspace.file("r.jsonl"), all.map(toLine).join(""));
      await ingestFile(store, {
        path: workspace.file("r.jsonl"),
        kind: "rollouts",
        version: "v",
        run: "run-1",
      });
      const rows = await store.query({
        sql: `SELECT t.rid, t.idx, z.answers.idx AS call FROM turns t
              LEFT JOIN (${answeredSql("SELECT * FROM turns")}) z ON z.rid = t.rid AND z.idx = t.idx ORDER BY t.rid, t.idx`,
        params: [],
      });
      assert.deepEqual(
        rows.map(({ call: index }) => (index === null ? null : Number(index))),
        Object.values(cases).flatMap(([, expected]) => expected),
      );
      const ofTurn = compilePredicate('turn.answers.args.path == "a.py"', "turn");
      assert.ok(ofTurn.ok);
      const shown = await store.query({
        sql: `SELECT r.id, t.idx FROM rollouts r JOIN turns t USING (rid) WHERE ${ofTurn.predicate.sql}`,
        params: [],
      });
      assert.deepEqual(shown, [{ id: "r-0", idx: 2n }]);
      const facts = rolloutFacts(all[0] ?? makeRollout());
      assert.deepEqual(
        all[0]?.turns.map((_, at) => ofTurn.predicate.test(facts, at)),
        [null, null, true, null, null],
      );
    } finally {
      await workspace.remove();
    }
  });
});
