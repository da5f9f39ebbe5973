import assert from "node:assert/strict";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { seedsOf, testingRules } from "./rules.ts";

const project = (more: object): ProjectSpec =>
  ProjectSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "toy", domain: "toy" },
    trainer: { command: ["train"] },
    evaluation: { splits: { train: "a", selection: "b", audit: "c" } },
    surfaces: [{ factor: "reward", file: "r.yaml" }],
    ...more,
  });

describe("the rules of a project", () => {
  it("have defaults", () =>
    assert.deepEqual(testingRules(project({}), null), {
      ...{ metric: "macro", errorRate: 0.05, seeds: 8, candidates: 8, margin: 0.02 },
    }));
  for (const [budgets, planned, expected] of [
    [{ generations: 5, variantsPerGeneration: 3 }, null, 15],
    [{ generations: 64, variantsPerGeneration: 1, trainings: 16 }, null, 12],
    [{ generations: 64, variantsPerGeneration: 1, trainings: 1 }, null, 1],
    // A budget that is raised adds candidates beyond the plan.
    [{ generations: 64, variantsPerGeneration: 1, trainings: 30 }, 14, 14],
  ] as const)
    it(`share the error rate among ${expected} candidates with ${JSON.stringify(budgets)}`, () => {
      assert.equal(testingRules(project({ budgets }), planned).candidates, expected);
    });
  for (const [seeds, most, expected] of [
    [[1], 3, [1, 2, 3]],
    [[7, 3], 4, [7, 3, 8, 9]],
    [[4, 4], 2, [4, 5]],
    [[1, 2, 3, 4], 2, [1, 2]],
  ] as const)
    it(`go on after the seeds that are named: ${seeds.join(", ")}`, () => {
      const spec = project({ trainer: { command: ["train"], seeds }, testing: { seeds: most } });
      assert.deepEqual(seedsOf(spec), expected);
    });
  for (const testing of [
    { seeds: 0 },
    { calibrationSeeds: 1 },
    { errorRate: 0 },
    { margin: 0 },
    { racing: 1 },
  ])
    it(`refuse ${JSON.stringify(testing)}`, () => assert.throws(() => project({ testing })));
});
