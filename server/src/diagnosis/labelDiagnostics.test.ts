import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { Row } from "../evidence/store/sql.ts";
import { tablesFor } from "../evidence/store/derived.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { makeWorkspace, toLine, type Workspace } from "../../../test/support/evidence/evidence.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { exampleRollouts } from "./examples.ts";
import { withParts } from "../evidence/contract/callParts.ts";
import { partsOf } from "../evidence/labels/turnConditions.ts";
import { unmetConditions } from "../evidence/labels/unmet.ts";
import { SharedReads } from "../evidence/labels/sharedReads.ts";
import { verdictsOf } from "../evidence/labels/verdicts.ts";
import { usableLabel } from "./label/compileLabel.ts";
import { labelDiagnostics, labelsByCondition } from "./labelDiagnostics.ts";

const scope: EvidenceScope = { split: "selection", version: "v" };
const library = shippedDiagnostics().map(({ spec }) => spec);

/** Has no value anywhere: it overflows. */
const overflowing = DiagnosticSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Diagnostic",
  name: "overflowing",
  label: { when: 'tool_streak("bash") - -9223372036854775807 - 2 * -9223372036854775807 < 0' },
});

/** More labels than a word has bits, which ask the turns in every way. */
const generated = Array.from({ length: 70 }, (_, i) =>
  DiagnosticSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Diagnostic",
    name: `made-${i}`,
    label: {
      when: [
        `turns.exists(t, t.index == ${i % 5} && t.tool != null)`,
        `turns.filter(t, t.text.matches(r"[a-e]${i % 7}?x*[st]")).size() > ${i % 3} || stop_reason.size() == ${i}`,
        `turns.all(t, t.role == "assistant" || t.text.matches(r"(one|two|[0-9]+)")) && n_turns > ${i % 4}`,
        `reward > ${i}.0 && turns.exists(t, t.command.contains("git") && t.index < n_turns)`,
        `stop_reason.lowerAscii().contains("${String.fromCharCode(97 + (i % 26))}")`,
      ][i % 5],
      ...(i % 2 === 0 ? { evidence: `turn.index >= ${i % 6} && turn.index <= n_messages - ${i % 3}` } : {}),
    },
  }),
);

