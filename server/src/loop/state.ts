import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FailureClass } from "../../../shared/model/failureClass.ts";
import { Comparison } from "../../../shared/ledger/measures.ts";
import { SkillUse } from "../../../shared/ledger/skillUse.ts";
import { Factor, Name } from "../../../shared/spec/common.ts";
import { Edit } from "../../../shared/spec/edit.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { searchName } from "../project/proposersOf.ts";
import { codeOf, HarnessError, messageOf } from "../base/errors.ts";
import { writeFileAtomic } from "../base/files.ts";
import { upgraded } from "./earlierState.ts";

/**
 * The steps of a generation, in order; replicate is repeated, once for each further seed. The state is written after each
 * one and each one may be repeated: killed anywhere, the loop starts again at the step that it had not finished and comes
 * to the same lineage.
 */
export const loopSteps = [
  "collect",
  "diagnose",
  "hypothesise",
  "intervene",
  "backtest",
  "approve",
  "train",
  "verify",
  "screen",
  "replicate",
  "decide",
] as const;
export type LoopStep = (typeof loopSteps)[number];

/**
 * base: measure the untrained policy. baseline: train it on the harness as it is. calibrate: find out what the baseline's
 * noise hides. evolve: one factor at a time.
 */
export const loopPhases = ["base", "baseline", "calibrate", "evolve", "promote", "done"] as const;
export type LoopPhase = (typeof loopPhases)[number];

export const JobOutcome = z.object({
  failure: FailureClass.nullable(),
  message: z.string(),
  seconds: z.number(),
});
export type JobOutcome = z.infer<typeof JobOutcome>;

/** A version on its way through a generation. */
export const Candidate = z.object({
  version: Name,
  parent: Name.nullable(),
  commit: z.string().nullable(),
  intervention: Name.nullable(),
  /** What it changes and claims, its values chosen; earlier releases looked it up in the project by its name. */
  spec: InterventionSpec.nullable().default(null),
  /** Who proposed it, by name; earlier releases had the search alone. */
  proposer: Name.default(searchName),
  /** The skill that it uses. */
  skill: SkillUse.nullable().default(null),
  title: z.string(),
  /** The finding that called for it; null where no finding did. */
  finding: z.string().nullable(),
  /** That finding in words. */
  because: z.string(),
  /** Why it is a change of that parent; null where the parent is the best kept version. */
  whyParent: z.string().nullable(),
  /** Of a merge of two kept versions the second one; of a version without an edit, the version whose edit it was. */
  merges: Name.nullable(),
  without: Name.nullable(),
  /** The tried version whose edits it has as well, and the factors of all its edits. */
  joins: z
    .object({ version: Name, factors: z.array(Factor) })
    .nullable()
    .default(null),
  pruned: z.string().nullable(),
  /** How the last of its jobs that counts has ended: the first one that failed, or none did. */
  job: JobOutcome.nullable(),
  /** The seeds that it was trained with and looked at. */
  seeds: z.array(z.int().nonnegative()),
  /** Which candidate of this evolution it is, from 1, and how many had been kept when its training began. */
  place: z.int().nonnegative(),
  keptBefore: z.int().nonnegative(),
  /** It changes only how evidence is read: it is admitted on the archive, and not trained. */
  harness: z.boolean().default(false),
  /** What the last look at it said; null before the first. */
  look: z
    .object({
      verdict: z.enum(["screened", "another_seed", "keep", "reject"]),
      reason: z.string(),
      comparison: Comparison.nullable(),
      /** The seeds that its parent had then; it may have got further ones since. */
      parentSeeds: z.array(z.int().nonnegative()).optional(),
    })
    .nullable(),
});
export type Candidate = z.infer<typeof Candidate>;

/** A change that a version of this evolution made; earlier releases noted the names of interventions alone. */
const TriedEdit = z.union([
  Name.transform((name): { version: null; name: string; edit: null } => ({
    version: null,
    name,
    edit: null,
  })),
  z.object({ version: Name, name: Name, edit: z.array(Edit).nullable() }),
]);

