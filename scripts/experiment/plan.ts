import { readFileSync } from "node:fs";
import * as z from "zod";
import { root } from "./paths.ts";

export const domainNames = ["math", "code", "swe"] as const;
export type DomainName = (typeof domainNames)[number];

export const armNames = [
  "base",
  "baseline",
  "best-of-seeds",
  "human",
  "random",
  "score",
  "evotrainer",
  "no-backtests",
  "frozen-diagnostics",
  "no-replication",
  "no-memory",
  "no-feedback",
  "with-skills",
] as const;
export type ArmName = (typeof armNames)[number];

/** A plan of experiment/: what docs/experiment-plan.md says in words. */
export const Plan = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/, "Use small letters, digits and hyphens."),
  domains: z.array(z.enum(domainNames)).min(1),
  arms: z.array(z.enum(armNames)).min(1),
  /** Seeds of whole searches. */
  seeds: z.array(z.int().min(1).max(900)).min(1),
  /** What every arm may train, and how often it may start. */
  trainings: z.int().min(2),
  /** On how many fresh seeds the chosen version and every kept one are trained again once the search is over. */
  freshSeeds: z.int().min(1),
  /** Smaller trainings for a trial; null in a full run. */
  small: z
    .strictObject({
      steps: z.int().min(1),
      demonstrations: z.int().min(1),
      prompts: z.int().min(1),
      items: z.int().min(1),
    })
    .nullable(),
  /** The audit and shifted items that scores are measured on: those of every other plan, or a draw that no other plan used. */
  items: z.enum(["usual", "fresh"]).default("usual"),
});
export type Plan = z.infer<typeof Plan>;

/**
 * The run that the page of the experiment is about, those that repeat some of its searches with other seeds, that of skills, and the
 * two that measure the search before it was mended and after.
 */
export const otherPlans = ["second", "third"] as const;
export const mendPlans = ["before", "mended"] as const;
export const planNames = ["headline", ...otherPlans, "skills", ...mendPlans, "phantom"] as const;
export type PlanName = (typeof planNames)[number];

export const planFileOf = (name: PlanName): string =>
  name === "headline" ? "experiment/plan.json" : `experiment/plan-${name}.json`;

/** The plan as it is committed. @throws ZodError where it is not one */
export const readPlan = (name: PlanName = "headline"): Plan =>
  Plan.parse(JSON.parse(readFileSync(`${root}/${planFileOf(name)}`, "utf8")));

/** A trial of the whole road in minutes: its numbers say nothing about anything. */
export const quickPlan = (plan: Plan): Plan => ({
  ...plan,
  name: `${plan.name}-quick`,
  seeds: plan.seeds.slice(0, 1),
  trainings: 4,
  freshSeeds: 1,
  small: { steps: 3, demonstrations: 200, prompts: 6, items: 24 },
});

/** One search, or what stands in its place: the unit that is run, stored and started again. */
export interface Cell {
  readonly domain: DomainName;
  readonly arm: ArmName;
  readonly seed: number;
}

export interface CellFilter {
  readonly domain?: string | undefined;
  readonly arm?: string | undefined;
  readonly seed?: string | undefined;
}

/**
 * The cells of a plan, seed by seed, so that an early end leaves whole seeds; each filter is a list with commas.
 * @throws RangeError for a name that the plan does not have
 */
export function cellsOf(plan: Plan, filter: CellFilter = {}): Cell[] {
  const domains = wanted(plan.domains, filter.domain, "domain");
  const arms = wanted(plan.arms, filter.arm, "arm");
  const seeds = wanted(plan.seeds.map(String), filter.seed, "seed").map(Number);
  return seeds.flatMap((seed) =>
    domains.flatMap((domain) => arms.map((arm): Cell => ({ domain, arm, seed }))),
  );
}

function wanted<T extends string>(all: readonly T[], filter: string | undefined, what: string): T[] {
  if (filter === undefined) return [...all];
  const names = filter.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !all.some((one) => one === name));
  if (unknown !== undefined)
    throw new RangeError(`The plan has no ${what} ${unknown}; it has ${all.join(", ")}.`);
  return all.filter((one) => names.includes(one));
}

export const cellName = ({ domain, arm, seed }: Cell): string => `${domain}.${arm}.s${seed}`;

/** Seeds of training: those of a search, and those that only judge it. No two searches share any. */
export const searchSeeds = (seed: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => seed * 1000 + 1 + i);
export const freshSeedsOf = ({ freshSeeds }: Plan, seed: number): number[] =>
  Array.from({ length: freshSeeds }, (_, i) => seed * 1000 + 501 + i);
