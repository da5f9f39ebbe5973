import "./nodeRequire.ts";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { activeTerms } from "../../../shared/reward/reward.ts";
import type { Settings } from "./domain.ts";
import { isDerived, RewardSpec } from "../../../shared/spec/reward.ts";

/** A harness file that cannot be used; the message names the file and the key. */
export class HarnessFileError extends Error {}

export const TrainSettings = z.strictObject({
  steps: z.int().positive().max(100_000),
  prompts: z.int().positive().max(1024).describe("Items per step."),
  group: z.int().min(2).max(64).describe("Rollouts per item and step."),
  optimisation: z.strictObject({
    learningRate: z.number().positive().max(1),
    clip: z.number().positive().max(1),
    kl: z.number().min(0),
    entropy: z.number().min(0),
    epochs: z.int().positive().max(16),
    minibatches: z.int().positive().max(64),
  }),
  sampling: z.strictObject({ temperature: z.number().positive().max(10) }),
  warmup: z.strictObject({
    demonstrations: z.int().positive().max(100_000),
    epochs: z.int().positive().max(100),
    learningRate: z.number().positive().max(1),
    turnLimit: z.int().min(2).max(100),
  }),
  evidence: z.strictObject({
    every: z.int().positive().describe("Full rollouts are written at every so many steps."),
    checkpointEvery: z.int().positive(),
  }),
});
export type TrainSettings = z.infer<typeof TrainSettings>;

export const CurriculumFile = z.strictObject({ order: z.enum(["random", "easy-first"]) });
export type CurriculumFile = z.infer<typeof CurriculumFile>;

export const EvaluationFile = z.strictObject({
  samples: z.int().positive().max(64),
  temperature: z.number().positive().max(10),
  seed: z.int().nonnegative(),
});

export interface Harness<S extends Settings> {
  readonly train: TrainSettings;
  readonly environment: S;
  readonly curriculum: CurriculumFile;
  readonly evaluation: z.infer<typeof EvaluationFile>;
  readonly reward: RewardSpec;
}

function load<T>(root: string, file: string, schema: z.ZodType<T>): T {
  let text: string;
  try {
    text = readFileSync(path.join(root, file), "utf8");
  } catch {
    throw new HarnessFileError(`${file} cannot be read; run the trainer in a checkout of the project.`);
  }
  let value: unknown;
  try {
    value = parse(text);
  } catch (e) {
    throw new HarnessFileError(
      `${file} is not valid YAML: ${e instanceof Error ? (e.message.split("\n")[0] ?? "") : String(e)}`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys : [];
  const key = [...(issue?.path ?? []), ...unknown.slice(0, 1)].join(".");
  throw new HarnessFileError(
    `${file}: ${key === "" ? "the document" : key}: ${issue?.message ?? "is not valid"}.`,
  );
}

/** The reward has to be made of what the verdict has: a signal that is not there would count as 0. */
function loadReward(root: string): RewardSpec {
  const file = "harness/main.reward.yaml";
  const reward = load(root, file, RewardSpec);
  const derived = activeTerms(reward).find(({ signal }) => isDerived(signal));
  if (derived === undefined) return reward;
  throw new HarnessFileError(
    `${file}: components.${derived.name}: ${derived.signal} is known to backtests only; this trainer has no such signal.`,
  );
}

/** Every harness file of a project; throws a HarnessFileError at the first one that cannot be used. */
export function readHarness<S extends Settings>(
  root: string,
  { environment }: { readonly environment: z.ZodType<S> },
): Harness<S> {
  return {
    train: load(root, "harness/train.yaml", TrainSettings),
    environment: load(root, "harness/environment.yaml", environment),
    curriculum: load(root, "harness/curriculum.yaml", CurriculumFile),
    evaluation: load(root, "harness/evaluation.yaml", EvaluationFile),
    reward: loadReward(root),
  };
}
