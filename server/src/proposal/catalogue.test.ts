import assert from "node:assert/strict";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { Finding } from "../diagnosis/rules.ts";
import { proposeFromCatalogue } from "./catalogue.ts";

const intervention = (
  name: string,
  targets: string[],
  path: string,
  from: string | number,
): InterventionSpec =>
  InterventionSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Intervention",
    name,
    hypothesis: { change: path, metric: "solve_rate", direction: "increase", because: "test" },
    targets,
    factor: "reward",
    edit: [{ file: "r.yaml", path, from, to: "new" }],
    success: { atLeast: 0 },
  });
const finding = (name: string, severity: Finding["severity"]): Finding => ({ name, severity, message: name });

describe("proposeFromCatalogue", () => {
  const interventions = [
    intervention("a", ["echo-trap"], "x", "flat"),
    intervention("b", ["insufficient-signal", "echo-trap"], "y", 0),
    intervention("c", ["insufficient-signal"], "z", 1),
  ];
  const values: Record<string, string | number> = { x: "flat", y: 0, z: 2 };
  const propose = (findings: Finding[], tried: string[] = []): string[] =>
    proposeFromCatalogue({
      findings,
      interventions,
      tried: new Set(tried),
      current: (_, path) => values[path],
    }).map((p) => `${p.intervention.name}<${p.finding.name}`);

  it("answers the worst finding first, each intervention once", () =>
    assert.deepEqual(propose([finding("insufficient-signal", "critical"), finding("echo-trap", "warning")]), [
      "b<insufficient-signal",
      "a<echo-trap",
    ]));
  it("leaves out what was tried", () =>
    assert.deepEqual(propose([finding("echo-trap", "warning")], ["a"]), ["b<echo-trap"]));
  it("leaves out what the parent's values do not allow", () =>
    assert.ok(!propose([finding("insufficient-signal", "critical")]).some((p) => p.startsWith("c"))));
  it("proposes nothing without a finding", () => assert.deepEqual(propose([]), []));
});
