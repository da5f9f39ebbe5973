import { counted } from "../../../../shared/words/numbers.ts";
import { basename, relative, sep } from "node:path";
import { Name, ProjectPath, type Factor, type Scalar } from "../../../../shared/spec/common.ts";
import { HarnessError } from "../../base/errors.ts";
import { domainName } from "../../lineage/importing/importTree.ts";
import { byFactor, changesOf } from "../../project/configs/configValues.ts";
import { configScalars, editConfig } from "../../project/configs/configText.ts";
import type { Found, FoundConfig, FoundRun } from "./findRuns.ts";
import { knownKey } from "./readers/knownKeys.ts";

/** A setting of the user's, what it becomes, why, and where it was read. */
export interface PlannedSetting {
  readonly file: string;
  readonly path: string;
  readonly value: Scalar;
  readonly why: string;
  /** `file:line`. */
  readonly from: string;
}

export interface PlannedRun {
  /** Of the version. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly at: number;
  /** The user's files as this run had them, by path in the project. */
  readonly files: Readonly<Record<string, string>>;
  /** What it has otherwise than the run before it. */
  readonly changes: readonly {
    readonly path: string;
    readonly from: Scalar | null;
    readonly to: Scalar | null;
  }[];
  /** The one factor of those changes; null for the first run, for none, and for several. */
  readonly factor: Factor | null;
}

/** What `init --from` would write and import, with a reason for each. */
export interface RunsPlan {
  readonly name: string;
  readonly command: { readonly words: readonly string[]; readonly why: string };
  readonly surfaces: readonly (PlannedSetting & { readonly factor: Factor })[];
  readonly frozen: readonly PlannedSetting[];
  /** Files outside the project, or in a run's folder, that it gets a copy of: path in the project, and its text. */
  readonly copies: Readonly<Record<string, string>>;
  /** The user's files that surfaces point to, as paths in the project. */
  readonly files: readonly string[];
  readonly runs: readonly PlannedRun[];
  /** How versions are measured, as far as it was found out. */
  readonly evaluation: {
    readonly samples?: number;
    /** Files that say which items there are and whether a rollout passes. */
    readonly files: readonly string[];
    readonly reward?: string;
    /** Where the items come from, a sentence each. */
    readonly told: readonly string[];
  };
  /** What the files do not say, a sentence each. */
  readonly unknown: readonly string[];
}

/** What is said where nothing tells the items, and where the command may write no evidence. */
export const untoldItems =
  "Which items are for training, for selection and for the audit: EvoTrainer reads JSON lines with an id, not the data of your trainer. Write data/train.jsonl, data/selection.jsonl and data/audit.jsonl before `evotrainer evolve`.";
export const untoldEvidence =
  "Whether your command writes rollouts.jsonl into EVO_RUN_DIR, which `evotrainer evolve` needs: docs/writing-evidence.md says how, for verl and TRL too.";

interface Placed {
  readonly config: FoundConfig;
  readonly path: string;
}

/**
 * Makes a plan of what was found. Pure. `root` is the project's folder.
 * @throws HarnessError badInput where no file says what a version may change
 */
export function planRuns(found: Found, root: string): RunsPlan {
  const copies: Record<string, string> = {};
  const configs = writtenConfigs(found).map((config): Placed => {
    const inside = relative(root, config.file).split(sep).join("/");
    const isOfRun = found.runs.some(({ path }) => config.file.startsWith(`${path}${sep}`));
    if (!isOfRun && ProjectPath.safeParse(inside).success) return { config, path: inside };
    const path = `harness/${basename(config.file).replaceAll(/[^\w.-]/g, "-")}`;
    copies[path] = config.text;
    return { config, path };
  });
  if (configs.length === 0)
    throw new HarnessError(
      "badInput",
      "No launch script and no settings were found, so there is nothing that a version could change; name them as well: `evotrainer init --from run.sh outputs/run1 outputs/run2`.",
    );
  const settings = configs.flatMap(({ config, path: file }) =>
    [...config.settings].map(([path, { value, line }]) => ({ file, path, value, from: `${file}:${line}` })),
  );
  const known = settings.map((setting) => ({ ...setting, known: knownKey(setting.path) }));
  const unknown = untoldSentences(configs);
  const strange = known.filter((one) => one.known.type === "unknown").map(({ path }) => path);
  if (strange.length > 0)
    unknown.push(
      `EvoTrainer does not know what these settings do, so no version changes them until you add them to \`surfaces\`: ${strange.slice(0, 12).join(", ")}${strange.length > 12 ? `, and ${strange.length - 12} more` : ""}.`,
    );
  const surfaces = known.flatMap(({ known: is, ...one }) =>
    is.type === "surface" ? [{ ...one, factor: is.factor, why: is.why }] : [],
  );
  const frozen = known.flatMap(({ known: is, ...one }) =>
    is.type === "frozen" ? [{ ...one, why: is.why }] : [],
  );
  if (surfaces.length === 0)
    throw new HarnessError(
      "badInput",
      `None of the settings in ${configs.map(({ path }) => path).join(", ")} is known to be one that a version may change; start with \`evotrainer init --template script\` instead.`,
    );
  return {
    name: domainName(basename(root)),
    command: commandOf(configs, unknown),
    ...{ surfaces, frozen, copies, files: configs.map(({ path }) => path) },
    runs: plannedRuns(found.runs, configs, unknown),
    evaluation: { files: ["train", "selection", "audit"].map((split) => `data/${split}.jsonl`), told: [] },
    unknown: [...unknown, untoldItems, untoldEvidence],
  };
}

