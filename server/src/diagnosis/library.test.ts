import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { scopeCondition, type EvidenceScope } from "../evidence/store/split.ts";
import { ensureDerived, tablesFor } from "../evidence/store/derived.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import type { Store } from "../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { rolloutFacts } from "../predicate/facts.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { compileLabel } from "./label/compileLabel.ts";
import { exampleFacts, exampleRollouts, failedExamples } from "./examples.ts";
import { groupTables } from "./groups.ts";
import { expressionKeys, expressionProblems } from "./label/labelExpressions.ts";
import { findingOf } from "./versionRules.ts";

const library = shippedDiagnostics().map(({ spec }) => spec);

describe("the library of diagnostics", () => {
  for (const spec of library) {
    const { name, over, params, label } = spec;
    it(`${name}: compiles, has a description and a source, and its examples of both kinds hold`, () => {
      assert.ok((spec.description?.length ?? 0) > 20 && spec.source !== undefined);
      for (const key of expressionKeys)
        assert.deepEqual(
          label[key] === undefined ? [] : expressionProblems(key, label[key], over, params),
          [],
        );
      assert.deepEqual(failedExamples(spec), []);
      assert.deepEqual([...new Set(spec.examples.map((e) => e.expect))].sort(), ["clear", "labelled"]);
      for (const example of spec.examples) assert.notEqual(typeof example.rollout, "string");
    });
    if (over === "version")
      it(`${name}: describes what it found in a whole sentence`, () => {
        for (const [i, example] of spec.examples.entries()) {
          const facts = exampleFacts(example, i);
          const finding = facts && findingOf(spec, facts);
          if (finding !== undefined) assert.match(finding.message, /^[^{}]+\.$/);
        }
      });
  }

  for (const [name, tools, expected] of [
    // Nine calls of one tool in a row, between other calls of it: the streak alone shows it.
    ["tool-streak", "a b a b a a a a a a a a a b a b a", [4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ["repeated-calls", "a b c a b a b a b a b a b a b a b", [4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]],
  ] as const)
    it(`${name}: is shown by the turns that repeat, not by every call`, () => {
      const spec = library.find((d) => d.name === name);
      const evidence = compilePredicate(spec?.label.evidence ?? "", "turn", spec?.params);
      const when = compilePredicate(spec?.label.when ?? "", "rollout", spec?.params);
      assert.ok(evidence.ok && when.ok);
      const turns = tools.split(" ").map((tool) => ({ role: "assistant" as const, text: "", tool }));
      const facts = rolloutFacts(makeRollout({ turns }));
      const shown = turns.flatMap((_, i) => (evidence.predicate.test(facts, i) === true ? [i] : []));
      assert.deepEqual([when.predicate.test(facts), shown], [true, expected]);
    });

  const [user, says] = [
    { role: "user", text: "End with #### <number>" },
    { role: "assistant", text: "It is 4." },
  ];
  for (const [what, turns, expected] of [
    // The last word of the policy has the wrong form, not each of them; who ends with a call gives no answer there either.
    ["words", [user, says, user, says], [3]],
    [
      "a call",
      [user, says, { role: "assistant", text: "", tool: "open" }, { role: "tool", text: "ok" }],
      [2],
    ],
  ] as const)
    it(`format-violation: is shown by the policy's last turn alone, ${what}`, () => {
      const name = "format-violation";
      const spec = library.find((d) => d.name === name);
      const evidence = compilePredicate(spec?.label.evidence ?? "", "turn", spec?.params);
      assert.ok(evidence.ok);
      const facts = rolloutFacts(makeRollout({ ...judged, turns: [...turns] }));
      assert.equal(verdict(name, { ...judged, turns: [...turns] }), true);
      assert.deepEqual(
        turns.flatMap((_, i) => (evidence.predicate.test(facts, i) === true ? [i] : [])),
        expected,
      );
    });

  const verdict = (name: string, rollout: Partial<Rollout>): unknown => {
    const spec = library.find((d) => d.name === name);
    const when = compilePredicate(spec?.label.when ?? "", "rollout", spec?.params);
    assert.ok(when.ok);
    return when.predicate.test(rolloutFacts(makeRollout(rollout)));
  };
  const judged = { outcome: "fail", reward: null, stop_reason: null, components: {} } as const;
  const words = [
    { role: "user", text: "2 + 2?" },
    { role: "assistant", text: "4" },
  ];
  const decided: readonly (readonly [string, string, Partial<Rollout>, boolean | null])[] = [
    ["verifier-error", "a verdict and no reason to end", judged, false],
    [
      "verifier-error",
      "an outcome that nobody judges",
      { outcome: "unknown", unknown_reason: "verl writes a score", stop_reason: null },
      false,
    ],
    ["counted-failure", "a rollout without a reward", judged, false],
    ["counted-failure", "a reward of 0 that was judged", { ...judged, reward: 0 }, false],
    ["format-violation", "words without a check of the format", { ...judged, turns: words }, false],
    ["format-violation", "neither words nor a check", { ...judged, turns: [] }, null],
    ["empty-completion", "no transcript", { ...judged, turns: [] }, null],
    ["empty-completion", "a prompt without an answer", { ...judged, turns: words.slice(0, 1) }, true],
    ["never-edits", "no transcript", { ...judged, turns: [] }, null],
    ["short-rollout", "no transcript", { ...judged, turns: [] }, null],
    ["public-tests-only", "both rewards", { components: { public_reward: 1, private_reward: 0 } }, true],
    [
      "public-tests-only",
      "both rewards, of nothing",
      { components: { public_reward: 0, private_reward: 0 } },
      false,
    ],
    ["public-tests-only", "no tests", { components: {} }, null],
  ];
  for (const [name, what, rollout, expected] of decided)
    it(`${name}: ${what} ${expected === null ? "decide nothing" : "decide it"}`, () =>
      assert.equal(verdict(name, rollout), expected));

  it("says of no rollout both that it answered and that its answer has the wrong form", () => {
    const prompts = [
      "2 + 2?",
      "End with #### <number>",
      "Put it into <answer> </answer>.",
      "Put it into \\boxed{}.",
    ];
    const answers = ["4", "\\boxed{4}", "#### 4", "<answer>4</answer>", "<answer>\\boxed{4}</answer>"];
    const said = new Set<string>();
    for (const prompt of prompts)
      for (const answer of answers)
        for (const components of [{}, { format: 0 }, { format: 1 }]) {
          const turns = [
            { role: "user", text: prompt },
            { role: "assistant", text: answer },
          ];
          const found = ["answered-but-failed", "format-violation"].filter(
            (name) => verdict(name, { ...judged, components, turns }) === true,
          );
          for (const name of found) said.add(name);
          assert.ok(found.length < 2, `${prompt} ${answer} ${JSON.stringify(components)}`);
        }
    assert.equal(said.size, 2);
  });

  it("has the names of its files", () =>
    assert.deepEqual(
      shippedDiagnostics().map(({ path }) => path),
      library.map(({ name }) => `library/${name}.diagnostic.yaml`),
    ));
});

describe("the examples of the library in SQL", () => {
  let workspace: Workspace;
  let store: Store;
  const scope: EvidenceScope = { split: "selection", version: "v" };

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    const runs = library.flatMap((spec) => {
      const rollouts = spec.examples.map((example, i) => exampleRollouts(example, i));
      // What a group says can depend on the other groups of its run.
      return spec.over === "group"
        ? rollouts.map((own, i) => ({ run: `${spec.name}.${i}`, rollouts: own }))
        : [{ run: spec.name, rollouts: rollouts.flat() }];
    });
    for (const { run, rollouts } of runs) {
      if (rollouts.length === 0) continue;
      await writeFile(workspace.file(`${run}.jsonl`), rollouts.map((r) => toLine({ ...r, run })).join(""));
      const path = workspace.file(`${run}.jsonl`);
      const report = await ingestFile(store, { path, kind: "rollouts", version: "v", run });
      assert.deepEqual([report.rows, report.quarantined], [rollouts.length, []]);
    }
  });
  after(() => workspace.remove());

  for (const spec of library.filter((d) => d.over === "rollout"))
    it(`of ${spec.name} hold`, async () => {
      const compiled = compileLabel(spec);
      assert.ok(compiled.ok);
      const { when, evidence } = compiled.label;
      const where = scopeCondition(scope);
      const found = await store.query({
        sql: `SELECT coalesce((${when}), false) AS labelled FROM ${await tablesFor(store, when)} WHERE ${where.sql} AND r.run = ? ORDER BY r.rid`,
        params: [...where.params, spec.name],
      });
      assert.deepEqual(
        found.map((row) => row["labelled"]),
        spec.examples.map((e) => e.expect === "labelled"),
      );
      if (evidence === null) return;
      // Who reads the label has something to look at.
      const shown = await store.query({
        sql: `SELECT count(DISTINCT r.rid)::INTEGER AS shown FROM ${await tablesFor(store, `${when} ${evidence}`)}
              JOIN turns t ON t.rid = r.rid WHERE r.run = ? AND (${when}) AND (${evidence})`,
        params: [spec.name],
      });
      const withTurns = spec.examples.filter(
        (e, i) => e.expect === "labelled" && (exampleRollouts(e, i)[0]?.turns.length ?? 0) > 0,
      );
      assert.equal(shown[0]?.["shown"], withTurns.length);
    });

  for (const spec of library.filter((d) => d.over === "group"))
    it(`of ${spec.name} hold`, async () => {
      const compiled = compilePredicate(spec.label.when ?? "", "group", spec.params);
      assert.ok(compiled.ok);
      await ensureDerived(store, "actions");
      const tables = groupTables(scope, { withFiles: true, withTurns: true });
      const found = await store.query({
        sql: `WITH ${tables.sql} SELECT coalesce((${compiled.predicate.sql}), false) AS labelled FROM groups g
              WHERE starts_with(g.run, ? || '.') ORDER BY g.run`,
        params: [...tables.params, spec.name],
      });
      assert.deepEqual(
        found.map((row) => row["labelled"]),
        spec.examples.map((e) => e.expect === "labelled"),
      );
    });
});
