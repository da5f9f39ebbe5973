import { yamlWord } from "../../base/yaml.ts";
import type { RunsPlan } from "./planRuns.ts";

/** `evotrainer.yaml` as a plan has it, with the reasons as comments. */
export function projectText({ name, command, surfaces, frozen, files, evaluation }: RunsPlan): string {
  return [
    "# Made by `evotrainer init --from` of what your runs say. Change whatever is wrong; `evotrainer check` says what is wrong.",
    "apiVersion: evotrainer/v1",
    "kind: Project",
    `name: ${yamlWord(name)}`,
    `domain: ${yamlWord(name)}`,
    "trainer:",
    `  command: [${command.words.map(yamlWord).join(", ")}] # ${command.why}`,
    "  seeds: [1]",
    "  budgetSeconds: 14400",
    "evaluation:",
    `  splits: # JSON lines with an id for each item${evaluation.told.length > 0 ? "" : "; write these files before `evotrainer evolve`"}`,
    "    train: data/train.jsonl",
    "    selection: data/selection.jsonl",
    "    audit: data/audit.jsonl",
    ...(evaluation.samples === undefined ? [] : [`  samples: ${evaluation.samples}`]),
    `  files: [${evaluation.files.map(yamlWord).join(", ")}] # add what else says whether a rollout passes`,
    "surfaces: # what a version may change",
    ...bySurface(surfaces),
    ...(frozen.length === 0
      ? []
      : ["frozen: # what stays the same in every version", ...byFile(frozen, files)]),
    ...(evaluation.reward === undefined ? [] : [`reward: ${yamlWord(evaluation.reward)}`]),
    "gates:",
    "  autonomy: human_gated # a person answers for each version",
    "  firstVersionsGated: 3",
    "budgets:",
    "  generations: 2",
    "  variantsPerGeneration: 2",
    "  parallelJobs: 1",
    "",
  ].join("\n");
}

function bySurface(surfaces: RunsPlan["surfaces"]): string[] {
  const areas = new Map<string, RunsPlan["surfaces"][number][]>();
  for (const one of surfaces) {
    const key = JSON.stringify([one.factor, one.file]);
    areas.set(key, [...(areas.get(key) ?? []), one]);
  }
  return [...areas.values()].flatMap((area) => {
    const [first] = area;
    return first === undefined
      ? []
      : [
          `  - factor: ${first.factor} # ${first.why}`,
          `    file: ${yamlWord(first.file)}`,
          ...paths(area, () => ""),
        ];
  });
}

const byFile = (frozen: RunsPlan["frozen"], files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const own = frozen.filter((one) => one.file === file);
    return own.length === 0 ? [] : [`  - file: ${yamlWord(file)}`, ...paths(own, ({ why }) => ` # ${why}`)];
  });

function paths(
  settings: RunsPlan["frozen"],
  comment: (setting: RunsPlan["frozen"][number]) => string,
): string[] {
  return ["    paths:", ...settings.map((one) => `      - ${yamlWord(one.path)}${comment(one)}`)];
}
