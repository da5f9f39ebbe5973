import assert from "node:assert/strict";
import type { SpecKind } from "../syntax/specKind.ts";
import { complete } from "./completion.ts";

/** `|` marks the cursor; the labels are given in the schema's order. */
function labels(marked: string, kind: SpecKind = "diagnostic"): string[] {
  return complete({ spec: { kind, text: marked.replace("|", "") } }, marked.indexOf("|")).map(
    ({ label }) => label,
  );
}

/** The text after the named completion was taken. */
function taken(marked: string, label: string, kind: SpecKind = "diagnostic"): string {
  const text = marked.replace("|", "");
  const item = complete({ spec: { kind, text } }, marked.indexOf("|")).find((found) => found.label === label);
  assert.ok(item, `no completion ${label}`);
  return text.slice(0, item.replace.start) + item.text + text.slice(item.replace.end);
}

const top = [
  "apiVersion",
  "kind",
  "name",
  "description",
  "source",
  "foldUnder",
  "layer",
  "domains",
  "over",
  "params",
  "domainParams",
  "label",
  "alert",
  "examples",
];

const callFields = ["index", "tool", "args", "ok", "action", "command", "file", "written"];

describe("completion", () => {
  const cases: readonly (readonly [string, string, readonly string[], SpecKind?])[] = [
    ["an empty file", "|", ["diagnostic", "diagnostic-version", ...top]],
    ["the first letters", "ki|", ["diagnostic", "diagnostic-version", ...top]],
    [
      "the keys of a program",
      "label:\n  analyzer:\n    |",
      ["command", "files", "reads", "timeoutSeconds", "maxOutputMb"],
    ],
    [
      "the keys of a judge",
      "label:\n  judge:\n    |",
      ["rubric", "answers", "model", "sample", "seed", "contrast"],
    ],
    [
      "keys that are still missing",
      "kind: Diagnostic\nname: a\n|",
      top.filter((k) => k !== "kind" && k !== "name"),
    ],
    [
      "keys between others",
      "kind: Diagnostic\n|\nname: a\n",
      top.filter((k) => k !== "kind" && k !== "name"),
    ],
    [
      "keys of a mapping",
      "label:\n  |",
      ["when", "analyzer", "judge", "evidence", "severity", "critical", "message", "invalidates"],
    ],
    [
      "a second key of a mapping",
      "label:\n  when: x\n  |\n",
      ["analyzer", "judge", "evidence", "severity", "critical", "message", "invalidates"],
    ],
    ["keys of a flow mapping", "alert: { above: 1, | }", ["metric", "critical", "evenIfPassed"]],
    ["keys of a list item", "examples:\n  - |", ["rollout", "group", "version", "expect"]],
    ["a second key of a list item", "examples:\n  - rollout: a\n    |", ["group", "version", "expect"]],
    ["values of a closed set", "label:\n  severity: |", ["info", "warning", "critical"]],
    ["half-written values", "label:\n  severity: wa|", ["info", "warning", "critical"]],
    ["values in a flow mapping", "label: { severity: | }", ["info", "warning", "critical"]],
    ["values of a literal", "apiVersion: |", ["evotrainer/v1"]],
    ["booleans", "label:\n  invalidates: |", ["true", "false"]],
    [
      "keys below a name that the user chose",
      "components:\n  correctness:\n    |",
      ["signal", "above", "shape", "weight"],
      "reward",
    ],
    [
      "values in a list of mappings",
      "surfaces:\n  - factor: f|",
      ["reward", "filter", "optimisation", "environment", "data", "sampling", "diagnostics"],
      "project",
    ],
    [
      "fields of a mapping that are still missing",
      "fields:\n  item: record.id\n  out|",
      [
        "id",
        "prompt",
        "completion",
        "turns",
        "outcome",
        "unknown_reason",
        "group",
        "sample",
        "step",
        "split",
        "reward",
        "components",
        "stop_reason",
        "tokens",
        "logprob_mean",
        "policy",
        "harness",
        "seed",
        "started_at",
        "duration_ms",
        "extra",
      ],
      "evidence",
    ],
    ["sides of an outcome", "fields:\n  outcome:\n    |", ["pass", "fail", "unknown"], "evidence"],
    [
      "parts of a turn",
      "fields:\n  turns: { from: record.m, | }",
      ["role", "text", "calls", "tool", "args", "ok", "tokens", "ms"],
      "evidence",
    ],
    ["both kinds of mapping", "kind: |", ["Evidence", "Lineage"], "evidence"],
    ["both kinds of mapping, even if one is written", "kind: Lin|", ["Evidence", "Lineage"], "lineage"],
    [
      "fields of a lineage mapping",
      "kind: Lineage\n|",
      [
        "apiVersion",
        "name",
        "source",
        "format",
        "rows",
        "node",
        "metric",
        "metrics",
        "status",
        "files",
        "outcomes",
      ],
      "lineage",
    ],
    ["fields of a version", "node:\n  |", ["id", "parent", "title", "note", "plan", "at"], "lineage"],
    ["the rule for parents, beside a field", "node:\n  parent:\n    |", ["rule"], "lineage"],
    ["rules for parents", "node:\n  parent: { rule: | }", ["last-kept", "previous"], "lineage"],
    ["which direction is better", "metric:\n  direction: |", ["higher", "lower"], "lineage"],
    ["formats of records", "records: |", ["jsonl", "json", "csv", "tsv", "parquet"], "evidence"],
    ["a placeholder for a name", "name: |", ["name"]],
    ["a placeholder for a text", "description: |", ["description in words"]],
    ["a default", "budgets:\n  generations: |", ["4", "1"], "project"],
    ["numbers", "components:\n  correctness:\n    weight: |", ["1", "0", "0.1"], "reward"],
    ["a key that the user chose", "components:\n  |", ["correctness"], "reward"],
    ["nothing over a finished value", "description: abc|", []],
    ["another item of a list", "domains:\n  - swe\n  |", ["- "]],
    ["another item of a list of mappings", "examples:\n  - rollout: a\n    expect: clear\n  |", ["- "]],
    ["a condition to begin with", "label:\n  critical: |", ['outcome != "pass"', "n_turns >= 40"]],
    ["a field to begin with", "fields:\n  item: |", ["record.item"], "evidence"],
    ["the call that a turn answers", "label:\n  when: turns.exists(t, t.answers.|)\n", callFields],
    ["the same of the turn of evidence", 'label:\n  evidence: turn.answers.co| == "ls"\n', callFields],
    ["nothing of an answer that is no turn's", "label:\n  when: item.answers.|\n", []],
    ["nothing in a comment", "# |", []],
    ["nothing in a block text", "description: >\n  out|come\n", []],
    ["nothing below an unknown key", "nonsense:\n  |", []],
    ["nothing for a mapping on the line of its key", "label: |", []],
  ];
  for (const [name, text, expected, kind] of cases)
    it(name, () => {
      const found = labels(text, kind);
      // Beside what an expression may begin with stands all that it can say.
      const shown = / begin with$/.test(name) ? found.slice(0, expected.length) : found;
      assert.deepEqual(shown, expected);
    });

  it("replaces the whole word and adds a colon only if it is missing", () => {
    assert.equal(taken("label:\n  seve|", "severity"), "label:\n  severity: ");
    assert.equal(taken("label:\n  sev|xx: info", "severity"), "label:\n  severity: info");
    assert.equal(taken("lab|", "label"), "label:\n  ");
    assert.equal(taken("label:\n  an|", "analyzer"), "label:\n  analyzer:\n    ");
    assert.equal(taken("dom|", "domains"), "domains:\n  - ");
    assert.equal(taken("label: { ana| }", "analyzer"), "label: { analyzer: }");
    assert.equal(taken("lab|:", "label"), "label:");
    assert.equal(taken("label:\n  severity: warn|xy", "critical"), "label:\n  severity: critical");
  });

  it("survives every prefix of a file", () => {
    const text = `kind: Diagnostic\nlabel: { when: 'a', severity: "x" }\nexamples:\n  - { rollout: a }\n`;
    for (let i = 0; i <= text.length; i++)
      complete({ spec: { kind: "diagnostic", text: text.slice(0, i) } }, i);
  });
});
