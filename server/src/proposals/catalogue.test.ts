import assert from "node:assert/strict";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { Finding } from "../diagnosis/rules.ts";
import { proposeFromCatalogue } from "./catalogue.ts";

const intervention = (
  name: string,
  targets: string[],
  path: string,
  from: string | number,
  atLeast = 0,
): InterventionSpec =>
  InterventionSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Intervention",
    name,
    hypothesis: { change: path, metric: "solve_rate", direction: "increase", because: "test" },
    targets,
    factor: "reward",
    edit: [{ file: "r.yaml", path, from, to: "new" }],
    success: { atLeast },
  });
const finding = (name: string, severity: Finding["severity"]): Finding => ({ name, severity, message: name });

describe("proposeFromCatalogue", () => {
  const interventions = [
    intervention("a", ["echo-trap"], "x", "flat"),
    intervention("b", ["insufficient-signal", "echo-trap"], "y", 0),
    intervention("c", ["insufficient-signal"], "z", 1),
    intervention("d", ["low-score"], "x", "flat"),
    intervention("e", ["low-score", "echo-trap"], "x", "flat", 0.1),
  ];
  const values: Record<string, string | number> = { x: "flat", y: 0, z: 2 };
  const propose = (
    findings: Finding[],
    options: { tried?: string[]; answered?: Record<string, number> } = {},
  ): string[] =>
    proposeFromCatalogue({
      findings,
      interventions,
      tried: new Set(options.tried),
      answered: options.answered ?? {},
      current: (_, path) => values[path],
    }).map((p) => `${p.intervention.name}<${p.finding.name}`);

  it("answers the worst finding first, and then the others in turn", () =>
    assert.deepEqual(
      propose([
        finding("insufficient-signal", "critical"),
        finding("echo-trap", "warning"),
        finding("low-score", "info"),
      ]),
      ["b<insufficient-signal", "e<echo-trap", "d<low-score", "a<echo-trap"],
    ));
  it("lets a finding wait if it was answered before", () =>
    assert.equal(
      propose([finding("insufficient-signal", "critical"), finding("low-score", "info")], {
        answered: { "insufficient-signal": 1 },
      })[0],
      "e<low-score",
    ));
  it("prefers the intervention that promises more", () =>
    assert.deepEqual(propose([finding("low-score", "info")]), ["e<low-score", "d<low-score"]));
  it("leaves out interventions that were tried", () =>
    assert.deepEqual(propose([finding("low-score", "info")], { tried: ["e"] }), ["d<low-score"]));
  it("leaves out interventions that do not fit the parent's values", () =>
    assert.ok(!propose([finding("insufficient-signal", "critical")]).some((p) => p.startsWith("c"))));
  it("proposes nothing without a finding", () => assert.deepEqual(propose([]), []));
});
