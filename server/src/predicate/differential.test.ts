import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import * as fc from "fast-check";
import { after, before, describe, it } from "mocha";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { fuzzRuns, fuzzSeed } from "../../../test/support/base/fuzz.ts";
import { ensureDerived } from "../evidence/store/derived.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { labelAll } from "../evidence/labels/labelAll.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import type { Store } from "../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { compilePredicate, type Predicate } from "./compile.ts";
import { rolloutFacts } from "./facts.ts";
import { conditions } from "../../../test/support/predicate/expressions.ts";

const rows = 60;
const expressions = 400;
const perQuery = 8;

const text = fc.constantFrom(
  "",
  "pass",
  "a",
  "é",
  "🙂",
  "ab ab ab ab",
  "git log -p",
  "ZZ｡",
  'x\'y\n"q"',
  "  b",
  "1",
  "a b a b c",
  "a\tb\ra b\f\fa\r\nb\n a\tb",
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });
const numbers = fc.constantFrom(0, 1, 0.1, -0.5, 0.30000000000000004, 1e300, -2.25, 12345.678);

const turn: fc.Arbitrary<Turn> = fc
  .record({
    role: fc.constantFrom("system", "user", "assistant", "assistant", "assistant", "tool", "tool"),
    text,
    tool: optional(fc.constantFrom("bash", "edit", "pytest", "str_replace_editor", "é", "submit")),
    args: optional(
      fc.record(
        {
          path: fc.constantFrom<unknown>("a.py", "b.py", null, 3, ["x"], { y: 1 }),
          command: fc.constantFrom("view", "pytest -q", "sed -i s/a/b/ f", "ls", "cat <<E > f", ""),
          n: fc.constantFrom<unknown>(1, "1", true, 2.5, null),
        },
        { requiredKeys: [] },
      ),
    ),
    ok: optional(fc.boolean()),
    tokens: optional(fc.nat(9)),
    ms: optional(fc.constantFrom(0, 0.5, 12.25)),
  })
  .map((t) => Object.fromEntries(Object.entries(t).filter(([, v]) => v !== undefined)))
  .map((t) => ({ role: "user", text: "", ...t }));

