import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { FormatCoverage } from "../evidence/archive/coverage.ts";
import { disabledDiagnostics } from "./disabled.ts";

const coverage = (format: string, ...missing: string[]): FormatCoverage => ({
  format,
  title: format,
  files: 1,
  runs: 1,
  rollouts: 2,
  fields: [],
  missing: missing.map((field) => ({ field, reason: null })),
  partial: [],
  inferred: [],
  unknown: [],
});
const blindEdit = DiagnosticSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Diagnostic",
  name: "blind-edit",
  label: { when: 'tokens > 5 && turns.exists(t, t.tool == "edit" && t.ok)' },
});

describe("disabledDiagnostics", () => {
  it("disables nothing when nothing is missing", () =>
    assert.deepEqual(disabledDiagnostics([coverage("a")], [blindEdit], "swe"), []));

  it("disables nothing because of a field that no diagnostic reads", () =>
    assert.deepEqual(
      disabledDiagnostics([coverage("a", "harness", "seed", "turns.ms")], [blindEdit], "swe"),
      [],
    ));

  it("names built-in figures and diagnostics, with the fields that each lacks", () =>
    assert.deepEqual(
      disabledDiagnostics([coverage("a", "outcome", "turns.ok", "tokens")], [blindEdit], "swe"),
      [
        { diagnostic: "solve rate", needs: ["outcome"], format: "a" },
        { diagnostic: "blind-edit", needs: ["tokens", "turns.ok"], format: "a" },
      ],
    ));

  it("keeps formats separate", () =>
    assert.deepEqual(
      disabledDiagnostics([coverage("a", "outcome"), coverage("b", "stop_reason", "components")], [], "swe"),
      [
        { diagnostic: "solve rate", needs: ["outcome"], format: "a" },
        { diagnostic: "reward replay", needs: ["components"], format: "b" },
        { diagnostic: "stop reasons", needs: ["stop_reason"], format: "b" },
      ],
    ));

  it("does not take one for enabled that is made for another domain, only because there are calls of tools", () => {
    const ofSwe = { ...blindEdit, domains: ["swe", "coding"] };
    assert.deepEqual(disabledDiagnostics([coverage("a")], [ofSwe, blindEdit], "imported"), [
      { diagnostic: "blind-edit", needs: ["the domain swe or coding"], format: "a" },
    ]);
    assert.deepEqual(disabledDiagnostics([coverage("a")], [ofSwe], "coding"), []);
  });
});
