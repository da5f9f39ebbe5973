import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FailureClass } from "../../../shared/model/failureClass.ts";
import { Name } from "../../../shared/spec/common.ts";
import { codeOf, HarnessError, messageOf } from "../base/errors.ts";
import { writeFileAtomic } from "../base/files.ts";

/**
 * The steps of a generation, in order. The state is written after each one and each one may be repeated: killed
 * anywhere, the loop starts again at the step that it had not finished and comes to the same lineage.
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
  "decide",
] as const;
export type LoopStep = (typeof loopSteps)[number];

/** base: measure the untrained policy. baseline: train it on the harness as it is. evolve: one factor at a time. */
export const loopPhases = ["base", "baseline", "evolve", "promote", "done"] as const;
export type LoopPhase = (typeof loopPhases)[number];

const JobOutcome = z.object({ failure: FailureClass.nullable(), message: z.string(), seconds: z.number() });

/** A version on its way through a generation. */
export const Candidate = z.object({
  version: Name,
  parent: Name.nullable(),
  commit: z.string().nullable(),
  intervention: Name.nullable(),
  title: z.string(),
  /** The finding that called for it; null where no finding did. */
  finding: z.string().nullable(),
  /** That finding in words. */
  because: z.string(),
  pruned: z.string().nullable(),
  job: JobOutcome.nullable(),
});
export type Candidate = z.infer<typeof Candidate>;

export const LoopState = z.object({
  schema: z.literal(1),
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
  champion: Name.nullable(),
  nextNumber: z.int().nonnegative(),
  findings: z.array(
    z.object({ name: z.string(), severity: z.enum(["info", "warning", "critical"]), message: z.string() }),
  ),
  candidates: z.array(Candidate),
  tried: z.array(Name),
  /** How many versions each finding has called for. */
  answered: z.record(z.string(), z.int()),
  failuresInARow: z.int().nonnegative(),
  /** Why the evolution cannot go on, in a sentence; null while it can. */
  stopped: z.string().nullable(),
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
    return LoopState.parse(JSON.parse(text));
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
    schema: 1,
    domain: options.domain,
    base: options.base,
    startedAt: options.startedAt,
    generations: options.generations,
    generation: 0,
    phase: "base",
    step: "collect",
    baseVersion: null,
    baseline: null,
    champion: null,
    nextNumber: options.firstNumber,
    findings: [],
    candidates: [],
    tried: [],
    answered: {},
    failuresInARow: 0,
    stopped: null,
  };
}
