import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { buildLineage, domainsOf, findVersion, wholeRecord } from "./graph.ts";

const commit = "a".repeat(40);
let minute = 0;
const base = (id: string) => ({
  id,
  at: new Date(Date.UTC(2026, 0, 1, 0, minute++)).toISOString(),
  domain: "swe",
});
const version = (name: string, parent: string | null, more: object = {}): LedgerEntry => ({
  ...base(`version:${name}`),
  type: "version",
  version: name,
  commit,
  parent,
  generation: 0,
  factor: null,
  intervention: null,
  title: name,
  ...more,
});
const decision = (name: string, value: "keep" | "reject" | "revert", n = 1): LedgerEntry => ({
  ...base(`decision:${name}:${n}`),
  type: "decision",
  version: name,
  decision: value,
  reason: "because",
  comparison: null,
  evidence: [],
});

describe("buildLineage", () => {
  const entries: LedgerEntry[] = [
    version("v0", null),
    version("v1", "v0", { factor: "reward", intervention: "binary", generation: 1 }),
    version("v2", "v0"),
    version("v3", "v1"),
    {
      ...base("h:v1"),
      type: "hypothesis",
      version: "v1",
      statement: "s",
      targets: [],
      predictedFixes: [],
      predictedRisks: [],
    },
    { ...base("b:v1"), type: "backtest", version: "v1", summary: "s", figures: { dgr: 0.5 } },
    { ...base("a:v1"), type: "approval", version: "v1", gate: "design", answer: "approve", by: "rule" },
    {
      ...base("j:v1:1"),
      type: "job",
      version: "v1",
      job: "v1-1",
      state: "failed",
      failure: "crash",
      message: "m",
      seconds: 1,
    },
    {
      ...base("j:v1:2"),
      type: "job",
      version: "v1",
      job: "v1-2",
      state: "finished",
      failure: null,
      message: "m",
      seconds: 2,
    },
    {
      ...base("e:v1"),
      type: "evidence",
      version: "v1",
      split: "selection",
      score: null,
      cleanScore: null,
      labels: [],
      signals: {},
    },
    {
      ...base("e:v1:audit"),
      type: "evidence",
      version: "v1",
      split: "audit",
      score: null,
      cleanScore: null,
      labels: [],
      signals: {},
    },
    decision("v1", "keep"),
    decision("v2", "reject"),
    { ...base("p:v1"), type: "promotion", version: "v1", gap: 0.1, reason: "r" },
    decision("v1", "revert", 2),
  ];
  const lineage = buildLineage(entries, "swe");

  it("collects what happened to each version", () => {
    assert.deepEqual(lineage.problems, []);
    assert.deepEqual(
      lineage.versions.map((v) => v.name),
      ["v0", "v1", "v2", "v3"],
    );
    const v1 = findVersion(lineage, "v1");
    assert.equal(v1?.factor, "reward");
    assert.equal(v1.hypothesis?.statement, "s");
    assert.equal(v1.backtest?.figures["dgr"], 0.5);
    assert.deepEqual(
      v1.jobs.map((j) => j.state),
      ["failed", "finished"],
    );
    assert.equal(v1.approvals.length, 1);
    assert.deepEqual(Object.keys(v1.evidence), ["selection", "audit"]);
    assert.equal(v1.decision?.decision, "revert");
    assert.equal(v1.decisions.length, 2);
    assert.equal(v1.promotion?.gap, 0.1);
    const copy = { ...wholeRecord(v1) };
    assert.deepEqual([copy.name, copy.parent, copy.jobs.length], ["v1", "v0", 2]);
    assert.equal(findVersion(lineage, "v3")?.decision, undefined);
  });

  it("describes a version as its gate changed it, and says when an older ledger does not tell", () => {
    const answered = (change: object): LedgerEntry => ({
      ...base("a:v1"),
      ...{
        type: "approval",
        version: "v1",
        gate: "design",
        answer: "approve",
        by: "me",
        commit: "b".repeat(40),
      },
      ...change,
    });
    const job: LedgerEntry = {
      ...{ ...base("j:v1"), type: "job", version: "v1", job: "v1", state: "finished" },
      ...{ failure: null, message: "", seconds: 1 },
    };
    const of = (change: object): unknown => {
      const all = [version("v0", null), version("v1", "v0", { factor: "reward" }), answered(change), job];
      const v1 = findVersion(buildLineage(all, "swe"), "v1");
      return [v1?.title, v1?.proposedAs, v1?.factor, v1?.commit];
    };
    assert.deepEqual(of({ change: { title: "lr: 1 → 2", factor: "optimisation" } }), [
      ...["lr: 1 → 2", "v1", "optimisation", "b".repeat(40)],
    ]);
    assert.deepEqual(of({}), ["altered at its gate, proposed as v1", "v1", "reward", "b".repeat(40)]);
  });

  it("puts parents first, in whatever order the entries are", () => {
    const mixed = buildLineage([...entries].reverse(), "swe");
    assert.deepEqual(mixed.problems, []);
    const names = mixed.versions.map((v) => v.name);
    assert.equal(names[0], "v0");
    assert.ok(names.indexOf("v1") < names.indexOf("v3"));
    assert.equal(findVersion(mixed, "v1")?.jobs.length, 2);
  });

  it("keeps domains separate", () => {
    const other = { ...version("v0", null), domain: "math" };
    assert.deepEqual(domainsOf([...entries, other]), ["math", "swe"]);
    assert.equal(buildLineage([...entries, other], "math").versions.length, 1);
    assert.deepEqual(buildLineage([], "swe"), { domain: "swe", versions: [], problems: [] });
  });

  it("sets aside missing parents, circles and contradictions, and says why", () => {
    const odd = buildLineage(
      [
        version("v0", null),
        { ...version("v0", null), id: "version:v0:again", commit: "b".repeat(40) } as LedgerEntry,
        version("orphan", "gone"),
        version("below", "orphan"),
        version("x", "y"),
        version("y", "x"),
        decision("nobody", "keep"),
        decision("orphan", "keep"),
      ],
      "swe",
    );
    assert.deepEqual(
      odd.versions.map((v) => v.name),
      ["v0"],
    );
    assert.deepEqual(
      odd.problems.map((p) => p.entry),
      [
        "version:v0:again",
        "version:orphan",
        "version:below",
        "version:x",
        "version:y",
        "decision:nobody:1",
        "decision:orphan:1",
      ],
    );
    assert.match(odd.problems[0]?.reason ?? "", /another commit/);
  });
});
