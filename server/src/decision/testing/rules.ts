import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { TestingRules } from "./testing.ts";

/** What a project says about testing a candidate. */
export function testingRules({ metric, testing, budgets }: ProjectSpec): TestingRules {
  const { errorRate, seeds, margin } = testing;
  const candidates = budgets.generations * budgets.variantsPerGeneration;
  return { metric: metric.aggregator, errorRate, seeds, margin, candidates };
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