/** A version that changes are tried on, and what was found wrong with it. */
export const Ground = z.object({
  parent: Name,
  /** Why it is not the best kept version; null where it is. */
  why: z.string().nullable(),
  findings: z.array(
    z.object({ name: z.string(), severity: z.enum(["info", "warning", "critical"]), message: z.string() }),
  ),
});
export type Ground = z.infer<typeof Ground>;

export const LoopState = z.object({
  schema: z.literal(2),
  domain: Name,
  base: z.string().describe("Commit of the harness that this evolution started from."),
  /** When the evolution was started; commits and ledger entries of one step share its time. */
  startedAt: z.iso.datetime(),
  generations: z.int().positive(),
  generation: z.int().nonnegative(),
  phase: z.enum(loopPhases),
  step: z.enum(loopSteps),
  baseVersion: Name.nullable(),
  baseline: Name.nullable(),
  /** Whether the noise of the baseline is known, as far as it can be. */
  calibrated: z.boolean(),
  /** For how many candidates the error rate was shared out then; null before, and for states of earlier releases. */
  planned: z.int().positive().nullable().default(null),
  /** The best kept version. */
  champion: Name.nullable(),
  /** Versions that were held until a person approved them, and have become the best one since; earlier releases held none. */
  released: z.array(Name).default([]),
  nextNumber: z.int().nonnegative(),
  grounds: z.array(Ground),
  /** Kept versions on which nothing is left to try. */
  exhausted: z.array(Name),
  candidates: z.array(Candidate),
  tried: z.array(TriedEdit),
  /** How many versions each finding has called for. */
  answered: z.record(z.string(), z.int()),
  failuresInARow: z.int().nonnegative(),
  /** How many changes of the best version in a row scored worse than it; null before the first, and in earlier releases. */
  doubt: z.object({ version: Name, worse: z.int().nonnegative() }).nullable().default(null),
  /** How many candidates this evolution has trained, and how many of them it kept: each look may err. */
  started: z.int().nonnegative(),
  kept: z.int().nonnegative(),
  /** Why the evolution cannot go on, in a sentence; null while it can. */
  stopped: z.string().nullable(),
  /** Why it ended before all of its generations were used; null where it did not. */
  ended: z.string().nullable(),
});
export type LoopState = z.infer<typeof LoopState>;

const stateFile = "loop.json";

/**
 * Reads the loop's state from the engine's folder, or undefined when no evolution was started.
 * @throws HarnessError badInput when the file is not a state
 */
export async function readLoopState(engineFolder: string): Promise<LoopState | undefined> {
  const path = join(engineFolder, stateFile);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (e) {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  }
  try {
    const told: unknown = JSON.parse(text);
    return LoopState.parse(upgraded(told));
  } catch (e) {
    throw new HarnessError(
      "badInput",
      `${path} is not a state of the loop (${messageOf(e).split("\n", 1)[0] ?? ""}); move it elsewhere and run \`evotrainer evolve --restart\`.`,
      { cause: e },
    );
  }
}

/** Replaces the state atomically: a crash leaves the old one or the new one. */
export async function writeLoopState(engineFolder: string, state: LoopState): Promise<void> {
  await writeFileAtomic(join(engineFolder, stateFile), `${JSON.stringify(state, null, 2)}\n`, {
    mode: 0o600,
  });
}

/** The state at the start of an evolution from `base`; version numbers go on after `firstNumber`. */
export function initialState(options: {
  domain: string;
  base: string;
  startedAt: string;
  generations: number;
  firstNumber: number;
}): LoopState {
  return {
    schema: 2,
    domain: options.domain,
    base: options.base,
    startedAt: options.startedAt,
    generations: options.generations,
    generation: 0,
    phase: "base",
    step: "collect",
    baseVersion: null,
    baseline: null,
    calibrated: false,
    planned: null,
    champion: null,
    released: [],
    nextNumber: options.firstNumber,
    grounds: [],
    exhausted: [],
    candidates: [],
    tried: [],
    answered: {},
    failuresInARow: 0,
    doubt: null,
    started: 0,
    kept: 0,
    stopped: null,
    ended: null,
  };
}
