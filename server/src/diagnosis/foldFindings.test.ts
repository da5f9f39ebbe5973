import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import { foldedLabels, withAlso } from "../../../shared/model/foldedLabels.ts";
import { makeRollout, makeWorkspace, toLine } from "../../../test/support/evidence/evidence.ts";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { ingestFile } from "../evidence/ingest/ingest.ts";
import { diagnose } from "./diagnose.ts";
import { foldFindings, foldLabels, withoutTraining, type Coinciding } from "./foldFindings.ts";
import type { Finding } from "./rules.ts";

const finding = (name: string, severity: Finding["severity"] = "warning"): Finding => ({
  name,
  severity,
  message: `${name} holds.`,
});
const pairs = (names: readonly string[]): Coinciding[] =>
  names.flatMap((a, i) => names.slice(i + 1).map((b): Coinciding => [a, b]));
const under = (found: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(found.flatMap((f) => (f.under === undefined ? [] : [[f.name, f.under]])));

describe("a failure that several diagnostics find", () => {
  const specs = [{ name: "dead", foldUnder: "signal" }, { name: "signal" }, { name: "never-edits" }];
  it("is said by the one that its diagnostic names", () =>
    assert.deepEqual(under(foldFindings([finding("dead"), finding("signal")], specs, [])), {
      dead: "signal",
    }));
  it("is said by the first found of those that its diagnostic names", () => {
    const several = [
      { name: "one-reward", foldUnder: ["broken", "signal"] },
      { name: "signal" },
      { name: "broken" },
    ];
    const folded = (...names: string[]) =>
      under(
        foldFindings(
          names.map((name) => finding(name)),
          several,
          [],
        ),
      );
    assert.deepEqual(folded("one-reward", "signal", "broken"), { "one-reward": "broken" });
    assert.deepEqual(folded("one-reward", "signal"), { "one-reward": "signal" });
  });
  it("is said by its own name where that one found nothing", () =>
    assert.deepEqual(under(foldFindings([finding("dead")], specs, [])), {}));
  it("is not said by a milder one", () =>
    assert.deepEqual(under(foldFindings([finding("dead", "critical"), finding("signal")], specs, [])), {}));
  it("is said once by labels that are on the same rollouts, by the most severe", () =>
    assert.deepEqual(
      under(
        foldFindings([finding("abandon", "critical"), finding("exit"), finding("never-edits")], specs, [
          ...pairs(["never-edits", "exit", "abandon", "below-its-threshold"]),
        ]),
      ),
      { exit: "abandon", "never-edits": "abandon" },
    ));
  it("is reported by the one that its diagnostic names, even if both are on the same rollouts", () =>
    assert.deepEqual(under(foldFindings([finding("dead"), finding("signal")], specs, [["dead", "signal"]])), {
      dead: "signal",
    }));
  it("keeps every finding, and the order", () => {
    const found = [finding("signal", "critical"), finding("dead")];
    assert.deepEqual(
      foldFindings(found, specs, []).map(({ name, severity, message }) => ({ name, severity, message })),
      found,
    );
  });
});

describe("labels that are on the same rollouts", () => {
  const count = (
    name: string,
    severity: LabelCount["severity"] = "warning",
    invalidates = false,
  ): LabelCount => ({
    ...{ name, severity, invalidates, labelled: 3, rollouts: 9, alert: null },
  });
  const fold = (labels: readonly LabelCount[], findings: readonly Finding[], names: readonly string[]) =>
    foldedLabels(foldLabels(labels, findings, pairs(names))).map(({ label, said }) =>
      withAlso(label.name, said),
    );
  const same = ["abandon", "exit", "never-edits"];
  const three = [count("never-edits"), count("exit"), count("abandon")];
  it("have one row: of that with the finding", () =>
    assert.deepEqual(fold([...three, count("other")], [finding("exit")], same), [
      "exit (also never-edits, abandon)",
      "other",
    ]));
  it("without a finding, of what invalidates, then of the most severe, then of the first by name", () => {
    assert.deepEqual(fold([count("a", "critical"), count("b", "info", true)], [], ["a", "b"]), [
      "b (also a)",
    ]);
    assert.deepEqual(fold([count("a", "info"), count("b")], [], ["a", "b"]), ["b (also a)"]);
    assert.deepEqual(fold(three, [], same), ["abandon (also never-edits, exit)"]);
  });
  it("keep their row in a list without the other one", () =>
    assert.deepEqual(
      foldedLabels([{ name: "exit", under: "abandon" }]).map(({ label }) => label.name),
      ["exit"],
    ));
});

describe("labels that are on nearly the same rollouts", () => {
  const conditions = {
    first: "sample < 60",
    "one-less": "sample < 59",
    "one-further": "sample >= 1 && sample <= 60",
    "ten-less": "sample < 50",
    "as-many-others": "sample >= 40",
    same: "sample <= 59",
    few: "sample < 4",
    "few-but-one": "sample < 3",
  };
  const specs = Object.entries(conditions).map(([name, when]) =>
    DiagnosticSpec.parse({
      ...{ apiVersion: "evotrainer/v1", kind: "Diagnostic", name },
      label: { when, severity: name === "first" ? "critical" : "warning" },
      alert: { metric: "rate", above: 0.1, evenIfPassed: true },
    }),
  );

  it("have one row with both counts from 95 % on, and findings are folded alike", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const path = workspace.file("r.jsonl");
      const rollouts = Array.from({ length: 100 }, (_, sample) => makeRollout({ id: `r-${sample}`, sample }));
      await writeFile(path, rollouts.map(toLine).join(""));
      await ingestFile(store, { path, kind: "rollouts", version: "v", run: "run-1" });
      const { labels, findings } = await diagnose(store, {
        ...{ version: "v", domain: "any", diagnostics: specs, aggregator: "micro" },
        scope: { split: "train" },
      });
      assert.deepEqual(
        foldedLabels(labels).map(({ label, said }) => `${withAlso(label.name, said)} ${label.labelled}`),
        [
          "first (also one-less on 59, one-further, same) 60",
          "ten-less 50",
          "as-many-others 60",
          "few 4",
          "few-but-one 3",
        ],
      );
      assert.deepEqual(under(findings), { "one-less": "first", "one-further": "first", same: "first" });
    } finally {
      await workspace.remove();
    }
  });
});

describe("findings about the signal of training", () => {
  it("are information about evaluations, and others stay", () =>
    assert.deepEqual(
      withoutTraining(
        [finding("dead", "critical"), finding("leak", "critical")],
        [
          { name: "dead", layer: "signal" },
          { name: "leak", layer: "behaviour" },
        ],
      ),
      [
        { ...finding("dead", "info"), message: "dead holds. These are evaluations, not training." },
        finding("leak", "critical"),
      ],
    ));
});
