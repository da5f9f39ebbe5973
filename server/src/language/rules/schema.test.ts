import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import type { SpecKind } from "../syntax/specKind.ts";
import { schema } from "./schema.ts";

const check = (text: string, kind: SpecKind = "diagnostic") => checkMarked({ kind, text, rules: [schema] });

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";

describe("rule schema", () => {
  it("accepts a valid diagnostic", () => void check(`${head}label: { when: outcome == "fail" }\n`));

  it("suggests the key that was meant", () => {
    const { fixes, fixed } = check(`${head}label:
  when: "true"
  evidnce: "true"
  ^^^^^^^ schema: "label" has no key "evidnce". Did you mean "evidence"?
`);
    assert.deepEqual(fixes, ['Change to "evidence"']);
    assert.match(fixed, /\n {2}evidence: "true"\n/);
  });

  it("lists the known keys when none is similar", () => {
    check(`${head}label: { when: "true" }
alert: { above: 0.1, zzzzzz: 1 }
                     ^^^^^^ schema: Known keys: metric, above, critical and evenIfPassed.
`);
  });

  it("suggests the value that was meant", () => {
    const { fixed } = check(`${head}label:
  when: "true"
  severity: warnign
            ^^^^^^^ schema: "severity" must be info, warning or critical, not "warnign".
`);
    assert.match(fixed, /severity: warning\n/);
  });

  it("offers the only value that a literal allows", () => {
    const { fixed } = check(`
apiVersion: evotrainer/v2
            ^^^^^^^^^^^^^ schema: "apiVersion" must be evotrainer/v1
kind: Diagnostic
name: a
label: { when: "true" }
`);
    assert.match(fixed, /^apiVersion: evotrainer\/v1\n/);
  });

  it("marks the mapping that lacks a key", () => {
    check(`${head}label: { analyzer: { command: [a], reads: [turn] } }
                                           ^^^^ schema: "reads" must be id, run, split
`);
    check(`${head}label: { analyzer: { timeoutSeconds: 5 } }
         ^^^^^^^^ schema: "analyzer" needs the key "command" (list of texts).
`);
  });

  it("requires exactly one of the three ways to decide a label", () => {
    check(`${head}label:
  severity: info
  ^^^^^^^^^^^^^^ schema: "label": A label has one of when, analyzer and judge.
`);
    check(`${head}label:
  when: "true"
  judge: { rubric: Does it cheat? }
         ^^^^^^^^^^^^^^^^^^^^^^^^^^ schema: "judge": A label has one of when, analyzer and judge, and it already has when.
`);
    check(`${head}over: group
      ^^^^^ schema: "over": A judge is over rollouts.
label:
  judge: { rubric: Does it cheat? }
  invalidates: true
               ^^^^ schema: "invalidates": Only a label of a rollout can make a version invalid.
`);
    check(`${head}label:
  analyzer: { command: [python3, a.py], reads: [turns] }
  invalidates: true
               ^^^^ schema: "invalidates": An analyzer cannot make a version invalid: only a condition can be checked against every archived version again.
  evidence: "true"
            ^^^^^^ schema: "evidence": An analyzer names the turns itself: remove evidence.
`);
  });

  it("marks a missing top-level key in the first line", () => {
    check(`
apiVersion: evotrainer/v1
^^^^^^^^^^^^^^^^^^^^^^^^^ schema: A diagnostic needs the key "name" (text).
kind: Diagnostic
label: { when: "true" }
`);
  });

  it("names wrong types", () => {
    check(`${head}label:
  when: 3
        ^ schema: "when" must be of type text, not 3.
alert: { above: often }
                ^^^^^ schema: "above" must be of type number, not "often".
domains: swe
         ^^^ schema: "domains" must be of type list of texts, not "swe".
`);
  });

  it("names a key without a value", () => {
    check(`${head}label:
^^^^^ schema: "label" must be of type mapping, not nothing.
`);
  });

  it("names values out of range", () => {
    check(`${head}label: { when: "true" }
alert: { above: 2 }
                ^ schema: "above"
`);
  });

  it("says how a name may look", () => {
    check(
      `
apiVersion: evotrainer/v1
kind: Reward
name: Main
      ^^^^ schema: Use 1 to 64 lower-case letters
components:
  Bad Key: { weight: 1 }
  ^^^^^^^ schema: "Bad Key" cannot be a key here.
`,
      "reward",
    );
  });

  it("says of a text in UTF-16 that it is not in UTF-8", () => {
    const utf16 = Buffer.from("\ufeffkind: Diagnostic", "utf16le").toString("utf8");
    check(
      `${utf16}\n${"^".repeat(utf16.length)} schema: This file is not text in UTF-8; save it as UTF-8.\n`,
    );
  });

  it("refuses a text that is not a mapping", () => {
    check("just words\n^^^^^^^^^^ schema: This file must contain a diagnostic as a mapping\n");
  });

  it("refuses paths that leave the project", () => {
    check(
      `
apiVersion: evotrainer/v1
kind: Project
name: a
domain: swe
trainer: { command: [x] }
evaluation: { splits: { train: ../t, selection: b, audit: c } }
                               ^^^^ schema: "train": Use a relative path
surfaces: [{ factor: reward, file: a.yaml }]
`,
      "project",
    );
  });

  it("checks a mapping: it has to name the task and to give both sides of the outcome", () => {
    check(
      `
apiVersion: evotrainer/v1
kind: Evidence
name: a
records: jsonlines
         ^^^^^^^^^ schema: "records" must be jsonl, json, csv, tsv or parquet, not "jsonlines".
fields:
  reword: record.score
  ^^^^^^ schema: "fields" has no key "reword". Did you mean "reward"?
  outcome: { pass: record.ok }
  ^^^^^^^ schema: "outcome" needs the key "fail" (text).
`,
      "evidence",
    );
    check(
      `
apiVersion: evotrainer/v1
kind: Evidence
name: a
fields:
^^^^^^ schema: "fields" needs the key "item" (text).
  outcome: { pass: record.ok, fail: "!record.ok" }
`,
      "evidence",
    );
  });

  it("checks a lineage mapping with the schema for lineages", () => {
    const start = "apiVersion: evotrainer/v1\nkind: Lineage\nname: a\n";
    check(
      `${start}node: { id: commit, parent: { rule: previous } }\nstatus: { field: s, words: { ok: keep } }\n`,
      "lineage",
    );
    const { fixed } = check(
      `${start}fields: { item: record.a }
^^^^^^ schema: A lineage mapping has no key "fields". Did you mean "files"?
node:
^^^^ schema: "node" needs the key "id" (text).
  parent: { rule: previus }
                  ^^^^^^^ schema: "rule" must be last-kept or previous, not "previus".
metric: { field: loss, direction: lowr }
                                  ^^^^ schema: "direction" must be higher or lower, not "lowr".
status:
  field: s
  words:
    good: rejct
          ^^^^^ schema: "good" must be base, keep, reject, invalid, edit, prune, merge, revert or undecided, not "rejct".
    bad: { decision: reject, why: x }
                             ^^^ schema: "bad" has no key "why".
`,
      "lineage",
    );
    assert.match(fixed, /rule: previous }/);
    assert.match(fixed, /direction: lower }/);
    assert.match(fixed, /good: reject\n/);
  });

  it("says which kinds a mapping may have", () => {
    const { fixes } = check(
      `apiVersion: evotrainer/v1
kind: Linage
      ^^^^^^ schema: "kind" must be Evidence or Lineage, not "Linage".
name: a
fields: { item: record.a, outcome: { pass: "true", fail: "false" } }
`,
      "evidence",
    );
    assert.deepEqual(fixes, ['Change to "Lineage"']);
  });
});
