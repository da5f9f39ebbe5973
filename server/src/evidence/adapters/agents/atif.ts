import { dirname } from "node:path";
import { fileBytes } from "../../../reading/bytes.ts";
import { readDocument } from "../../../reading/document.ts";
import {
  noted,
  noVerdict,
  Refusal,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RunPlace,
} from "../parts/adapter.ts";
import { isAtif } from "./atifSteps.ts";
import { continuationOf, pathsIn, readTrajectory } from "./atifTrajectory.ts";
import { extraOf } from "../parts/clip.ts";
import { meanOf } from "../parts/means.ts";
import { tokenValues } from "../parts/tokenValues.ts";
import { isTrial } from "./harborTrial.ts";
import { nameAt } from "../parts/untrusted.ts";

/**
 * Trajectories in the Agent Trajectory Interchange Format. Files that another one continues in or refers to are parts of
 * that one; those in the folder of a Harbor trial belong to its result.
 */
export const atif: FileAdapter = {
  name: "atif",
  title: "ATIF trajectory",
  note: {
    writer: "Harbor and agents that write ATIF 1.0–1.7",
    files: "`trajectory.json`",
    verdict: "none: `--pass-when`",
  },
  source: "harbor@75398cf4 rfcs/0001-trajectory-format.md, src/harbor/models/trajectories",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!file.head.includes('"ATIF-v1.')) return false;
    const document = await file.document();
    // One that is cut off or long is refused by name when it is read.
    if (document === undefined) return trajectoryHead.test(file.head.toString("latin1", 0, 4096));
    return isAtif(document) && !(await isPartOfTrial(file)) && !(await isPartOfAnother(file));
  },
  runOf: trajectoryRun,
  companions: partsOf,
  splitOf: () => "selection",
  read: readFile,
  absent: {
    outcome: "the format has no verdict; the result of a Harbor trial has one",
    reward: "not in the format",
    components: "not in the format",
    stop_reason: "not in the format",
    harness: "the format names the agent and its version, not a commit",
    seed: "not in the format",
    "turns.ok": "results do not say whether a call succeeded",
    "turns.ms": "steps have a time, not a duration",
  },
  inferred: {
    item: "equal first requests are one item",
    sample: "order of the files",
    tokens:
      "sum over the steps that were not copied from an earlier trajectory, subagents included; the document's own total if that is larger, because some steps are missing",
    started_at: "time of the first step",
    duration_ms: "from the first to the last step with a time",
    policy: "the model that the document names for its agent",
  },
};

const trajectoryHead = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"schema_version"\s*:\s*"ATIF-v1\.\d+"/;

/** Trajectories of one folder are one run; one in the `agent` folder of a trial belongs to the run of its trial. */
export function trajectoryRun(file: ForeignFile): RunPlace {
  const folder = dirname(file.path);
  return file.folders[0] === "agent" && file.folders[2] !== undefined
    ? { name: file.folders[2], path: dirname(dirname(folder)) }
    : { name: file.folders[0] ?? file.name, path: folder };
}

/** The name of a rollout whose file lies alone in the `agent` folder of a trial is the trial's. */
export const trialName = (file: ForeignFile): string | undefined =>
  file.folders[0] === "agent" ? file.folders[1] : undefined;

async function* readFile(file: ForeignFile): AsyncGenerator<Entry> {
  const value = noted(file, await readDocument(fileBytes(file.path), { name: file.path }));
  if (!isAtif(value)) throw new Refusal("an ATIF trajectory needs schema_version, agent and steps");
  const rollout = await readTrajectory(value, (path) => loadBeside(file, path));
  yield {
    record: 1,
    drafts: [
      {
        type: "rollout",
        id: nameAt(value, "trajectory_id") ?? trialName(file) ?? null,
        verdict: noVerdict("ATIF has no verdict"),
        turns: rollout.turns,
        tokens: rollout.tokens,
        logprob_mean: meanOf(rollout.logprobs ?? []),
        policy: rollout.model,
        started_at: rollout.startedAt,
        duration_ms: rollout.durationMs,
        extra: { ...extraOf(rollout.extra), ...tokenValues({ token_logprobs: rollout.logprobs }) },
      },
    ],
  };
}

/** Trajectories name one another by paths beside them; anything else is not followed. */
const isPlain = (path: string): boolean =>
  path.length < 256 && !/^(?:[a-z]+:|[/\\])/i.test(path) && !path.split(/[/\\]/).includes("..");

/** Names that a path may have here: as it is, and with what was put before `trajectory` in this file's own name. */
function namesOf(file: ForeignFile, path: string): string[] {
  if (!isPlain(path)) return [];
  const prefix = /^(.+?)trajectory[^/]*\.json$/.exec(file.name)?.[1];
  return prefix === undefined ? [path] : [path, `${prefix}${path}`];
}

async function loadBeside(file: ForeignFile, path: string): Promise<unknown> {
  const names = namesOf(file, path);
  // A trajectory that goes on in itself ends there.
  if (names.includes(file.name)) return undefined;
  for (const name of names) {
    const found = await file.beside(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The trajectories that are read with one: those that continue it, and the subagents that each of them names. */
async function partsOf(file: ForeignFile): Promise<string[]> {
  const names: string[] = [];
  const followed = new Set<string>();
  for (let document = await file.document(); isAtif(document) && followed.size < 64;) {
    names.push(...pathsIn(document).flatMap((path) => namesOf(file, path)));
    const next = continuationOf(document);
    if (next === undefined || followed.has(next)) break;
    followed.add(next);
    document = await loadBeside(file, next);
  }
  return names;
}

/** Whether the file is the continuation or a subagent of the trajectory whose name its own begins with. */
async function isPartOfAnother(file: ForeignFile): Promise<boolean> {
  const main = /^(.*?trajectory)\.(?!json$).+\.json$/.exec(file.name)?.[1];
  let document = main === undefined ? undefined : await file.beside(`${main}.json`);
  const followed = new Set<string>();
  while (isAtif(document)) {
    if (pathsIn(document).some((path) => namesOf(file, path).includes(file.name))) return true;
    const next = continuationOf(document);
    if (next === undefined || followed.has(next) || followed.size >= 64) return false;
    followed.add(next);
    document = await loadBeside(file, next);
  }
  return false;
}

/** Trials keep trajectories in `agent`, those of several steps in `steps/{step}/agent`. */
export async function isPartOfTrial(file: ForeignFile): Promise<boolean> {
  if (file.folders[0] !== "agent") return false;
  if (isTrial(await file.beside("../result.json"))) return true;
  return file.folders[2] === "steps" && isTrial(await file.beside("../../../result.json"));
}
