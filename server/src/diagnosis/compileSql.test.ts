import assert from "node:assert/strict";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { tableStatements } from "../evidence/tables.ts";
import { compileCondition } from "./compileSql.ts";
import { compileLabel } from "./compileLabel.ts";

/**
 * Three rollouts: 1 passes after reading the history, 2 fails in a streak of tests, 3 has an unknown outcome, no
 * reward and no tool call.
 */
const rows = [
  `INSERT INTO rollouts (rid, version, id, run, split, step, item, "group", sample, outcome, reward, components, stop_reason, tokens, logprob_mean, seed, duration_ms)
   VALUES (1, 'v1', 'a', 'r', 'selection', 10, 'i1', 'g1', 0, 'pass', 1.0, MAP {'correctness': 1.0, 'bonus': 0.5}, 'success', 40, -0.2, 1, 12.5),
          (2, 'v1', 'b', 'r', 'selection', 10, 'i1', 'g1', 1, 'fail', 0.3, MAP {'correctness': 0.4}, 'max_turns', 90, NULL, 1, 30),
          (3, 'v1', 'c', 'r', 'train', 11, 'i2', 'g2', 0, 'unknown', NULL, MAP {}, 'verifier_error', 0, NULL, 1, 1)`,
  `INSERT INTO turns VALUES
     (1, 0, 'user', 'Fix it''s "bug"', NULL, NULL, NULL, NULL, NULL),
     (1, 1, 'assistant', '', 'history', '{"command": "git log -p -1", "n": 3}', true, 5, 1.5),
     (1, 2, 'assistant', 'editing', 'edit', '{}', false, 5, 0.5),
     (2, 0, 'user', 'naïve 🙂', NULL, NULL, NULL, NULL, NULL),
     (2, 1, 'assistant', '', 'run_tests', NULL, true, 3, 1), (2, 2, 'assistant', '', 'run_tests', NULL, true, 3, 1),
     (2, 3, 'assistant', '', 'run_tests', NULL, false, 3, 1), (2, 4, 'assistant', '', 'edit', NULL, true, 3, 1)`,
  `INSERT INTO features (rid, n_turns, longest_tool_streak, streak_tool, tool_counts) VALUES
     (1, 2, 1, 'history', MAP {'history': 1::BIGINT, 'edit': 1::BIGINT}), (2, 4, 3, 'run_tests', MAP {'run_tests': 3::BIGINT, 'edit': 1::BIGINT}), (3, 0, 0, NULL, MAP {})`,
];

describe("compileCondition", () => {
  let connection: DuckDBConnection;
  before(async () => {
    connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const statement of [...tableStatements, ...rows]) await connection.run(statement);
  });
  after(() => connection.closeSync());

  const caught = async (text: string): Promise<string> => {
    const result = compileCondition(text);
    assert.ok(result.ok, result.ok ? "" : result.problem.message);
    const reader = await connection.runAndReadAll(
      `SELECT r.id FROM rollouts r LEFT JOIN features f ON f.rid = r.rid WHERE coalesce(${result.condition.sql}, FALSE) ORDER BY r.rid`,
    );
    return reader.getRows().flat().join("");
  };

  for (const [text, ids] of [
    [`outcome == "pass"`, "a"],
    [`outcome != "pass"`, "bc"],
    [`reward > 0.5`, "a"],
    [`!(reward > 0.5)`, "b"],
    [`reward > 0.5 || split == "train"`, "ac"],
    [`reward <= 1.0 && tokens >= 40`, "ab"],
    [`step / 4 == 2`, "abc"],
    [`step % 2 == 0`, "ab"],
    [`reward / 0.0 > 0.0`, ""],
    [`-reward < -0.5`, "a"],
    [`components["correctness"] < 0.5`, "b"],
    [`components.bonus > 0.1`, "a"],
    [`has(components.bonus)`, "a"],
    [`"bonus" in components`, "a"],
    [`stop_reason in ["success", "max_turns"]`, "ab"],
    [`item in []`, ""],
    [`turns.exists(t, t.tool == "history" && t.ok)`, "a"],
    [`turns.exists(t, t.tool == "edit" && !t.ok)`, "a"],
    [`turns.exists(t, t.args.command.contains("git log"))`, "a"],
    [`turns.exists(t, t.args["n"] == "3")`, "a"],
    [`turns.exists(t, t.tool == streak_tool && t.index == 3)`, "b"],
    [`turns.all(t, t.role == "user" || t.ok)`, "c"],
    [`turns.exists(t, t.text.matches("na.ve"))`, "b"],
    [`turns.exists(t, t.text == "naïve 🙂" && t.text.size() == 7)`, "b"],
    [`turns.exists(t, t.text.contains("it's \\"bug\\""))`, "a"],
    [`turns.exists(t, t.text.startsWith("edit") && t.text.endsWith("ing"))`, "a"],
    [`turns.filter(t, t.tool == "run_tests").size() >= 3`, "b"],
    [`size(turns) == 0`, "c"],
    [`n_turns == 4 && longest_tool_streak >= 3`, "b"],
    [`tool_count("edit") == 1`, "ab"],
    [`tool_count("history") == 0`, "bc"],
    [`first_turn("edit") == 1`, "a"],
    [`first_turn("history") == -1`, "bc"],
    [`double(tool_count("run_tests")) / double(n_turns) > 0.5`, "b"],
    [`outcome == "pass" ? reward > 0.5 : tokens > 50`, "ab"],
    [`id + run == "ar"`, "a"],
  ] as const)
    it(`${text} catches ${ids === "" ? "none" : ids}`, async () => assert.equal(await caught(text), ids));

  for (const [what, text, start, end, says] of [
    ["an unknown variable", `rewrad > 1.0`, 0, 6, /Unknown variable: rewrad/],
    ["types that do not compare", `reward > 0.1 && outcome == 3`, 16, 28, /no such overload/],
    ["a torn expression", `outcome ==`, 10, 11, /./],
    ["a number as a condition", `step + 1`, 0, 8, /true or false/],
    ["a pattern that is computed", `stop_reason.matches(outcome)`, 20, 27, /constant string/],
    ["a field that turns do not have", `turns.exists(t, t.colour == "red")`, 18, 24, /colour/],
    ["indexing turns", `turns[0].tool == "x"`, 0, 8, /turns\.exists/],
    ["bytes", `b"a" == b"a"`, 0, 4, /Bytes/],
  ] as const)
    it(`refuses ${what}, and says where`, () => {
      const result = compileCondition(text);
      assert.ok(!result.ok);
      assert.match(result.problem.message, says);
      assert.deepEqual([result.problem.start, result.problem.end], [start, end]);
    });

  it("gives a diagnostic another revision when what it catches changes", () => {
    const revision = (when: string): string => {
      const label = compileLabel(
        DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "x", label: { when } }),
      );
      return label.ok ? label.label.revision : "";
    };
    assert.notEqual(revision("step > 1"), revision("step > 2"));
    assert.equal(revision("step > 1"), revision("step > 1"));
  });
});
