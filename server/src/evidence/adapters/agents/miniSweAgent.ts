import { basename, dirname } from "node:path";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import {
  noVerdict,
  Refusal,
  unknown,
  type FileAdapter,
  type ForeignFile,
  type Verdict,
} from "../parts/adapter.ts";
import { evaluationFiles, judgementBeside, withExit } from "./sweBench.ts";
import { miniTurns } from "./miniSweAgentTurns.ts";
import { isoOf } from "../parts/times.ts";
import {
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  without,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Trajectories of mini-swe-agent, one file per instance: `mini-swe-agent-1.1` and `-1`, files from before the format had
 * a name, and the bare lists of messages of the first version.
 */
export const miniSweAgent: FileAdapter = {
  name: "mini-swe-agent",
  title: "mini-swe-agent trajectory",
  note: {
    writer: "mini-swe-agent, old and new",
    files: "`*.traj.json`",
    verdict: "`resolved` of a SWE-bench report in the run's folder",
  },
  source: "mini-swe-agent@a83fcae8 src/minisweagent/agents/default.py:159 serialize",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    const named = file.name.endsWith(".traj.json");
    if (!named && !mayBeNamed(file)) return false;
    const document = await file.document();
    if (nameAt(document, "trajectory_format")?.startsWith("mini-swe-agent") === true) return true;
    if (!named) return false;
    const messages = listAt(document) ?? (fieldsAt(document, "info") && listAt(document, "messages"));
    return messages !== undefined && messages.length > 0 && messages.every(isMessage);
  },
  runOf: (file) => {
    const path = inOwnFolder(file) ? dirname(dirname(file.path)) : dirname(file.path);
    return { name: basename(path) || "run", path };
  },
  companions: (file) => {
    const root = inOwnFolder(file) ? ".." : ".";
    return [...evaluationFiles(root), `${root}/exit_statuses_*.yaml`, `${root}/minisweagent.log`];
  },
  read: async function* (file) {
    const document = await file.document();
    const messages = listAt(document) ?? listAt(document, "messages");
    if (messages === undefined) throw new Refusal("messages must be a list");
    const info = fieldsAt(document, "info");
    const [id, item] = [stemOf(file), nameAt(document, "instance_id") ?? stemOf(file)];
    const judged = await judgementBeside(file, item, inOwnFolder(file) ? ".." : ".");
    const turns = miniTurns(messages);
    const times = timesOf(messages);
    const verdict = withExit(judged?.verdict, exitVerdict(document, info));
    yield {
      record: 1,
      drafts: [
        {
          type: "rollout",
          id,
          item,
          verdict,
          components: judged?.components ?? {},
          turns,
          stop_reason: nameAt(info, "exit_status") ?? null,
          tokens: tokensOf(turns),
          policy: nameAt(info, "config", "model", "model_name") ?? null,
          harness: nameAt(info, "mini_version") ?? null,
          started_at: isoOf(times.start) ?? null,
          duration_ms: times.seconds === undefined ? null : times.seconds * 1000,
          extra: {
            ...without(info ?? {}, "config", "exit_status", "mini_version"),
            ...limitsOf(info),
            ...(judged === undefined ? {} : { judged_by: judged.from }),
          },
        },
      ],
    };
  },
  absent: {
    step: "trajectories are evaluations, not training steps",
    reward: "mini-swe-agent has no reward; the evaluation is a separate program",
    logprob_mean: "not in the trajectory",
    seed: "not in the trajectory",
  },
  inferred: {
    outcome: "from a SWE-bench report inside the run's folder, if one names the instance",
    tokens: "completion tokens of the answers, if every answer has its usage",
    started_at: "when the first answer began",
    duration_ms: "from the beginning of the first answer to the last message",
    "turns.ok": "the command returned 0",
    "turns.ms": "between the times of two messages",
    "turns.tool": "the code block of an answer, if this version of mini-swe-agent has no tool calls",
  },
};

const stemOf = (file: ForeignFile): string => file.name.replace(/(?:\.traj)?\.json$/, "");
const inOwnFolder = (file: ForeignFile): boolean => file.folders[0] === stemOf(file);

/** The format's own name stands at the end of the file; the beginning tells whether it is worth a look. */
const mayBeNamed = (file: ForeignFile): boolean =>
  file.name.endsWith(".json") &&
  /^\s*\{\s*"(?:info|messages|trajectory_format|instance_id)"/.test(file.head.toString("latin1", 0, 256));

const isMessage = (message: unknown): boolean =>
  textAt(message, "role") !== undefined && isFields(message) && "content" in message;

function tokensOf(turns: readonly Turn[]): number | null {
  const answers = turns.filter((turn) => turn.role === "assistant");
  let sum = 0;
  for (const { tokens } of answers) {
    if (tokens === undefined) return null;
    sum += tokens;
  }
  return answers.length === 0 ? null : sum;
}

function timesOf(messages: readonly unknown[]): { readonly start?: number; readonly seconds?: number } {
  const stamps = messages
    .map((message) => numberAt(message, "extra", "timestamp") ?? numberAt(message, "timestamp"))
    .filter((stamp) => stamp !== undefined);
  const created = messages
    .map((message) => numberAt(message, "extra", "response", "created"))
    .find((time) => time !== undefined);
  const [start, end] = [created ?? stamps[0], stamps.at(-1)];
  if (start === undefined) return {};
  return end === undefined || end < start ? { start } : { start, seconds: end - start };
}

/** The limits that explain an exit, without the prompts. */
function limitsOf(info: Fields | undefined): Record<string, unknown> {
  const agent = fieldsAt(info, "config", "agent") ?? {};
  const limits = Object.fromEntries(Object.entries(agent).filter(([name]) => /limit|max_/.test(name)));
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** Exits by which an agent ends itself or runs into a limit that it was given. */
const ownExits = new Set([
  "Submitted",
  "LimitsExceeded",
  "TimeExceeded",
  "RepeatedFormatError",
  "FormatError",
  "ContextWindowExceededError",
]);
/** Exceptions of the model's API, of the container and of the harness, as their classes are called. */
const broken =
  /^(?:Timeout|API\w*|AuthenticationError|BadGatewayError|BadRequestError|BrokenPipeError|CalledProcessError|Connect\w*|Connection\w*|ContentPolicyViolationError|HTTP\w*|InternalServerError|JSONDecodeError|KeyboardInterrupt|NotFoundError|OSError|PermissionDeniedError|RateLimitError|ReadTimeout|RemoteProtocolError|RetryError|RuntimeError|ServiceUnavailableError|TimeoutError|TimeoutExpired|UnprocessableEntityError|UserInterruption|ValueError)$/;

function exitVerdict(document: unknown, info: Fields | undefined): Verdict {
  if (Array.isArray(document)) return noVerdict("a bare list of messages does not say how it ended");
  const status = textAt(info, "exit_status");
  if (status === undefined || status === "")
    return unknown("there is no exit_status: the trajectory was written before the run ended");
  if (ownExits.has(status)) return noVerdict("no report inside the run's folder names its instance");
  const said = nameAt(info, "exception_str")?.slice(0, 200);
  if (said !== undefined || nameAt(info, "traceback") !== undefined || broken.test(status))
    return unknown(`the run broke with ${status}${said === undefined ? "" : `: ${said}`}`);
  return unknown(`exit_status is ${status}, which is not a known way to end`);
}
