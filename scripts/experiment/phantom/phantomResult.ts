import { join } from "node:path";
import * as z from "zod";
import type { Plan } from "../plan.ts";
import { folderOf, readAll, writeWhole } from "../results.ts";

/** What the filter of the reward leaves out: nothing, groups whose rewards hardly differ, groups whose outcomes are all the same. */
export const filters = ["none", "std", "outcome"] as const;
export type FilterKind = (typeof filters)[number];

const Rates = z.array(z.number()).readonly();

/** A training of math with one filter and one seed: what its rollouts say step by step, and what its policy is worth. */
export const PhantomResult = z.object({
  schema: z.literal(1),
  planCommit: z.string(),
  codeCommit: z.string(),
  filter: z.enum(filters),
  seed: z.int(),
  steps: z.array(
    z.object({
      step: z.int(),
      /** Share of the rollouts of the step that passed. */
      passed: z.number(),
      /** Of the groups whose rewards differ, the share in which all rollouts have the same outcome. */
      phantom: z.number().nullable(),
      /** Whether `phantom-signal` labels the rollouts of this step alone. */
      warns: z.boolean(),
    }),
  ),
  /** Mean on the selection items. */
  selection: z.number(),
  audit: Rates,
  shifted: Rates,
});
export type PhantomResult = z.infer<typeof PhantomResult>;

export const phantomFile = (plan: Plan, { filter, seed }: Pick<PhantomResult, "filter" | "seed">): string =>
  join(folderOf(plan), `${filter}.s${seed}.json`);

export const writePhantom = (plan: Plan, result: PhantomResult): void =>
  writeWhole(phantomFile(plan, result), PhantomResult.parse(result));

/** All results that are there. @throws ZodError for a file that is none */
export const readPhantom = (plan: Plan): PhantomResult[] => readAll(folderOf(plan), PhantomResult);
