import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { duration } from "../../../shared/words/numbers.ts";
import type { ProjectSpec } from "../../../shared/spec/project.ts";
import { HarnessError } from "../base/errors.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { configFiles, isText } from "../project/surfaces.ts";
import type { OutcomeFile } from "./difference/difference.ts";

export type SmokeEntry = Readonly<Extract<LedgerEntry, { type: "smoke" }>>;

/** Runs the project's smoke command in a checkout of a commit, and writes down what came of it. */
export interface Trials {
  /** @throws HarnessError jobFailed, cancelled when it came to no end that says anything of the code */
  run(trial: {
    readonly version: string;
    readonly commit: string;
    readonly spec: ProjectSpec;
    /** 1 for the first time. */
    readonly attempt: number;
  }): Promise<SmokeEntry>;
}

/** How far the changed code of a proposal was tried. none: it changes values only, which are data. */
export type Trial =
  | { readonly type: "none" }
  | { readonly type: "noCommand" }
  | { readonly type: "untried"; readonly command: string; readonly seconds: number }
  | { readonly type: "tried"; readonly smoke: SmokeEntry; readonly attempts: number };

/** Whether files change as texts, code perhaps, and not by values that a spec or a config declares. */
function isPatched(spec: ProjectSpec, files: readonly OutcomeFile[]): boolean {
  const configs = configFiles(spec);
  return files.some(
    ({ path, before, after }) => before !== after && isText(spec, path) && !configs.includes(path),
  );
}

/** How far a commit of a version was tried; `spec` is the project as the parent has it. */
export function trialOf(
  { smokes }: Pick<VersionRecord, "smokes">,
  {
    spec,
    files,
    commit,
  }: { readonly spec: ProjectSpec; readonly files: readonly OutcomeFile[]; readonly commit: string },
): Trial {
  if (!isPatched(spec, files)) return { type: "none" };
  const own = smokes.filter((one) => one.commit === commit);
  const smoke = own.at(-1);
  if (smoke !== undefined) return { type: "tried", smoke, attempts: own.length };
  const command = spec.trainer.smoke;
  return command === undefined
    ? { type: "noCommand" }
    : { type: "untried", command: command.command.join(" "), seconds: command.seconds };
}

/** The same in words, for who reviews it; null where nothing has to be tried. */
export function trialText(trial: Trial): string | null {
  switch (trial.type) {
    case "none":
      return null;
    case "noCommand":
      return "Nothing tries this patch, because evotrainer.yaml has no trainer.smoke. Only a person can approve it.";
    case "untried":
      return `Not tried yet. If you approve it, EvoTrainer first runs \`${trial.command}\` in a checkout of it, for at most ${duration(trial.seconds)}.`;
    case "tried":
      return trial.smoke.message;
  }
}

/**
 * Lets a proposal be approved by a person: its changed code is tried first, once, unless no command tries it.
 * @throws HarnessError jobFailed with the last lines of a command that failed
 */
export async function passTrial(
  version: Pick<VersionRecord, "name" | "smokes">,
  {
    spec,
    files,
    commit,
    trials,
  }: {
    readonly spec: ProjectSpec;
    readonly files: readonly OutcomeFile[];
    /** Makes the commit where there is none yet. */
    readonly commit: () => Promise<string>;
    readonly trials: Trials | undefined;
  },
): Promise<void> {
  if (!isPatched(spec, files) || spec.trainer.smoke === undefined) return;
  const made = await commit();
  const trial = trialOf(version, { spec, files, commit: made });
  const smoke = trial.type === "tried" ? trial.smoke : await runOnce(version.name, made, spec, trials);
  if (smoke.ok) return;
  throw new HarnessError(
    "jobFailed",
    `Not approved: ${smoke.message} Revise or reject it; if the command failed for another reason, run \`evotrainer review ${version.name} try\` to try it again.`,
  );
}

function runOnce(
  version: string,
  commit: string,
  spec: ProjectSpec,
  trials: Trials | undefined,
): Promise<SmokeEntry> {
  if (trials === undefined)
    throw new HarnessError(
      "badInput",
      `Not approved: this process runs no jobs, so it cannot try ${version}.`,
    );
  return trials.run({ version, commit, spec, attempt: 1 });
}
