import { loadProject, type Project } from "../../../server/src/project/project.ts";
import type { FileSource } from "../../../server/src/project/source.ts";
import type { Plan } from "./plan.ts";

const knobs = ["a", "b", "c", "d", "e", "f"] as const;
export const harness = "harness/toy.yaml";

const intervention = (knob: string): string => `apiVersion: evotrainer/v1
kind: Intervention
name: raise-${knob}
hypothesis: { change: ${knob}, metric: solve_rate, direction: increase, because: it should }
targets: [low-score]
factor: optimisation
edit: [{ file: ${harness}, path: ${knob}, from: low, to: high }]
success: { atLeast: 0.02 }
`;

const projectText = (plan: Plan): string => `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs], start: ${plan.start} }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
surfaces: [{ factor: optimisation, file: ${harness} }]
library: { use: none }
testing: { seeds: ${plan.seeds}, calibrationSeeds: ${Math.max(2, plan.seeds)} }
gates: { autonomy: ${plan.gated ? "human_gated" : "full"}, firstVersionsGated: 0, escalateAfterFailures: 99 }
budgets: { generations: 3, variantsPerGeneration: ${plan.variants} }
`;

/** The files that a simulated evolution begins with: six values that may be raised. */
export function filesOf(plan: Plan): ReadonlyMap<string, string> {
  return new Map([
    ["evotrainer.yaml", projectText(plan)],
    [harness, knobs.map((knob) => `${knob}: low\n`).join("")],
    ...knobs.map((k) => [`harness/interventions/raise-${k}.intervention.yaml`, intervention(k)] as const),
  ]);
}

export function sourceOf(name: string, files: ReadonlyMap<string, string>): FileSource {
  return {
    name,
    read: (path) => Promise.resolve(files.get(path)),
    list: (folder) =>
      Promise.resolve([...files.keys()].filter((p) => p.slice(0, p.lastIndexOf("/")) === folder)),
  };
}

const loaded = new Map<string, Promise<Project>>();

/** The project as the evolution's first commit has it; of equal files it is read once. */
export function projectOf(plan: Plan): Promise<Project> {
  const key = projectText(plan);
  const known = loaded.get(key) ?? loadProject(sourceOf("base", filesOf(plan)));
  loaded.set(key, known);
  return known;
}
