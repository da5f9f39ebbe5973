import assert from "node:assert/strict";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { noSymbols } from "../symbols/occurrence.ts";
import { parseSpec } from "../syntax/parseSpec.ts";
import type { SpecKind } from "../syntax/specKind.ts";
import { openProject, withCursor } from "../../../../test/support/language/openProject.ts";
import { peopleOn } from "../../../../test/support/diagnosis/peopleOn.ts";
import { hover } from "./hover.ts";

const alone = (kind: SpecKind, marked: string) =>
  hover(
    {
      spec: parseSpec(kind, marked.replace("|", "")),
      project: undefined,
      file: "/a",
      root: undefined,
      symbols: noSymbols,
    },
    marked.indexOf("|"),
  );

const at = (marked: string) => {
  const found = alone("diagnostic", marked);
  return found?.markdown;
};

describe("hover", () => {
  it("shows type, default and meaning of a key", () => {
    assert.equal(
      at('label:\n  when: "a"\n  invali|dates: true\n'),
      "**invalidates**: true | false, optional, default `false`\n\nOne labelled rollout of the selection split makes the version invalid.",
    );
  });
  it("shows the same for the value of the key", () => {
    assert.match(
      at("label:\n  severity: warn|ing\n") ?? "",
      /^\*\*severity\*\*: info \| warning \| critical, optional, default `warning`\n\nHow bad a finding of it is\.$/,
    );
  });
  it("explains the keys beside a condition", () =>
    assert.match(
      at("label:\n  judge:\n    sam|ple: 9\n") ?? "",
      /^\*\*sample\*\*: integer, optional, default `50`\n/,
    ));
  it("explains the call that a turn answers", () => {
    assert.match(
      at('label:\n  when: turns.exists(t, t.answers.to|ol == "open")\n') ?? "",
      /^\*\*tool\*\*: string, of the call that a turn answers\n/,
    );
    assert.match(
      at('label:\n  when: turns.exists(t, t.ans|wers.tool == "open")\n') ?? "",
      /this turn answers/,
    );
  });
  it("works inside lists", () =>
    assert.match(
      at("examples:\n  - { rollo|ut: a }\n") ?? "",
      /^\*\*rollout\*\*: text \| mapping, optional\n/,
    ));
  it("explains the fields of a mapping", () => {
    const marked = "fields:\n  turns:\n    ro|le: message.who\n";
    const found = alone("evidence", marked);
    assert.equal(
      found?.markdown,
      "**role**: text, optional, default `message.role`\n\nWho speaks, per message.",
    );
  });
  it("explains the fields of a lineage mapping, which may also be text", () => {
    const text = (marked: string) => alone("lineage", marked)?.markdown;
    assert.match(
      text("node:\n  pare|nt: p\n") ?? "",
      /^\*\*parent\*\*: text \| mapping, optional\n\nOne id or/,
    );
    assert.match(
      text("node:\n  parent: { ru|le: previous }\n") ?? "",
      /^\*\*rule\*\*: last-kept \| previous\n\nWhich earlier row is the parent\.$/,
    );
    assert.match(
      text("status:\n  words:\n    o|k: keep\n") ?? "",
      /^\*\*ok\*\*: base \| keep .* \| undecided \| mapping$/,
    );
  });
  it("shows nothing for unknown keys and empty space", () => {
    assert.equal(at("unkn|own: 1\n"), undefined);
    assert.equal(at("name: a\n\n|\n"), undefined);
  });
});

describe("hover with evidence", () => {
  const loops = "harness/diagnostics/loops.diagnostic.yaml";
  const worse = "harness/diagnostics/worse.diagnostic.yaml";
  const fewer = "harness/interventions/fewer-loops.intervention.yaml";
  const spread = { count: 50, min: 0, median: 0.25, max: 1 };
  const facts: ArchiveFacts = {
    at: 1_000_000,
    rollouts: 1000,
    versions: [{ name: "v1", rollouts: 1000, items: 20, passRate: 0.5 }],
    fields: { longest_tool_streak: { present: 0.5, spread: { count: 500, min: 1, median: 3, max: 12 } } },
    metrics: { kl: spread },
    components: { correctness: { of: 9, present: 1, awarded: 0.4, inFull: 0.4, spread } },
    labels: { loops: { rollouts: 31, of: 1000, last: { version: "v1", rollouts: ["r/`1"] } } },
    sharedItems: [],
    people: [peopleOn("loops")],
  };
  const cases: readonly (readonly [string, string, string, readonly RegExp[]])[] = [
    [
      "a label",
      fewer,
      "targets: [lo§ops]",
      [
        /label of this project, named in 5 places/,
        /31 of 1,000 rollouts, 3.1 %/,
        /3\.1 %\.\n\npeople, held-out items: precision 75\.0 % \[30\.1, 95\.4\] \(3 of 4 right\), recall unknown.*\n\nLast/,
        /Last caught in `v1`: `r\/'1`/,
        /as of 2 s ago/,
      ],
    ],
    ["a metric", worse, 'last("k§l")', [/50 values, least … median … most: 0 … 0.25 … 1/]],
    ["a component", loops, "components.corr§ectness", [/above zero in 40\.0 %/]],
    [
      "a variable",
      loops,
      "longest_tool_§streak",
      [/Most calls of one tool/, /in 50\.0 %, least … median … most: 1 … 3 … 12/],
    ],
    ["a parameter", loops, "params.str§eak", [/\*\*params.streak\*\*: 8/]],
    ["a function", worse, "parent_r§ate(", [/parent_rate\(label: string\): double/]],
  ];
  for (const [name, file, part, expected] of cases)
    it(name, () => {
      const { context, offset } = openProject(withCursor(file, part), facts);
      const markdown = hover(context, offset, 1_002_000)?.markdown ?? "";
      for (const pattern of expected) assert.match(markdown, pattern);
    });
});
