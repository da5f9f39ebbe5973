import assert from "node:assert/strict";
import type { DiagnosticRow } from "../../../shared/protocol/views/specs.ts";
import type { SkillRow } from "../../../shared/protocol/views/skills.ts";
import { peopleOn } from "../../../test/support/diagnosis/peopleOn.ts";
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
        ["bad", "20.0 % · critical alert · behaviour", "diagnostic.rollouts"],
        ["often", "40.0 % · behaviour", "diagnostic.rollouts"],
        ["rare", "1.0 % · behaviour", "diagnostic.rollouts"],
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

  it("say how right a label is by people's answers", () => {
    const diagnostics = [row("often", { rate: 0.4 }), row("rare", { rate: 0.1 })];
    const [own] = diagnosticNodes({ version: "v3", problems: [], diagnostics }, "/p", [peopleOn("often")]);
    const [often, rare] = specs(own).map(({ tooltip }) => tooltip);
    assert.match(often ?? "", /in v3\.\n\npeople, held-out items: precision 75\.0 % \[30\.1, 95\.4\]/);
    assert.doesNotMatch(rare ?? "", /people/);
  });

  it("show a broken spec at the line of its mistake", () => {
    const problems = [{ path: "harness/a.diagnostic.yaml", line: 4, message: "No such key." }];
    const [broken] = diagnosticNodes({ version: null, problems, diagnostics: [] }, "/p/");
    assert.ok(broken?.type === "spec");
    assert.deepEqual([broken.file, broken.line], ["/p/harness/a.diagnostic.yaml", 4]);
  });

  it("say of a skill whether versions confirm it, what came of its uses, and whether it is in use", () => {
    const skill: Omit<SkillRow, "name"> = {
      ...{ description: null, factor: "reward", targets: ["low-score"], origin: "project" },
      ...{
        file: "/p/s.skill.yaml",
        tried: 0,
        confirmed: 0,
        used: 0,
        cameTrue: 0,
        refuted: 0,
        insideNoise: 0,
      },
      ...{ metric: "solve_rate", expected: null, domains: [], alike: [], shared: false },
      ...{ retired: null, unfit: null, versions: [] },
    };
    const expected = { difference: 0.1, low: 0.02, high: 0.18, uses: 3 };
    const nodes = skillNodes(
      {
        ...{ problems: [], refused: [], version: "v2" },
        skills: [
          { ...skill, name: "a", unfit: "a does not fit: bonus in x.yaml is 1 already." },
          { ...skill, name: "b", tried: 2, retired: "Somebody retired it: it never helped" },
          {
            ...{ ...skill, name: "c", tried: 3, confirmed: 2, used: 2, cameTrue: 1, refuted: 1 },
            ...{ expected, domains: ["math", "toy"], shared: true },
          },
          { ...skill, name: "d", origin: "version", file: null, versions: ["v2"] },
          { ...skill, name: "e", tried: 1, confirmed: 1, domains: ["toy"], origin: "library" },
        ],
      },
      "/p",
    );
    const rows = nodes.flatMap((node) => (node.type === "spec" ? [node] : []));
    assert.deepEqual(
      rows.map(({ name, description, context }) => [name, description, context]),
      [
        ["c", "reward · confirmed in 2 of 3 · used 2 ×, came true 1 × · shared", "skill.open"],
        ["e", "reward · confirmed in 1 of 1 · local to toy", "skill.open"],
        ["a", "reward · not validated", "skill"],
        ["b", "reward · tried 2 ×, not confirmed · retired", "skill"],
      ],
    );
    assert.match(rows[0]?.tooltip ?? "", /change solve_rate by \+10\.0 points \[\+2\.0, \+18\.0\]/);
    assert.match(rows[0]?.tooltip ?? "", /Used 2 times: 1 came true, 1 refuted, 0 inside the noise\./);
    assert.match(rows[1]?.tooltip ?? "", /From your library/);
    assert.match(rows[2]?.tooltip ?? "", /bonus in x\.yaml is 1 already/);
    assert.match(rows[3]?.tooltip ?? "", /Somebody retired it/);
  });
});
