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
  it("disables nothing where nothing is missing", () =>
    assert.deepEqual(disabledDiagnostics([coverage("a")], [blindEdit]), []));

  it("disables nothing for a field that no diagnostic looks at", () =>
    assert.deepEqual(disabledDiagnostics([coverage("a", "harness", "seed", "turns.ms")], [blindEdit]), []));

  it("names what is built in and what specs say, with the fields that are missing", () =>
    assert.deepEqual(disabledDiagnostics([coverage("a", "outcome", "turns.ok", "tokens")], [blindEdit]), [
      { diagnostic: "solve rate", needs: ["outcome"], format: "a" },
      { diagnostic: "blind-edit", needs: ["tokens", "turns.ok"], format: "a" },
    ]));

  it("keeps formats apart", () =>
    assert.deepEqual(
      disabledDiagnostics([coverage("a", "outcome"), coverage("b", "stop_reason", "components")], []),
      [
        { diagnostic: "solve rate", needs: ["outcome"], format: "a" },
        { diagnostic: "reward replay", needs: ["components"], format: "b" },
        { diagnostic: "stop reasons", needs: ["stop_reason"], format: "b" },
      ],
    ));
});
