import assert from "node:assert/strict";
import type { DiagnosticRow } from "../../../shared/protocol/views/specs.ts";
import { diagnosticNodes, skillNodes, type SpecNode } from "./specRows.ts";

const row = (name: string, more: Partial<DiagnosticRow> = {}): DiagnosticRow => ({
  name,
  layer: "behaviour",
  severity: "warning",
  description: null,
  path: `harness/diagnostics/${name}.diagnostic.yaml`,
  file: `/p/harness/diagnostics/${name}.diagnostic.yaml`,
  shipped: false,
  rate: null,
  rollouts: null,
  over: "rollout",
  alert: null,
  ...more,
});
const specs = (node: SpecNode | undefined) =>
  node?.type === "group" ? node.children.flatMap((child) => (child.type === "spec" ? [child] : [])) : [];

describe("rows of diagnostics and skills", () => {
  it("put alerts first, then the most frequent, the project's own before those of the library", () => {
    const nodes = diagnosticNodes(
      {
        version: "v3",
        problems: [],
        diagnostics: [
          row("rare", { rate: 0.01 }),
          row("often", { rate: 0.4 }),
          row("bad", { rate: 0.2, alert: "critical" }),
          row("new"),
          row("open", { rollouts: 0 }),
          row("shipped", { shipped: true, rate: 0.9, over: "group" }),
        ],
      },
      "/p",
    );
    assert.deepEqual(
      nodes.map((node) => (node.type === "group" ? `${node.label}: ${node.description}` : node.name)),
      ["This project: 5 · 1 alert · rates of v3", "Library in use: 1 · rates of v3"],
    );
    const [own, library] = nodes;
    assert.deepEqual(
      specs(own).map(({ name, description, context }) => [name, description, context]),
      [
        ["bad", "behaviour · 20.0 % · critical alert", "diagnostic.rollouts"],
        ["often", "behaviour · 40.0 %", "diagnostic.rollouts"],
        ["rare", "behaviour · 1.0 %", "diagnostic.rollouts"],
        ["new", "behaviour", "diagnostic.rollouts"],
        ["open", "behaviour", "diagnostic.rollouts"],
      ],
    );
    // A label over groups has no rollouts that carry it.
    assert.deepEqual(
      specs(library).map(({ context }) => context),
      ["diagnostic"],
    );
    assert.match(specs(own)[3]?.tooltip ?? "", /not measured in v3/);
    assert.match(specs(own)[4]?.tooltip ?? "", /the evidence of v3 does not say/);
  });

  it("show a broken spec at the line of its mistake", () => {
    const problems = [{ path: "harness/a.diagnostic.yaml", line: 4, message: "No such key." }];
    const [broken] = diagnosticNodes({ version: null, problems, diagnostics: [] }, "/p/");
    assert.ok(broken?.type === "spec");
    assert.deepEqual([broken.file, broken.line], ["/p/harness/a.diagnostic.yaml", 4]);
  });

  it("say of a skill whether a version confirms it, and that no version uses it", () => {
    const skill = { description: null, factor: "reward", targets: ["low-score"], file: "/p/s.skill.yaml" };
    const nodes = skillNodes(
      {
        problems: [],
        skills: [
          { ...skill, name: "a", tried: 0, confirmed: 0 },
          { ...skill, name: "b", tried: 2, confirmed: 0 },
          { ...skill, name: "c", tried: 3, confirmed: 2 },
        ],
      },
      "/p",
    );
    assert.deepEqual(
      nodes.map((node) => node.description),
      ["reward · confirmed in 2 of 3", "reward · not validated", "reward · tried 2 ×, not confirmed"],
    );
    assert.ok(nodes[0]?.type === "spec" && nodes[0].tooltip.includes("does not apply them by itself"));
  });
});
