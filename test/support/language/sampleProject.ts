/** A small project as texts, for tests of the rules and the server. */
export const sampleProject: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: sample
domain: swe
trainer:
  command: [node, train.mjs]
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [harness/evaluate.yaml]
surfaces:
  - { factor: reward, file: harness/main.reward.yaml, paths: [components] }
  - { factor: filter, file: harness/main.reward.yaml, paths: [filter] }
  - { factor: optimisation, file: harness/config.json }
frozen:
  - { file: harness/config.json, paths: [workers] }
`,
  "harness/main.reward.yaml": `apiVersion: evotrainer/v1
kind: Reward
name: main
components:
  correctness: { shape: flat, weight: 1 }
filter:
  kind: none
`,
  "harness/config.json": `{ "temperature": 1.0, "workers": 2 }\n`,
};

/** An intervention with the given edits, whose hypothesis names what the first of them changes; everything else in it is right. */
export function interventionWith(edits: string, factor = "reward"): string {
  const change = /path: ([\w.]+)/.exec(edits)?.[1] ?? "components.correctness.shape";
  return `
apiVersion: evotrainer/v1
kind: Intervention
name: binary-reward
hypothesis: { change: ${change}, metric: dead_group_ratio, direction: decrease, because: spread }
targets: [insufficient-signal]
factor: ${factor}
edit:
${edits}
predicts: { risks: [length-gaming] }
success: { atLeast: 0.02 }
`;
}
