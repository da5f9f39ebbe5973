import { makeToyProject } from "./toyProject.ts";

const twoHunks = `apiVersion: evotrainer/v1
kind: Intervention
name: shape-and-bonus
hypothesis: { change: shape, metric: dead_group_ratio, direction: decrease, because: most groups have one reward }
targets: [low-score, insufficient-signal]
factor: reward
edit:
  - { file: harness/toy.yaml, path: shape, from: flat, to: linear }
  - { file: harness/toy.yaml, path: bonus, from: 0, to: 1 }
predicts: { fixes: [echo-trap], risks: [leak] }
success: { atLeast: 0.02 }
`;

const harness = `# knobs of the toy trainer
shape: flat
history: hidden
speed: slow
bonus: 0
step_ms: 5
fault: none
fault_base: no
`;

/** The same harness for a trainer that waits in the middle of its training for as long as a file exists. */
export const heldHarness = (file: string): string => `${harness}hold: ${file}\n`;

/** A human-gated project whose first proposal changes two places of one file, so that one of its hunks can be taken. */
export function makeReviewProject(
  changes: Readonly<Record<string, string | null>> = {},
  { writable = [] }: { readonly writable?: readonly string[] } = {},
): string {
  return makeToyProject({
    "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs], budgetSeconds: 900, writable: ${JSON.stringify(writable)} }
evaluation:
  rerun: never
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [trainer.mjs]
surfaces:
  - { factor: reward, file: harness/toy.yaml, paths: [shape, bonus] }
  - { factor: environment, file: harness/toy.yaml, paths: [history] }
  - { factor: optimisation, file: harness/toy.yaml, paths: [speed] }
gates: { autonomy: human_gated, firstVersionsGated: 0, escalateAfterFailures: 99 }
budgets: { generations: 1, variantsPerGeneration: 1, parallelJobs: 2 }
testing: { seeds: 3, calibrationSeeds: 2 }
`,
    "harness/toy.yaml": harness,
    "harness/interventions/linear-shape.intervention.yaml": null,
    "harness/interventions/bonus.intervention.yaml": null,
    "harness/interventions/visible-history.intervention.yaml": null,
    "harness/interventions/shape-and-bonus.intervention.yaml": twoHunks,
    ...changes,
  });
}

/** The proposal that the loop makes first of all in that project. */
export const firstProposal = "v2-shape-and-bonus";
