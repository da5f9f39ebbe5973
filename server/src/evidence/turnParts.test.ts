import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { actionSql, commandSql, fileSql, writtenSql } from "./actions.ts";
import { ingestFile } from "./ingest.ts";
import { makeRollout, makeWorkspace, toLine } from "./testEvidence.ts";
import { withParts } from "./turnParts.ts";

describe("what many conditions read of a turn's call", () => {
  const calls = [
    { tool: "bash", args: { command: "pytest -q", text: "x" } },
    { tool: "bash", args: { cmd: "ls", command: null } },
    { tool: "str_replace", args: { path: "a.py", file: "b.py", new_str: "y" } },
    { tool: "edit", args: { target_file: 7, content: { deep: [1] } } },
    { tool: "submit", args: {} },
    { tool: "submit" },
    {},
  ];
  const expressions = [
    actionSql("x"),
    commandSql("x"),
    fileSql("x"),
    writtenSql("x"),
    `CASE WHEN ${actionSql("x")} = 'edit' THEN ${fileSql("x")} END`,
    `contains(${commandSql("x")}, 'pytest') AND ${actionSql("x")} = 'test'`,
    "x.role = 'assistant'",
  ];

  it("comes out as when each condition computes it itself", async () => {
    const workspace = await makeWorkspace();
    const store = await workspace.open();
    const turns = calls.map((call) => ({ role: "assistant", text: "", ...call }));
    await writeFile(workspace.file("r.jsonl"), toLine(makeRollout({ turns })));
    await ingestFile(store, {
      path: workspace.file("r.jsonl"),
      kind: "rollouts",
      version: "v",
      run: "run-1",
    });
    for (const chosen of [expressions, ...expressions.map((e) => [e])]) {
      const { expressions: rewritten, from } = withParts("x", chosen);
      const [ours, plain] = await Promise.all(
        [[rewritten, from] as const, [chosen, "turns x"] as const].map(([columns, table]) =>
          store.query({
            sql: `SELECT ${columns.map((c, i) => `(${c})::VARCHAR AS c${i}`).join(", ")} FROM ${table} ORDER BY x.idx`,
            params: [],
          }),
        ),
      );
      assert.equal(ours?.length, calls.length);
      assert.deepEqual(ours, plain);
    }
    await workspace.remove();
  });

  it("is computed once however many ask for it", () => {
    const { expressions: rewritten, from } = withParts("x", expressions);
    assert.ok(rewritten.every((text) => !text.includes("json_extract_string")));
    assert.equal(from.split("json_extract_string").length, 2);
  });
});
