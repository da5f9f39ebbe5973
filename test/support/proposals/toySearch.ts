import { columnsOf, type TestGroup } from "../backtest/columns.ts";
import type { Finding } from "../../../server/src/diagnosis/rules.ts";
import type { Case } from "../../../server/src/memory/cases/case.ts";
import { loadProject } from "../../../server/src/project/project.ts";
import type { FileSource } from "../../../server/src/project/source.ts";
import { chooseDrafts, type Question } from "../../../server/src/proposals/chooseDrafts.ts";

export const reward = "harness/main.reward.yaml";
export const config = "harness/train.yaml";

const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
reward: ${reward}
evaluation: { splits: { train: a, selection: b, audit: c } }
surfaces:
  - { factor: reward, file: ${reward}, paths: [components] }
  - { factor: environment, file: ${config}, paths: [turns] }
  - { factor: optimisation, file: ${config}, paths: [kl] }
library: { use: none }
`,
  [config]: "turns: 12\nkl: 0.1\n",
  [reward]: `apiVersion: evotrainer/v1
kind: Reward
name: main
components: { correctness: { shape: linear, weight: 1 }, tests: { shape: linear, weight: 0 } }
`,
};

const sourceOf = (texts: Readonly<Record<string, string>>): FileSource => ({
  name: "the parent",
  read: (path) => Promise.resolve(texts[path]),
  list: (folder) =>
    Promise.resolve(Object.keys(texts).filter((p) => p.slice(0, p.lastIndexOf("/")) === folder)),
});

const lowScore: Finding = { name: "low-score", severity: "critical", message: "The score is low." };
const groups: readonly TestGroup[] = [
  [0.1, 0.4, 0],
  [0.6, 0.9, 1],
].map(([a = 0, b = 0, tests = 0]) => ({
  rollouts: [
    { outcome: "fail", signals: { correctness: a, tests } },
    { outcome: "fail", signals: { correctness: b, tests: 0 } },
    { outcome: "pass", signals: { correctness: 1, tests: 0 } },
  ],
}));

/** A term of the reward for tests, which gained so many points. */
export const testsTried = (difference: number, change: Partial<Case> = {}): Case => ({
  ...{ version: "v2-tests", parent: "v1", factor: "reward", template: "tests", triggers: ["low-score"] },
  edits: [{ type: "value", file: reward, path: "components.tests.weight", from: 0, to: 0.25 }],
  profile: { rates: new Map(), alerts: [] },
  effect: { difference, low: difference - 0.2, high: difference + 0.2, confidence: 0.95, error: 0.08 },
  ...{ decision: "reject", ended: "noise", seconds: null },
  ...change,
});

/** Everything that the search would propose on v1 of a toy project after these cases, the best first. */
export async function ask(
  cases: readonly Case[],
  { search = "", ...changes }: { search?: string } & Partial<Question> = {},
) {
  const source = sourceOf({ ...files, "evotrainer.yaml": `${files["evotrainer.yaml"]}${search}` });
  return chooseDrafts({
    ...{ project: await loadProject(source), parent: source, version: "v1", findings: [lowScore], cases },
    tried: cases.map(({ version, template, edits }) => ({
      ...{ version, name: template ?? version, isHere: true },
      edit: edits.flatMap((one) =>
        one.type === "value" ? [{ file: one.file, path: one.path, from: one.from, to: one.to }] : [],
      ),
    })),
    ...{ skills: [], profile: { rates: new Map(), alerts: [] }, answered: {}, seed: 1, count: 200 },
    archive: {
      trainGroups: (_, signals) => Promise.resolve(columnsOf(groups, signals)),
      trainLabels: () => Promise.resolve(new Map()),
    },
    ...changes,
  });
}
