import { dirname } from "node:path";
import { makeToyProject } from "./toyProject.ts";

/** Reward code of the project; the harness's shape follows from what it pays for half an answer. */
export const rewardCode = `// What the policy is paid for.
export function score(passed, of) {
  // All or nothing.
  return passed === of ? 1 : 0.4;
}

export function bonus() {
  return 0;
}
`;

/** Trains by the reward code that is there: graded rewards teach the toy policy more. */
const train = `import { readFileSync, writeFileSync } from "node:fs";
const { score } = await import("./reward/score.mjs");
const isGraded = score(1, 8) !== score(7, 8);
const harness = readFileSync("harness/toy.yaml", "utf8");
writeFileSync("harness/toy.yaml", harness.replace(/^shape: .*$/m, "shape: " + (isGraded ? "linear" : "flat")));
await import("./trainer.mjs");
`;

/** Says whether the reward code works, and writes down that it was asked. */
const smoke = `import { appendFileSync, existsSync } from "node:fs";
if (process.env.TRIED) appendFileSync(process.env.TRIED, "tried\\n");
if (process.env.EVO_SMOKE !== "1") throw new Error("this is no trial");
if (existsSync("data/audit.jsonl")) throw new Error("the audit split is here");
const { score } = await import("./reward/score.mjs");
if (!(score(8, 8) > score(0, 8))) throw new Error("a whole answer is not paid more than none");
`;

const patchHeader = (path: string): string => `      --- a/${path}\n      +++ b/${path}\n`;

/** An intervention that is a patch; its hunks are indented as in YAML. */
const patchIntervention = (name: string, target: string, path: string, hunks: string): string =>
  `apiVersion: evotrainer/v1
kind: Intervention
name: ${name}
hypothesis: { change: ${path}, metric: solve_rate, direction: increase, because: half an answer teaches something }
targets: [${target}]
factor: reward
edit:
  - patch: |
${patchHeader(path)}${hunks.replaceAll(/^/gm, "      ").trimEnd()}
success: { atLeast: 0.02 }
`;

const graded = `@@ -1,9 +1,9 @@ export function score(passed, of) {
 // What the policy is paid for.
 export function score(passed, of) {
-  // All or nothing.
-  return passed === of ? 1 : 0.4;
+  // Each part counts.
+  return passed / of;
 }
 
 export function bonus() {
-  return 0;
+  return 0.5;
 }
`;
const broken = `@@ -2,4 +2,4 @@
 export function score(passed, of) {
   // All or nothing.
-  return passed === of ? 1 : 0.4;
+  return passed === of ? 1 : nowhere;
 }
`;

/** A project whose reward is code that versions may change; people answer its gates unless told otherwise. */
export function makePatchProject(
  options: {
    readonly autonomy?: "full" | "human_gated";
    readonly smoke?: boolean;
    readonly tried?: string;
    readonly files?: Readonly<Record<string, string | null>>;
  } = {},
): string {
  const { autonomy = "human_gated", smoke: hasSmoke = true, tried = "", files = {} } = options;
  return makeToyProject({
    "evotrainer.yaml": `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer:
  command: [node, train.mjs]
  budgetSeconds: 900
  environment: { TRIED: "${tried}" }
${tried === "" ? "" : `  writable: [${dirname(tried)}]\n`}${hasSmoke ? "  smoke: { command: [node, smoke.mjs], seconds: 60 }\n" : ""}evaluation:
  rerun: never
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
  files: [trainer.mjs, train.mjs]
surfaces:
  - { factor: reward, kind: text, files: ["reward/*.mjs", "prompts/**"] }
  - { factor: optimisation, file: harness/toy.yaml, paths: [speed] }
gates: { autonomy: ${autonomy}, firstVersionsGated: 0, escalateAfterFailures: 99 }
budgets: { generations: 1, variantsPerGeneration: 1, parallelJobs: 2 }
testing: { seeds: 3, calibrationSeeds: 2 }
`,
    "train.mjs": train,
    "smoke.mjs": smoke,
    "reward/score.mjs": rewardCode,
    "harness/interventions/linear-shape.intervention.yaml": null,
    "harness/interventions/bonus.intervention.yaml": null,
    "harness/interventions/visible-history.intervention.yaml": null,
    "harness/interventions/faster.intervention.yaml": null,
    "harness/interventions/graded.intervention.yaml": patchIntervention(
      "graded",
      "low-score, insufficient-signal",
      "reward/score.mjs",
      graded,
    ),
    "harness/interventions/broken.intervention.yaml": patchIntervention(
      "broken",
      "echo-trap",
      "reward/score.mjs",
      broken,
    ),
    ...files,
  });
}