/** Those that were named; without any, those of the newest run that somebody wrote. */
function writtenConfigs({ configs, runs }: Found): FoundConfig[] {
  const named = configs.filter(({ isWritten }) => isWritten);
  if (named.length > 0) return named;
  return (runs.findLast((run) => run.configs.some(({ isWritten }) => isWritten))?.configs ?? []).filter(
    ({ isWritten }) => isWritten,
  );
}

const untoldSentences = (configs: readonly Placed[]): string[] =>
  configs.flatMap(({ config, path: file }) =>
    config.untold
      .filter(({ path }) => knownKey(path).type === "surface")
      .map(
        ({ path, said, line }) =>
          `${path} is ${said} (${file}:${line}), which the shell fills in; write its value there, and a version can change it.`,
      ),
  );

function commandOf(configs: readonly Placed[], unknown: string[]): RunsPlan["command"] {
  const script = configs.find(({ config }) => config.command === "script");
  if (script !== undefined)
    return {
      words: ["bash", script.path],
      why: `it is the launch script, and has ${counted(script.config.settings.size, "setting")}`,
    };
  unknown.push(
    `What starts your trainer: no launch script was found. Write the command into trainer.command of evotrainer.yaml.`,
  );
  return { words: ["python3", "train.py"], why: "nothing says it; put yours in its place" };
}

/** The user's files as each run had them, as far as it tells. */
function plannedRuns(runs: readonly FoundRun[], configs: readonly Placed[], unknown: string[]): PlannedRun[] {
  const taken = new Set<string>();
  const planned: PlannedRun[] = [];
  for (const run of runs) {
    const said = new Map(run.configs.flatMap(({ settings }) => [...settings]));
    if (said.size === 0)
      unknown.push(
        `How ${run.name} was started: it has no settings, so its version has those of your files as they are now.`,
      );
    const files = Object.fromEntries(
      configs.map(({ config, path }) => [
        path,
        asOf(run.name, { file: path, text: config.text, said }, unknown),
      ]),
    );
    reportUnset(run, said, configs, unknown);
    const before = planned.at(-1)?.files;
    const changes =
      before === undefined
        ? []
        : configs.flatMap(({ path: file }) =>
            changesOf(
              configScalars(file, before[file] ?? "") ?? new Map(),
              configScalars(file, files[file] ?? "") ?? new Map(),
            ).map(({ path, from = null, to = null }) => ({ path, from, to })),
          );
    planned.push({
      name: versionNameOf(run.name, taken),
      ...{ path: run.path, at: run.at, files, changes, factor: factorOfChanges(changes) },
    });
  }
  return planned;
}

function factorOfChanges(changes: PlannedRun["changes"]): Factor | null {
  const placed = changes.map(({ path }) => {
    const known = knownKey(path);
    return { factors: known.type === "surface" ? [known.factor] : [] };
  });
  const [factor, ...others] = byFactor(placed).keys();
  return others.length > 0 ? null : (factor ?? null);
}

/** A text with the settings of a run, in the places that it has for them. */
function asOf(
  run: string,
  {
    file,
    text,
    said,
  }: { readonly file: string; readonly text: string; readonly said: FoundRun["configs"][number]["settings"] },
  unknown: string[],
): string {
  let made = text;
  for (const [path, now] of configScalars(file, text) ?? []) {
    const to = said.get(path)?.value;
    if (to === undefined || Object.is(to, now)) continue;
    try {
      made = editConfig(file, made, { path, from: now, to });
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
      unknown.push(`${path} of ${run} could not be put into ${file}: ${e.message}`);
    }
  }
  return made;
}

/** What a run was started with and none of the user's files has a place for. */
function reportUnset(
  run: FoundRun,
  said: FoundRun["configs"][number]["settings"],
  configs: readonly Placed[],
  unknown: string[],
): void {
  // The whole configuration has every default; only what a run was started with is worth a word.
  const started = new Set(
    run.configs
      .filter(({ kind }) => kind !== "Hydra configuration")
      .flatMap(({ settings }) => [...settings.keys()]),
  );
  const unset = [...started].filter(
    (path) =>
      knownKey(path).type === "surface" &&
      said.has(path) &&
      !configs.some(({ config }) => config.settings.has(path)),
  );
  if (unset.length > 0)
    unknown.push(
      `${run.name} was started with ${unset.slice(0, 6).join(", ")}, which your files do not set; its version leaves that out.`,
    );
}

/** A name of a version that nothing else has. One that looks like a number of EvoTrainer's gets a word before it. */
function versionNameOf(name: string, taken: Set<string>): string {
  const plain = domainName(/^v\d/i.test(name) ? `run-${name}` : name);
  for (let n = 1; ; n++) {
    const made = n === 1 ? plain : `${plain.slice(0, 58)}-${n}`;
    if (taken.has(made) || !Name.safeParse(made).success) continue;
    taken.add(made);
    return made;
  }
}
