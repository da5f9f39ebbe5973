import assert from "node:assert/strict";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { tableStatements } from "../evidence/store/tables.ts";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "./compile.ts";
import { rolloutFacts } from "./facts.ts";

/**
 * Three rollouts: 1 passes after reading the history, 2 fails in a streak of tests, 3 has an unknown outcome, no
 * reward and no turn.
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
  `INSERT INTO features (rid, n_turns, n_messages, n_tool_calls, longest_tool_streak, streak_tool, tool_counts, tool_first, tool_streaks, calls) VALUES
     (1, 2, 3, 2, 1, 'history', MAP {'history': 1::BIGINT, 'edit': 1::BIGINT}, MAP {'history': 0::BIGINT, 'edit': 1::BIGINT}, MAP {'history': 1::BIGINT, 'edit': 1::BIGINT}, ['history', 'edit']),
     (2, 4, 5, 4, 3, 'run_tests', MAP {'run_tests': 3::BIGINT, 'edit': 1::BIGINT}, MAP {'run_tests': 0::BIGINT, 'edit': 3::BIGINT}, MAP {'run_tests': 3::BIGINT, 'edit': 1::BIGINT}, ['run_tests', 'run_tests', 'run_tests', 'edit']),
     (3, 0, 0, 0, 0, NULL, MAP {}, MAP {}, MAP {}, [])`,
];

describe("compilePredicate", () => {
  let connection: DuckDBConnection;
  before(async () => {
    connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const statement of [...tableStatements, ...rows]) await connection.run(statement);
  });
  after(() => connection.closeSync());

  const caught = async (text: string): Promise<string> => {
    const result = compilePredicate(text);
    assert.ok(result.ok, result.ok ? "" : result.problems[0]?.message);
    const reader = await connection.runAndReadAll(
      `SELECT r.id FROM rollouts r LEFT JOIN features f ON f.rid = r.rid WHERE coalesce(${result.predicate.sql}, FALSE) ORDER BY r.rid`,
    );
    return reader.getRows().flat().join("");
  };

  for (const [text, ids] of [
    [`outcome == "pass"`, "a"],
    [`outcome != "pass"`, "bc"],
    [`"pass" != outcome`, "bc"],
    [`outcome == "passed" || outcome != "it's"`, "abc"],
    [`outcome < "pass"`, "b"],
    [`outcome >= "p"`, "ac"],
    [`"pass" > outcome`, "b"],
    [`outcome in ["fail", "none"]`, "b"],
    [`(true ? outcome : "none") == "pass" && outcome + split == "passselection"`, "a"],
    [`outcome == split`, ""],
    [`outcome.contains("as") && outcome.size() == 4`, "a"],
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
    [`turns.all(t, t.role == "user" || t.tool == "run_tests" || t.ok)`, "b"],
    [`turns.exists(t, t.text.matches("na.ve"))`, "b"],
    [`turns.exists(t, t.text == "naïve 🙂" && t.text.size() == 7)`, "b"],
    [`turns.exists(t, t.text.contains("it's \\"bug\\""))`, "a"],
    [`turns.exists(t, t.text.startsWith("edit") && t.text.endsWith("ing"))`, "a"],
    [`turns.filter(t, t.tool == "run_tests").size() >= 3`, "b"],
    [`size(turns) == 3`, "a"],
    [`size(turns) == 0`, ""],
    [`n_messages == 0`, "c"],
    [`n_turns == 4 && longest_tool_streak >= 3`, "b"],
    [`tool_count("edit") == 1`, "ab"],
    [`tool_count("history") == 0`, "b"],
    [`first_turn("edit") == 1`, "a"],
    [`first_turn("history") == -1`, "b"],
    [`double(tool_count("run_tests")) / double(n_turns) > 0.5`, "b"],
    [`outcome == "pass" ? reward > 0.5 : tokens > 50`, "ab"],
    [`id + run == "ar"`, "a"],
  ] as const)
    it(`${text} catches ${ids === "" ? "none" : ids}`, async () => assert.equal(await caught(text), ids));

  for (const [what, text, start, end, says] of [
    ["an unknown variable", `rewrad > 1.0`, 0, 6, /Unknown variable: rewrad/],
    ["a trainer's own word", `score > 1.0`, 0, 5, /What trainers call score is reward here\./],
    ["types that do not compare", `reward > 0.1 && outcome == 3`, 16, 28, /cannot be compared with/],
    ["an unfinished expression", `outcome ==`, 10, 11, /./],
    ["a number as a condition", `step + 1`, 0, 8, /true or false/],
    ["a pattern that is computed", `stop_reason.matches(outcome)`, 20, 27, /must be a constant/],
    ["a field that turns do not have", `turns.exists(t, t.colour == "red")`, 18, 24, /colour/],
    ["indexing turns", `turns[0].tool == "x"`, 0, 8, /turns\.exists/],
    ["bytes", `step == b"a"`, 8, 12, /Bytes/],
    ["a pattern that RE2 does not take", `stop_reason.matches("(a)\\\\1")`, 20, 28, /RE2/],
    ["a fraction as text", `string(reward) == "1"`, 0, 14, /cannot become a text/],
    ["a function with other arguments", `tool_count(3) > 1`, 0, 13, /tool_count\(tool: string\)/],
    ["a function of another scope", `rate("x") > 0.5`, 0, 9, /over a version/],
    ["an unknown action", `action_count("edt") > 1`, 13, 18, /one of search/],
    ["a piece of no length", `turns.exists(t, piece_repetition(t.text, 0) > 0.5)`, 41, 42, /1 to 100/],
    ["an n-gram of no length", `turns.exists(t, repetition(t.text, 0) > 0.5)`, 35, 36, /1 to 10/],
    ["a whole number that is too large", `step > 9223372036854775808`, 7, 26, /64 bits/],
    ["a text with a NUL character", `stop_reason == "a\\x00"`, 15, 22, /NUL character/],
    [
      "an argument's name with a quote",
      `turns.exists(t, t.args['a"b'] == "x")`,
      16,
      29,
      /double quote or a backslash/,
    ],
    [
      "an argument's name with a backslash",
      `turns.exists(t, t.args['a\\\\b'] == "x")`,
      16,
      30,
      /double quote or a backslash/,
    ],
    ["a list by itself", `["a"] == stop_reason`, 0, 5, /only after `in`/],
    ["an unknown parameter", `tokens > params.most`, 9, 20, /no parameter most/],
    ["the answered call by itself", `turns.exists(t, has(t.answers))`, 20, 29, /t\.answers\.tool/],
    ["a field that calls do not have", `turns.exists(t, t.answers.text == "")`, 26, 30, /no field text/],
    ["a filter that is not counted", `turns.filter(t, t.ok)`, 0, 21, /Count the turns/],
  ] as const)
    it(`refuses ${what}, and says where`, () => {
      const result = compilePredicate(text);
      assert.ok(!result.ok);
      const [problem, ...more] = result.problems;
      assert.match(problem?.message ?? "", says);
      assert.deepEqual([problem?.start, problem?.end, more.length], [start, end, 0]);
    });

  it("suggests the call that was meant, and also reports problems in its arguments", () => {
    const problemsOf = (text: string): string[] => {
      const result = compilePredicate(text);
      return result.ok ? [] : result.problems.map((p) => p.message);
    };
    assert.deepEqual(problemsOf('turns.exist(t, t.txt == "")'), [
      "Unknown function: exist. Did you mean exists?",
      "A turn has no field txt. Did you mean text?",
    ]);
    assert.deepEqual(problemsOf("sze(turns) > 2"), ["Unknown function: sze. Did you mean size?"]);
  });

  it("reports every problem at once, with what was meant", () => {
    const result = compilePredicate(
      `rewrad > 1.0 && outcme == "pass" || turns.exists(t, t.tol == "x" && t.text.matches("["))`,
    );
    assert.ok(!result.ok);
    assert.deepEqual(
      result.problems.map((p) => [p.start, p.message.replace(/RE2: .*/, "RE2")]),
      [
        [0, "Unknown variable: rewrad. Did you mean reward?"],
        [16, "Unknown variable: outcme. Did you mean outcome?"],
        [54, "A turn has no field tol. Did you mean tool?"],
        [83, "Not a pattern of RE2"],
      ],
    );
  });

  it("reads parameters as the numbers that they are set to", async () => {
    const caughtWith = async (most: number): Promise<string> => {
      const result = compilePredicate("tokens > params.most", "rollout", { most });
      assert.ok(result.ok);
      const found = await connection.runAndReadAll(
        `SELECT r.id FROM rollouts r WHERE ${result.predicate.sql} ORDER BY r.rid`,
      );
      return found.getRows().flat().join("");
    };
    assert.deepEqual([await caughtWith(39), await caughtWith(40.5)], ["ab", "b"]);
  });

  for (const [text, expected] of [
    // No value: neither true nor false, but for what decides alone.
    ["reward > 0.5", null],
    ["!(reward > 0.5)", null],
    ["reward > 0.5 || true", true],
    ["reward > 0.5 && false", false],
    ["reward > 0.5 && true", null],
    ["reward == null", true],
    ["reward != null", false],
    ["reward != 0.5", null],
    ["(reward > 0.5 ? true : false)", null],
    ["components.none in [1.0]", null],
    ["1 / 0 == 0", null],
    ["1 % 0 == 0", null],
    ["1.0 / 0.0 > 0.0", null],
    ["9223372036854775807 + 1 > 0", null],
    ["-(-9223372036854775808) > 0", null],
    ['tool_streak("bash") - -9223372036854775808 < 0', null],
    ['tool_streak("bash") - -9223372036854775808 < -(0)', null],
    ["1e308 * 10.0 > 0.0", null],
    ["-7 / 2 == -3 && -7 % 3 == -1", true],
    ["0.1 + 0.2 == 0.3", false],
    ["1 == 1.0 && 2 > 1.5", true],
    // Where no turn was kept, nobody knows what the policy did.
    ["turns.exists(t, true)", null],
    ["turns.all(t, false)", null],
    ["turns.size() == 0 && turns.filter(t, t.ok).size() == 0", null],
    ["n_messages == 0 || turns.exists(t, true)", true],
    ['tool_ratio("bash") == 0.0', null],
    ["call_repetition(2) == 0.0", null],
    ['first_turn("bash") == -1 && tool_streak("bash") == 0', null],
    ['abs(repetition("a b a b", 2) - 0.3333) < 0.001', true],
    ['repetition("a", 2) == null', true],
    ['piece_repetition("🙂é🙂éx\\n🙂é", 2) == 0.5 && piece_repetition("abc", 2) == 0.0', true],
    ['piece_repetition("🙂", 2) == null && piece_repetition("", 1) == null', true],
    ["stop_reason in []", false],
    ["unknown_reason in []", null],
    // Text is counted and compared in code points.
    ['"naïve 🙂".size() == 7 && "｡" < "🙂"', true],
    ['int("12") == 12 && int("1.5") == null && double(" 1") == null', true],
    ['string(12) + string(true) == "12true"', true],
  ] satisfies readonly (readonly [string, boolean | null])[])
    it(`${text} is ${String(expected)} for a rollout without turns and reward, in both forms`, async () => {
      const result = compilePredicate(text);
      assert.ok(result.ok, result.ok ? "" : result.problems[0]?.message);
      const rows = await connection.runAndReadAll(
        `SELECT (${result.predicate.sql}) FROM (SELECT * REPLACE (NULL AS reward) FROM rollouts) r JOIN features f ON f.rid = r.rid WHERE r.rid = 3`,
      );
      assert.deepEqual(rows.getRows(), [[expected]]);
      const rollout = makeRollout({ reward: null, turns: [], stop_reason: "verifier_error", components: {} });
      assert.equal(result.predicate.test(rolloutFacts(rollout)), expected);
    });
});
