import { basename, dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  noVerdict,
  Refusal,
  unknown,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { evaluationFiles, judgementBeside, withExit, type Judgement } from "./sweBench.ts";
import { sweAgentTurns } from "./sweAgentTurns.ts";
import {
  at,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Trajectories of SWE-agent, one file per instance. Those of 2024 have the state as JSON in a text and no queries;
 * demonstrations may have nothing but a history; an agent that retries has a list of attempts.
 */
export const sweAgent: FileAdapter = {
  name: "swe-agent",
  title: "SWE-agent trajectory",
  note: {
    writer: "SWE-agent, old and new",
    files: "`*.traj`",
    verdict: "`resolved` of `report.json` or `results.json` beside it",
  },
  source: "SWE-agent@3ea751c0 sweagent/agent/agents.py:762 get_trajectory_data, sweagent/types.py",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    if (!file.name.endsWith(".traj")) return false;
    const document = await file.document();
    return ["trajectory", "history", "attempts"].some((key) => listAt(document, key) !== undefined);
  },
  runOf: (file) => {
    const path = inRunFolder(file) ? dirname(dirname(file.path)) : dirname(file.path);
    return { name: basename(path) || "run", path };
  },
  companions: (file) => {
    const root = inRunFolder(file) ? ".." : ".";
    const own = ["pred", "patch", "debug.log", "info.log", "trace.log", "config.yaml"];
    const batch = ["run_batch.config.yaml", "run_batch_exit_statuses.yaml", "run_batch.log"];
    return [
      ...evaluationFiles(root),
      ...own.flatMap((ending) => [`${root}/*.${ending}`, `${root}/*/*.${ending}`]),
      ...batch.map((name) => `${root}/${name}`),
    ];
  },
  read: async function* (file): AsyncGenerator<Entry> {
    const document = await file.document();
    if (!isFields(document)) throw new Refusal("a SWE-agent trajectory must be an object");
    const root = inRunFolder(file) ? ".." : ".";
    const judged = await judgementBeside(file, stemOf(file), root);
    const attempts = listAt(document, "attempts") ?? [];
    if (attempts.length === 0) {
      yield entryOf(1, () => rolloutOf(document, file, judged));
      return;
    }
    const best = countAt(document, "info", "best_attempt_idx");
    for (const [i, attempt] of attempts.entries())
      yield entryOf(i + 1, () => attemptOf(attempt, file, i, i === best ? judged : undefined));
  },
  absent: {
    step: "trajectories are evaluations, not training steps",
    reward: "SWE-agent has no reward; the evaluation report says whether the instance is resolved",
    logprob_mean: "not in the trajectory",
    seed: "not in the trajectory",
    started_at: "not in the trajectory",
    duration_ms: "only the time of the commands is recorded, not that of the model",
    "turns.tokens": "counted for the whole trajectory only",
  },
  inferred: {
    outcome: "from report.json or results.json beside the trajectory, if one of them names the instance",
    item: "the name of the file, unless the replay configuration names the problem",
    "turns.ok":
      "of an edit: whether its answer shows the file as it is then, or says that nothing was applied; of others nothing is known",
    "turns.tool":
      "without a tool call: the first word of an action that is a SWE-agent command, otherwise bash",
  },
};

const stemOf = (file: ForeignFile): string => file.name.replace(/\.traj$/, "");

/** A run keeps its trajectories in `trajs/`, or each in a folder of its own name. */
function inRunFolder(file: ForeignFile): boolean {
  const [folder = ""] = file.folders;
  return /^traj(?:s|ectories)?$/.test(folder) || folder === stemOf(file);
}

function entryOf(record: number, draft: () => RolloutDraft): Entry {
  try {
    return { record, drafts: [draft()] };
  } catch (e) {
    if (Refusal.is(e)) return { record, problem: e.message };
    throw e;
  }
}

function attemptOf(
  attempt: unknown,
  file: ForeignFile,
  index: number,
  judged: Judgement | undefined,
): RolloutDraft {
  if (!isFields(attempt)) throw new Refusal(`attempts[${index}] must be an object`);
  const draft = rolloutOf(attempt, file, judged);
  return {
    ...draft,
    id: `${stemOf(file)}.${index}`,
    sample: index,
    verdict:
      draft.verdict.outcome === "none"
        ? noVerdict("only the attempt that was chosen is evaluated")
        : draft.verdict,
  };
}

function rolloutOf(document: Fields, file: ForeignFile, judged: Judgement | undefined): RolloutDraft {
  const info = fieldsAt(document, "info");
  const turns = sweAgentTurns(document);
  if (turns.length === 0 && info === undefined) throw new Refusal("the trajectory has no turns and no info");
  const replay = replayOf(document);
  return {
    type: "rollout",
    id: stemOf(file),
    item: nameAt(replay, "problem_statement", "id") ?? stemOf(file),
    verdict: withExit(judged?.verdict, exitVerdict(info)),
    components: judged?.components ?? {},
    turns,
    stop_reason: nameAt(info, "exit_status") ?? null,
    tokens: tokensOf(info, turns),
    policy: nameAt(replay, "agent", "model", "name") ?? null,
    harness: nameAt(info, "swe_agent_hash") ?? null,
    extra: {
      ...without(
        info ?? {},
        "exit_status",
        "swe_agent_hash",
        "edited_files30",
        "edited_files50",
        "edited_files70",
      ),
      ...(judged === undefined ? {} : { judged_by: judged.from }),
      ...(textAt(document, "environment") === undefined
        ? {}
        : { environment: textAt(document, "environment") }),
    },
  };
}

/** The configuration of the run: JSON in a text, or an object in some versions. */
function replayOf(document: Fields): Fields | undefined {
  const replay = at(document, "replay_config");
  if (typeof replay !== "string") return isFields(replay) ? replay : undefined;
  try {
    const parsed: unknown = JSON.parse(replay);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Replays and demonstrations have turns and no tokens: nothing was counted. */
function tokensOf(info: Fields | undefined, turns: readonly Turn[]): number | null {
  const tokens = countAt(info, "model_stats", "tokens_received");
  if (tokens === undefined) return null;
  return tokens === 0 && turns.some((turn) => turn.role === "assistant") ? null : tokens;
}

/** Exits by which an agent ends itself or runs into a limit that it was given. */
const ownExits = new Set([
  "submitted",
  "exit_command",
  "exit_command_timeout",
  "exit_context",
  "exit_cost",
  "exit_forfeit",
  "exit_format",
  "exit_total_execution_time",
]);
/** Exits after which nothing can be said about the agent. */
const brokenExits: Readonly<Record<string, string>> = {
  exit_api: "the model could not be reached",
  exit_environment_error: "the environment broke",
  exit_error: "the harness failed",
  early_exit: "the run was ended early",
};

function exitVerdict(info: Fields | undefined): Verdict {
  if (info === undefined) return noVerdict("the trajectory has no info, and no report names it");
  const status = textAt(info, "exit_status");
  if (status === undefined || status === "")
    return unknown("exit_status is null: the trajectory was written before the run ended");
  // After an error the patch so far is submitted: `submitted (exit_cost)`.
  const cause = /^submitted \((.+)\)$/.exec(status)?.[1] ?? status;
  const broken = Object.hasOwn(brokenExits, cause) ? brokenExits[cause] : undefined;
  if (broken !== undefined) return unknown(`exit_status is ${status}: ${broken}`);
  if (!ownExits.has(cause)) return unknown(`exit_status is ${status}, which is not a known way to end`);
  return noVerdict("no report beside the trajectory names its instance");
}