const rollout = fc.record({
  step: fc.constantFrom(0, 1, 7, 4294967296),
  item: text.filter((t) => t !== ""),
  outcome: fc.constantFrom("pass", "fail", "unknown"),
  reward: fc.option(numbers),
  components: fc.dictionary(fc.constantFrom("tests", "format"), numbers),
  stop_reason: fc.option(fc.constantFrom("success", "max_turns", "é")),
  turns: fc.array(turn, { maxLength: 9 }),
  tokens: fc.option(fc.nat(99)),
  policy: fc.option(text),
  harness: fc.option(fc.constantFrom("abc", "Z")),
  seed: fc.option(fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
  duration_ms: fc.option(numbers.filter((n) => n >= 0)),
});

describe("a condition in SQL and as a closure", () => {
  let workspace: Workspace;
  let store: Store;
  const rollouts: Rollout[] = [];

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    fc.sample(rollout, { numRuns: rows, seed: 7 }).forEach((changes, i) => {
      const reason = changes.outcome === "unknown" ? { unknown_reason: "crash" } : {};
      const made = makeRollout({ ...changes, ...reason, id: `r-${i}` });
      if (i % 3 === 0) delete made.logprob_mean;
      rollouts.push(made);
    });
    await writeFile(workspace.file("r.jsonl"), rollouts.map(toLine).join(""));
    const report = await ingestFile(store, {
      path: workspace.file("r.jsonl"),
      kind: "rollouts",
      version: "v",
      run: "run-1",
    });
    assert.deepEqual([report.rows, report.quarantined], [rows, []]);
    await ensureDerived(store, "features");
    await ensureDerived(store, "actions");
  });
  after(() => workspace.remove());

  async function inSql(predicates: readonly Predicate[]): Promise<unknown[][]> {
    const columns = predicates.map((p, i) => `(${p.sql}) AS c${i}`).join(", ");
    const found = await store.query({
      sql: `SELECT ${columns} FROM rollouts r JOIN features f ON f.rid = r.rid JOIN actions a ON a.rid = r.rid ORDER BY r.rid`,
      params: [],
    });
    return predicates.map((_, i) => found.map((row) => row[`c${i}`]));
  }

  it(`gives the same result for ${expressions} expressions × ${rows} rollouts, and for more on request`, async function () {
    this.timeout(600_000);
    const compile = (source: string): Predicate => {
      const compiled = compilePredicate(source);
      assert.ok(compiled.ok, compiled.ok ? "" : `${source}: ${JSON.stringify(compiled.problems)}`);
      return compiled.predicate;
    };
    const facts = rollouts.map(rolloutFacts);
    const verdicts = new Map<unknown, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(conditions(3), { minLength: perQuery, maxLength: perQuery }),
        async (sources) => {
          const predicates = sources.map(compile);
          const found = await inSql(predicates);
          predicates.forEach((p, i) => {
            const expected = facts.map((f) => p.test(f));
            for (const verdict of expected) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
            assert.deepEqual(found[i], expected, `${sources[i] ?? ""}\n${p.sql}`);
          });
        },
      ),
      { numRuns: fuzzRuns(expressions / perQuery), ...fuzzSeed(11) },
    );
    // Of every answer there is enough that the agreement says something.
    for (const verdict of [true, false, null])
      assert.ok(
        (verdicts.get(verdict) ?? 0) > (expressions * rows) / 20,
        `${String(verdict)}: ${String(verdicts.get(verdict))}`,
      );
  });

  it("gives the same result when many conditions are tried in one reading, with the turns that show them", async function () {
    this.timeout(600_000);
    const facts = rollouts.map(rolloutFacts);
    // What is asked of a turn may read the whole rollout, with a text in it that looks like a column.
    const evidence = compilePredicate(
      'turn.tool == "bash" || repeats_pair(turn.index) || tool_count(turn.text + "f.calls") == 1 || tool_ratio(turn.tool) > 0.6 || turn.answers.action == "search"',
      "turn",
    );
    assert.ok(evidence.ok);
    const shownBy = rollouts.map((r, i) =>
      r.turns.flatMap((_, at) => (evidence.predicate.test(facts[i] ?? none, at) === true ? [at] : [])),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(conditions(3), { minLength: 12, maxLength: 12 }), async (some) => {
        // Conditions that are tried only where a turn matches an expression.
        const sources = [
          ...some,
          `turns.exists(t, t.text.matches("[a-zé]")) && !turns.exists(t, t.role == "tool")`,
          `turns.exists(t, t.text.matches("[^a]")) && (turns.all(t, t.tool != null) || turns.exists(t, t.ok)) && reward > 0.0`,
          // What is asked of the last turn alone, and nearly that.
          `turns.exists(t, t.index == n_messages - 1 && t.role == "assistant" && t.tool != null)`,
          `turns.exists(t, t.ok && n_messages - 1 == t.index) || turns.exists(t, t.index == n_messages - 1)`,
          `turns.exists(t, t.index == n_messages - 1 && t.command.contains("pytest")) && reward > 0.0`,
          // What is tried only where a file was edited, or where the rollout's own row allows it.
          `edits_file("^a") && !turns.exists(t, t.role == "user")`,
          `(edits_file("b") || turns.exists(t, t.text.matches("[^a]"))) && !turns.exists(t, t.ok) || edits_file("^a") == (n_turns > 2)`,
          `turns.exists(t, t.action == "edit" && t.file.matches("^[ab]") && !t.file.matches("b")) || edits_file("y") && action_count("test") > 0`,
          `turns.exists(t, t.action == "edit" && t.file == null) || turns.exists(t, t.action == "edit")`,
          `reward > 0.0 && outcome == "fail" && turns.exists(t, t.role == "tool" && t.text.matches("a"))`,
          `outcome == "pass" && turns.filter(t, t.role == "tool" && t.text.matches("a")).size() == 1`,
          `seed == 1 && turns.exists(t, t.ok && t.text.matches("b")) && !turns.exists(t, t.role == "tool" && t.text.matches("a"))`,
          // Counts whose bound few rollouts reach, texts with as many bytes as asked but fewer characters, and code.
          `turns.filter(t, t.role == "tool" && t.text.matches("[^a]") && t.answers.tool != null).size() >= 2`,
          `!(turns.filter(t, t.role == "tool" && t.answers.ok).size() > 1) && turns.filter(t, t.role == "tool" && t.answers.ok).size() == 1`,
          `turns.exists(t, size(t.text) > 1 && t.role != "user") && !turns.exists(t, size(t.text) >= 3)`,
          `turns.exists(t, t.command.contains("y") && !fixed_cases(t.command, "if")) || turns.exists(t, fixed_cases(t.text, "table"))`,
          `turns.exists(t, t.index == n_messages - 2 && t.tool != null) || turns.exists(t, t.index == n_messages - 1 && t.answers.ok)`,
        ];
        const reads = new SharedReads();
        const predicates = sources.map((source) => {
          const compiled = compilePredicate(source);
          assert.ok(compiled.ok, source);
          return compiled.predicate;
        });
        const labels = predicates.map((p, i) => ({
          label: `l-${i}`,
          revision: "1",
          where: p.sharedSql(reads),
          evidence: i % 2 === 0 ? evidence.predicate.evidencePlace(reads) : null,
        }));
        const results = await labelAll(store, {
          scope: { split: "train" },
          labels,
          reads,
        });
        const rows = await store.query({
          sql: "SELECT l.label, r.id, l.turns FROM labels l JOIN rollouts r USING (rid) ORDER BY l.label, r.rid",
          params: [],
        });
        for (const [i, p] of predicates.entries()) {
          const verdicts = facts.map((f) => p.test(f));
          const count = (verdict: boolean | null): number => verdicts.filter((v) => v === verdict).length;
          assert.deepEqual(
            results[i],
            { rollouts: rollouts.length, labelled: count(true), undecided: count(null) },
            sources[i],
          );
          assert.deepEqual(
            rows
              .filter((row) => row["label"] === `l-${i}`)
              .map((row) => [row["id"], Array.isArray(row["turns"]) ? row["turns"].map(Number) : null]),
            rollouts.flatMap((r, at) =>
              verdicts[at] === true ? [[r.id, i % 2 === 0 ? (shownBy[at] ?? []) : []]] : [],
            ),
            sources[i],
          );
        }
      }),
      { numRuns: fuzzRuns(12), ...fuzzSeed(12) },
    );
  });
});

const none = rolloutFacts(makeRollout());
