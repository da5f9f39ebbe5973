import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { TestingRules } from "./testing.ts";

/**
 * What a project says about testing a candidate. `planned`: for how many candidates the evolution shared out its error rate
 * when it was calibrated; null before that. A budget that is raised afterwards adds candidates beyond the plan.
 */
export function testingRules(spec: ProjectSpec, planned: number | null): TestingRules {
  const { errorRate, seeds, margin } = spec.testing;
  const candidates = planned ?? plannedCandidates(spec);
  return { metric: spec.metric.aggregator, errorRate, seeds, margin, candidates };
}

/** How many candidates an evolution can test at most: each takes a place in a generation, and at least one training. */
function plannedCandidates({ testing, budgets }: ProjectSpec): number {
  const places = budgets.generations * budgets.variantsPerGeneration;
  const trainings = (budgets.trainings ?? Infinity) - testing.calibrationSeeds;
  return Math.max(1, Math.min(places, trainings));
}

/**
 * The seeds that versions are trained on, in order: those that the trainer names, and whole numbers after the largest of
 * them until there are `testing.seeds`. The first one screens, the rest replicate.
 */
export function seedsOf({ trainer, testing }: Pick<ProjectSpec, "trainer" | "testing">): readonly number[] {
  const named = [...new Set(trainer.seeds)].slice(0, testing.seeds);
  const after = Math.max(...trainer.seeds) + 1;
  return [...named, ...Array.from({ length: testing.seeds - named.length }, (_, i) => after + i)];
}