describe("labels of many diagnostics in one pass", () => {
  let workspace: Workspace;
  let store: Store;

  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
    for (const { name: run, examples } of library) {
      const rollouts = examples.flatMap(exampleRollouts);
      if (rollouts.length === 0) continue;
      const path = workspace.file(`${run}.jsonl`);
      await writeFile(path, rollouts.map((r) => toLine({ ...r, run })).join(""));
      await ingestFile(store, { path, kind: "rollouts", version: "v", run });
    }
  });
  after(() => workspace.remove());

  async function labelled(
    passes: readonly (readonly DiagnosticSpec[])[],
  ): Promise<{ readonly counts: LabelCount[]; readonly rows: readonly Row[] }> {
    await store.write((connection) => connection.run("DELETE FROM labelled"));
    const counts: LabelCount[] = [];
    for (const specs of passes) {
      counts.push(...(await labelDiagnostics(store, specs, { rollouts: scope, groups: scope })));
      // After a write of any kind the next pass sets them again.
      await store.write(() => Promise.resolve());
    }
    const rows = await store.query({
      sql: "SELECT rid, label, revision, turns FROM labels ORDER BY label, rid",
      params: [],
    });
    return { counts, rows };
  }

  for (const [name, specs] of [
    ["the library", library],
    ["more diagnostics than a word has bits", [...library, ...generated]],
  ] as const)
    it(`are the same as one by one, with the same turns: ${name}`, async function () {
      this.timeout(120_000);
      const together = await labelled([specs]);
      const alone = await labelled(specs.map((spec) => [spec]));
      assert.deepEqual(together, alone);
      assert.ok(together.rows.length > specs.length);
      // A second pass replaces what the first one set.
      assert.deepEqual(await labelled([specs, specs]), {
        counts: [...alone.counts, ...alone.counts],
        rows: alone.rows,
      });
    });

  it("do not try what no turn can meet, and nothing that one meets is taken for that", async function () {
    this.timeout(120_000);
    const reads = new SharedReads();
    const conditions = [...library, ...generated]
      .filter((spec) => labelsByCondition(spec) && spec.over === "rollout")
      .map((spec) => usableLabel(spec).sharedWhen(reads));
    const turns = reads.turns.all;
    const every = await store.query({ sql: "SELECT rid FROM rollouts ORDER BY rid", params: [] });
    let left = 0;
    for (const from of [0, ...every.slice(-12).map(({ rid }) => Number(rid))]) {
      const within: EvidenceScope = { ...scope, fromRid: from };
      const unmet = await unmetConditions(store, within, turns);
      left += unmet.size;
      const met = turns.map(({ conjuncts }) => conjuncts.map(({ sql }) => sql).join(" AND ") || "TRUE");
      const source = withParts(`SELECT * FROM turns x WHERE x.rid >= ${from}`, partsOf(turns));
      const [row = {}] = await store.query({
        sql: `SELECT ${met.map((sql, i) => `count(*) FILTER (${sql})::INTEGER AS n${i}`).join(", ")} FROM (${source}) x`,
        params: [],
      });
      const wrong = turns.filter((one, i) => unmet.has(one) && row[`n${i}`] !== 0);
      assert.deepEqual(wrong, [], `from ${from}`);
    }
    assert.ok(left > 100, `${left} conditions were left out`);
    const patterns = async (of: EvidenceScope): Promise<number> =>
      (await verdictsOf(store, { scope: of, conditions, reads })).sql.split("regexp_matches").length;
    const onNone = await patterns({ split: "selection", version: "none" });
    assert.ok(onNone + 50 < (await patterns(scope)), "without turns patterns are left out");
  });

  it("are on as many rollouts as match the condition alone", async () => {
    const missing = DiagnosticSpec.parse({
      apiVersion: "evotrainer/v1",
      kind: "Diagnostic",
      name: "missing",
      label: { when: "turns.exists(t, (t.command == null) == true)" },
    });
    for (const spec of [missing, ...generated.slice(0, 20)]) {
      const { counts } = await labelled([[spec]]);
      const compiled = compilePredicate(spec.label.when ?? "");
      assert.ok(compiled.ok);
      const { sql } = compiled.predicate;
      const [row] = await store.query({
        sql: `SELECT count(*)::INTEGER AS n FROM ${await tablesFor(store, sql)} WHERE r.split = 'selection' AND (${sql})`,
        params: [],
      });
      assert.equal(counts[0]?.labelled, row?.["n"], spec.label.when);
    }
    assert.ok(((await labelled([[missing]])).counts[0]?.labelled ?? 0) > 0);
  });

  it("are left as they stand until something is written of the version", async () => {
    const specs = library.filter(({ over }) => over === "rollout");
    const pass = () => labelDiagnostics(store, specs, { rollouts: scope, groups: scope });
    const counts = await pass();
    const commits = store.commits();
    assert.deepEqual(await pass(), counts);
    assert.equal(store.commits(), commits, "nothing was set");
    await labelDiagnostics(store, specs.slice(1), { rollouts: scope, groups: scope });
    assert.ok(store.commits() > commits, "other labels are set");
    await store.write((connection) => connection.run("DELETE FROM labelled"), ["v"]);
    assert.deepEqual(await pass(), counts);
    const [row] = await store.query({ sql: "SELECT count(*)::INTEGER AS n FROM labelled", params: [] });
    const labelled = counts.reduce((sum, count) => sum + count.labelled, 0);
    assert.ok(labelled > 0);
    assert.equal(row?.["n"], labelled, "what was taken off is set again");
  });

  it("ask the prompts only where something was edited or written, and turns only where the end allows it", () => {
    const asked = (name: string): SharedReads => {
      const reads = new SharedReads();
      for (const spec of library) if (spec.name === name) usableLabel(spec).sharedWhen(reads);
      return reads;
    };
    for (const name of ["edits-grader", "forced-exit"]) {
      const { turns, later } = asked(name);
      const ofPrompts = (all: typeof turns): number =>
        all.all.filter(({ conjuncts }) => conjuncts.some(({ sql }) => sql.includes("'user'"))).length;
      assert.equal(ofPrompts(turns), 0, name);
      assert.ok(ofPrompts(later.turns) > 0, name);
    }
    const { turns, tried } = asked("unanswered-call");
    assert.ok(turns.all.length > 0);
    for (const guard of tried) assert.match(guard ?? "", /reward.*IS NOT FALSE/);
  });

  it("report conditions without a value, for one diagnostic and for many", async () => {
    for (const specs of [[overflowing], [overflowing, ...library]]) {
      const { counts } = await labelled([specs]);
      const [count] = counts;
      assert.ok(count !== undefined && count.rollouts > 0);
      assert.deepEqual([count.labelled, count.undecided], [0, count.rollouts]);
    }
  });
});
