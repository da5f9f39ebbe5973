import { dirname } from "node:path";
import { readAround, readWithin } from "../../../reading/arrayMember.ts";
import { fileBytes } from "../../../reading/bytes.ts";
import { readDocument } from "../../../reading/document.ts";
import {
  noted,
  noVerdict,
  Refusal,
  unknown,
  verdictOf,
  type Entry,
  type FileAdapter,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../parts/adapter.ts";
import { isPartOfTrial, trajectoryRun, trialName } from "./atif.ts";
import { extraOf } from "../parts/clip.ts";
import { timeAt } from "../parts/times.ts";
import { infrastructureEnd } from "./tau2Ends.ts";
import { messagesOfTicks, policyTokens, tau2Turns } from "./tau2Turns.ts";
import {
  at,
  countAt,
  fieldsAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  numbersIn,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * Results of tau2-bench: one document of all simulations, or a folder with one file per simulation; and the state that
 * its third version leaves of one conversation.
 */
export const tau2: FileAdapter = {
  name: "tau2",
  title: "tau2 results",
  note: { writer: "tau2, and the state of a tau3 run", files: "`*.json`", verdict: "a reward of 1" },
  source: "tau2-bench@a2c02472 src/tau2/data_model/simulation.py:1396 Results, metrics/agent_metrics.py:10",
  provides: "rollouts",
  unit: "file",
  detect: async (file) => {
    const document = await file.document();
    if (document === undefined) return resultsHead.test(file.head.toString("utf8", 0, 4096));
    return (
      isResults(document) || isSimulation(document) || (isState(document) && !(await isPartOfTrial(file)))
    );
  },
  runOf: (file) => {
    if (isOneOfMany(file)) return { name: file.folders[1] ?? file.name, path: dirname(dirname(file.path)) };
    if (file.folders[0] === "agent") return trajectoryRun(file);
    return { name: file.name.replace(/\.json$/, ""), path: file.path };
  },
  splitOf: () => "selection",
  read,
  absent: { logprob_mean: "not in the format" },
  inferred: {
    outcome: "a reward of 1 is a success, as in tau2's is_successful",
    item: "the domain, and the id of the task within it",
    tokens: "sum over the messages of the agent, without its fixed greeting",
    components: "mean of each kind of check, in addition to the breakdown of the reward",
  },
};

const resultsHead =
  /^(?:\ufeff)?\s*\{\s*(?:"timestamp":\s*(?:"[^"]*"|null),\s*)?"info":\s*\{\s*"git_commit":/;
const isOneOfMany = (file: ForeignFile): boolean =>
  file.folders[0] === "simulations" && /^[0-9a-f]{8}-[0-9a-f-]{27}\.json$/.test(file.name);

const isResults = (d: unknown): boolean =>
  listAt(d, "simulations") !== undefined &&
  listAt(d, "tasks") !== undefined &&
  fieldsAt(d, "info", "agent_info") !== undefined;

const isSimulation = (d: unknown): boolean =>
  nameAt(d, "id") !== undefined &&
  idAt(d, "task_id") !== undefined &&
  nameAt(d, "termination_reason") !== undefined &&
  nameAt(d, "start_time") !== undefined &&
  (listAt(d, "messages") ?? listAt(d, "ticks")) !== undefined;

const isState = (d: unknown): boolean =>
  nameAt(d, "domain") !== undefined &&
  idAt(d, "task_id") !== undefined &&
  isFields(d) &&
  "termination_reason" in d &&
  numberAt(d, "step_count") !== undefined &&
  listAt(d, "messages") !== undefined;

async function* read(file: ForeignFile): AsyncGenerator<Entry> {
  const name = file.path;
  const results = noted(
    file,
    await readAround(fileBytes(name), "simulations", { name, maxBytes: 256 * 1024 * 1024 }),
  );
  if (isResults(results)) {
    const info = fieldsAt(results, "info") ?? {};
    let record = 0;
    for await (const item of readWithin(fileBytes(name), "simulations", { name }))
      yield item.type === "problem"
        ? { record: ++record, problem: item.reason }
        : entryOf(++record, () => simulation(item.value, info), item.nonFinite?.count);
    return;
  }
  const value = noted(file, await readDocument(fileBytes(name), { name }));
  if (isState(value)) yield entryOf(1, () => state(value, file));
  else {
    const info = fieldsAt(await file.beside("../results.json"), "info") ?? {};
    yield entryOf(1, () => simulation(value, info));
  }
}

function entryOf(record: number, produce: () => RolloutDraft, nonFinite?: number): Entry {
  try {
    return { record, drafts: [produce()], nonFinite };
  } catch (e) {
    if (Refusal.is(e)) return { record, problem: e.message };
    throw e;
  }
}

function simulation(run: unknown, info: Fields): RolloutDraft {
  if (!isFields(run)) throw new Refusal("a simulation must be an object");
  const task = idAt(run, "task_id");
  if (task === undefined) throw new Refusal("a simulation needs a task_id");
  const messages = listAt(run, "messages") ?? messagesOfTicks(listAt(run, "ticks") ?? []);
  const seconds = numberAt(run, "duration");
  const reason = nameAt(run, "termination_reason");
  return {
    type: "rollout",
    id: idAt(run, "id") ?? null,
    item: itemOf(nameAt(info, "environment_info", "domain_name"), task),
    sample: countAt(run, "trial") ?? null,
    verdict: infrastructureEnd(reason, run) ?? verdict(run, reason),
    reward: numberAt(run, "reward_info", "reward") ?? null,
    components: components(fieldsAt(run, "reward_info") ?? {}),
    turns: tau2Turns(messages),
    stop_reason: reason ?? null,
    tokens: policyTokens(messages),
    policy: nameAt(info, "agent_info", "llm") ?? null,
    harness: nameAt(info, "git_commit") ?? null,
    seed: numberAt(run, "seed") ?? numberAt(info, "seed") ?? null,
    started_at: timeAt(run, "start_time") ?? timeAt(run, "timestamp") ?? null,
    duration_ms: seconds === undefined ? null : seconds * 1000,
    extra: extraOf({
      reward_info: run["reward_info"],
      agent_cost: run["agent_cost"],
      user_cost: run["user_cost"],
      agent: at(info, "agent_info", "implementation"),
      user: at(info, "user_info", "llm"),
      mode: run["mode"],
      info: run["info"],
      review: run["review"],
      hallucination_check: run["hallucination_check"],
    }),
  };
}

const itemOf = (domain: string | undefined, task: string): string =>
  domain === undefined ? task : `${domain}/${task}`;

/** A conversation of the third version, whose reward is kept elsewhere. */
function state(value: unknown, file: ForeignFile): RolloutDraft {
  const messages = listAt(value, "messages") ?? [];
  const reason = nameAt(value, "termination_reason");
  return {
    type: "rollout",
    id: trialName(file) ?? null,
    item: itemOf(nameAt(value, "domain"), idAt(value, "task_id") ?? ""),
    verdict: infrastructureEnd(reason, value) ?? noVerdict("the state of a conversation has no reward"),
    turns: tau2Turns(messages),
    stop_reason: reason ?? null,
    tokens: policyTokens(messages),
    policy: nameAt(value, "agent_model") ?? null,
    seed: numberAt(value, "seed") ?? null,
    started_at: timeAt(messages[0], "timestamp") ?? null,
    extra: extraOf({
      agent: at(value, "agent"),
      step_count: at(value, "step_count"),
      num_errors: at(value, "num_errors"),
      max_steps: at(value, "max_steps"),
      max_errors: at(value, "max_errors"),
    }),
  };
}

function verdict(run: Fields, reason: string | undefined): Verdict {
  const reward = numberAt(run, "reward_info", "reward");
  if (reward === undefined)
    return unknown(`the simulation was not evaluated (${reason ?? "no termination_reason"})`);
  if (nameAt(run, "reward_info", "info", "note") === "No evaluation criteria")
    return noVerdict("the task has no evaluation criteria, so its reward says nothing");
  return verdictOf(Math.abs(reward - 1) <= 1e-6);
}

/** Where each kind of check has the number that it gave. */
const checks = {
  action_checks: "action_reward",
  env_assertions: "reward",
  nl_assertions: "met",
  communicate_checks: "met",
} as const;

function components(info: Fields): Record<string, number> {
  const found: Record<string, number> = numbersIn({
    reward: info["reward"],
    db_reward: at(info, "db_check", "db_reward"),
  });
  Object.assign(found, numbersIn(info["reward_breakdown"]));
  for (const [name, field] of Object.entries(checks)) {
    const values = (listAt(info, name) ?? []).map((check) => Number(at(check, field)));
    if (values.length > 0 && values.every(Number.isFinite))
      found[name] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return found;
}
