import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { compileLabel } from "./compileLabel.ts";

describe("compileLabel", () => {
  it("changes the revision of a diagnostic when the diagnostic catches something else", () => {
    const revision = (when: string): string => {
      const label = compileLabel(
        DiagnosticSpec.parse({ apiVersion: "evotrainer/v1", kind: "Diagnostic", name: "x", label: { when } }),
      );
      return label.ok ? label.label.revision : "";
    };
    assert.notEqual(revision("step > 1"), revision("step > 2"));
    assert.equal(revision("step > 1"), revision("step > 1"));
  });
});
