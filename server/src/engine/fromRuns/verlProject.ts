import { readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { ProjectPath } from "../../../../shared/spec/common.ts";
import { exists } from "../../base/files.ts";
import type { Found, FoundConfig } from "./findRuns.ts";
import { observedReward } from "./observedReward.ts";
import { untoldEvidence, untoldItems, type RunsPlan } from "./planRuns.ts";
import { verlSplits } from "./verlSplits.ts";
import type { Verdict } from "./verdict.ts";

const wrapper = "trainer/verl_launch.py";
const writer = "trainer/evidence_writer.py";
const reward = "harness/observed.reward.yaml";
const splitFiles = ["train", "selection", "audit"].map((split) => `data/${split}.jsonl`);

/**
 * A plan with all that `evolve` needs to train with a launch script of verl: split files of the data that the script names, a
 * command that starts it and turns its dumps into evidence, and a reward spec where the reward is code. Any other plan stays as
 * it is, but for the reward. `programs` is the folder of the files that go beside the script.
 */
export async function completed(
  plan: RunsPlan,
  {
    found,
    root,
    programs,
    verdict,
  }: { readonly found: Found; readonly root: string; readonly programs: string; readonly verdict: Verdict },
): Promise<RunsPlan> {
  const script = launchOf(found);
  const code = codeOfReward(script);
  const observed = code === undefined ? null : await observedReward(found.runs, code);
  const rewarded: RunsPlan =
    observed === null
      ? plan
      : {
          ...plan,
          copies: { ...plan.copies, [reward]: observed.text },
          unknown: [...plan.unknown, ...observed.unknown],
          evaluation: { ...plan.evaluation, reward },
        };
  const path = script && pathOf(plan, script, root);
  if (script === undefined || path === undefined) return rewarded;
  const splits = await verlSplits(script, root);
  const programFiles = Object.fromEntries(
    await Promise.all(
      [wrapper, writer].map(async (file): Promise<[string, string]> => [
        file,
        await readFile(join(programs, file.slice("trainer/".length)), "utf8"),
      ]),
    ),
  );
  const passScore = /^\s*reward\s*>=\s*([\d.]+)\s*$/.exec(verdict.passWhen ?? "")?.[1];
  const samples = Number(script.settings.get("actor_rollout_ref.rollout.val_kwargs.n")?.value ?? 1);
  const judge = await judgeFile(code, root);
  return {
    ...rewarded,
    command: {
      words: ["python3", wrapper, path, ...(passScore === undefined ? [] : ["--pass-score", passScore])],
      why: `it starts ${path} with where to dump, and turns verl's dumps into evidence`,
    },
    copies: { ...rewarded.copies, ...programFiles, ...splits.files },
    evaluation: {
      ...rewarded.evaluation,
      ...(Number.isInteger(samples) && samples > 0 ? { samples } : {}),
      files: [...splitFiles, wrapper, writer, ...judge],
      told: splits.told,
    },
    unknown: [
      ...rewarded.unknown.filter((one) => one !== untoldItems && one !== untoldEvidence),
      ...splits.unknown,
      ...takesSettings(script, path),
      ...(passScore === undefined && !(verdict.isKnown && verdict.passWhen === null)
        ? [`The lowest score that counts as solved: write it into trainer.command, as --pass-score 1.0.`]
        : []),
      "Whether verl runs on this machine: python3 of trainer.command needs it. Where it does not, run your script where it does, and bring the run in with `evotrainer attach`.",
    ],
  };
}

/** The launch script of verl among what was named; undefined where there is none. */
function launchOf({ configs, runs }: Found): FoundConfig | undefined {
  const all = [...configs, ...runs.flatMap((run) => run.configs)];
  return all.find(
    ({ command, settings, untold }) =>
      command === "script" &&
      [...settings.keys(), ...untold.map(({ path }) => path)].some((key) =>
        key.startsWith("actor_rollout_ref."),
      ),
  );
}

/** Where the project has the script: its own place, or that of its copy. */
function pathOf(plan: RunsPlan, script: FoundConfig, root: string): string | undefined {
  const inside = relative(root, script.file).split(sep).join("/");
  return plan.files.includes(inside) ? inside : plan.files.find((path) => plan.copies[path] === script.text);
}

/** The file of a reward function of the user's, as a launch script of verl names it. */
function codeOfReward(script: FoundConfig | undefined): string | undefined {
  for (const [key, { value }] of script?.settings ?? [])
    if (/(^|\.)custom_reward_function\.path$/.test(key)) return String(value);
  return script?.untold.find(({ path }) => /(^|\.)custom_reward_function\.path$/.test(path))?.said;
}

/** What judges a rollout is part of how versions are measured, where it is a file of the project. */
async function judgeFile(code: string | undefined, root: string): Promise<string[]> {
  if (code === undefined) return [];
  const path = relative(root, resolve(root, code)).split(sep).join("/");
  return ProjectPath.safeParse(path).success && (await exists(join(root, path))) ? [path] : [];
}

function takesSettings({ text, settings }: FoundConfig, file: string): string[] {
  if (/\$(@|\{@\}|\*)/.test(text)) return [];
  const last = Math.max(1, ...[...settings.values()].map(({ line }) => line));
  return [`How to give ${file} further settings: write "$@" at the end of its command, in line ${last}.`];
}
