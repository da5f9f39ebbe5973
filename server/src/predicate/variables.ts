import { actionSql, commandKeys, fileKeys, fileSql, writtenKeys } from "../evidence/contract/actions.ts";
import { partSql, type CallPart } from "../evidence/contract/callParts.ts";
import type { Scope, Type } from "./types.ts";

/** Where a variable is read in SQL: rollouts `r`, their features `f`, groups `g`; those of a version are not in tables. */
export type Table = "r" | "f" | "a" | "g" | "v";

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly doc: string;
  readonly table: Table;
  /** Fields of the evidence contract that it is made of. */
  readonly fields: readonly string[];
  /** What it comes to where none of them is recorded; left out where it has no value then. */
  readonly unrecorded?: bigint;
}

const always: readonly string[] = [];

function of(
  table: Table,
  rows: readonly (readonly [
    name: string,
    type: Type,
    doc: string,
    fields?: readonly string[],
    unrecorded?: bigint,
  ])[],
): Variable[] {
  return rows.map(([name, type, doc, fields = [name], unrecorded]) => ({
    ...{ name, type, doc, table, fields },
    ...(unrecorded === undefined ? {} : { unrecorded }),
  }));
}

/** The fields of the evidence contract (shared/model/rollout.ts), and what is derived from its turns. */
export const rolloutVariables: readonly Variable[] = [
  ...of("r", [
    ["id", "string", "Id of the rollout, unique within its run.", always],
    ["run", "string", "The run that produced it.", always],
    ["split", "string", "train, selection or audit.", always],
    ["step", "int", "Training step at which it was sampled.", always],
    ["item", "string", "The task instance.", always],
    ["group", "string", "The group of rollouts that are compared with each other.", always],
    ["sample", "int", "Index within the group.", always],
    ["outcome", "string", "pass, fail or unknown."],
    ["unknown_reason", "string", "Why the outcome is unknown.", always],
    ["reward", "double", "The shaped reward that training used."],
    ["components", "components", "Raw reward signals by name."],
    ["stop_reason", "string", "Why the rollout ended."],
    ["tokens", "int", "Tokens that the policy generated."],
    ["logprob_mean", "double", "Mean log-probability per generated token."],
    ["policy", "string", "Checkpoint that generated it."],
    ["harness", "string", "Commit of the harness."],
    ["seed", "int", "Seed of the run."],
    ["duration_ms", "double", "Wall time in milliseconds."],
    ["turns", "turns", "The exchanges, in order."],
  ]),
  ...of("f", [
    ["n_turns", "int", "Turns of the policy.", ["turns"]],
    ["n_messages", "int", "All turns, including those of the environment.", ["turns"], 0n],
    ["n_tool_calls", "int", "Turns of the policy that call a tool.", ["turns.tool"], 0n],
    ["n_tool_errors", "int", "Calls that did not succeed.", ["turns.tool", "turns.ok"], 0n],
    ["n_tools", "int", "Different tools that were called.", ["turns.tool"], 0n],
    ["longest_tool_streak", "int", "Most calls of one tool in a row.", ["turns.tool"], 0n],
    ["streak_tool", "string", "The tool of that streak.", ["turns.tool"]],
    ["streak_start", "int", "Index of the turn with which that streak begins.", ["turns.tool"]],
    ["streak_end", "int", "Index of the turn with which it ends.", ["turns.tool"]],
  ]),
];

export interface TurnField {
  readonly name: string;
  /** How it is read of a row of the table `turns`; `part` is the SQL of what the call is given, where that is a column. */
  readonly sql: (alias: string, part?: (name: CallPart) => string) => string;
  readonly type: Type;
  readonly doc: string;
  readonly fields: readonly string[];
}

const columns: readonly TurnField[] = (
  [
    ["index", "int", "Position in the rollout, from 0.", "idx"],
    ["role", "string", "system, user, assistant or tool."],
    ["text", "string", "What was said or returned."],
    ["tool", "string", "Tool called in this turn."],
    ["args", "args", "Arguments of that call, as text."],
    ["ok", "bool", "Whether the call succeeded."],
    ["tokens", "int", "Tokens in this turn."],
    ["ms", "double", "Wall time in milliseconds."],
  ] as const
).map(([name, type, doc, column]) => ({
  name,
  type,
  doc,
  sql: (alias: string) => `${alias}."${column ?? name}"`,
  fields: ["index", "role", "text"].includes(name) ? [] : [`turns.${name}`],
}));

export const turnFields: readonly TurnField[] = [
  ...columns,
  {
    name: "action",
    type: "string",
    doc: "What the call in this turn does: search, test, edit, terminal or other; missing if the turn calls no tool.",
    sql: (alias, part = partSql(alias)) => actionSql(alias, part("command")),
    fields: ["turns.tool"],
  },
  {
    name: "command",
    type: "string",
    doc: `The command or code in the call of this turn: the first of the arguments ${commandKeys.join(", ")}.`,
    sql: (alias, part = partSql(alias)) => part("command"),
    fields: ["turns.args"],
  },
  {
    name: "file",
    type: "string",
    doc: `The file that the call in this turn names: the first of the arguments ${fileKeys.join(", ")}.`,
    sql: (alias) => fileSql(alias),
    fields: ["turns.args"],
  },
  {
    name: "written",
    type: "string",
    doc: `What the call in this turn writes into a file: the first of the arguments ${writtenKeys.join(", ")}.`,
    sql: (alias, part = partSql(alias)) => part("written"),
    fields: ["turns.args"],
  },
  {
    name: "answers",
    type: "call",
    doc: "The call that this turn answers: `t.answers.tool`, and so `.index`, `.args`, `.ok`, `.action`, `.command`, `.file` and `.written`. Missing if the turn answers none.",
    sql: (alias) => `${alias}.answers`,
    fields: ["turns.tool"],
  },
];

const ofCalls: readonly string[] = ["index", "tool", "args", "ok", "action", "command", "file", "written"];
/** What is known of the call that a turn answers. */
export const callFields = turnFields.filter(({ name }) => ofCalls.includes(name));

/** One value per group: the rollouts of a run and step that are compared with each other. */
export const groupVariables: readonly Variable[] = of("g", [
  ["run", "string", "The run that produced it.", always],
  ["step", "int", "Training step at which it was sampled.", always],
  ["item", "string", "The task instance.", always],
  ["group", "string", "Name of the group.", always],
  ["size", "int", "Rollouts in the group.", always],
  ["passes", "int", "Rollouts that passed.", ["outcome"]],
  ["fails", "int", "Rollouts that failed.", ["outcome"]],
  ["unknowns", "int", "Rollouts whose outcome is unknown.", ["outcome"]],
  [
    "pass_rate",
    "double",
    "Share of passes among the known outcomes; missing if no outcome is known.",
    ["outcome"],
  ],
  [
    "all_passed",
    "bool",
    "Whether all its rollouts passed. Missing if an unknown outcome leaves it open, and of a single rollout.",
    ["outcome"],
  ],
  [
    "all_failed",
    "bool",
    "Whether all its rollouts failed. Missing if an unknown outcome leaves it open, and of a single rollout.",
    ["outcome"],
  ],
  [
    "outcomes_differ",
    "bool",
    "Of the rollouts that have a reward: true if one passed and one failed, false if all passed or all failed. Missing if an unknown outcome leaves it open.",
    ["outcome", "reward"],
  ],
  [
    "reward_mean",
    "double",
    "Mean of the rewards; missing if all passes, or all failures, lack one while others have one.",
    ["reward"],
  ],
  [
    "reward_std",
    "double",
    "Population standard deviation of the rewards that were earned: where outcomes are known, a rollout whose outcome is unknown earned none. Missing if fewer than two were earned, or if it is 0 and such a rollout was given a reward.",
    ["reward"],
  ],
  ["reward_min", "double", "Lowest reward.", ["reward"]],
  ["reward_max", "double", "Highest reward.", ["reward"]],
  ["tokens_mean", "double", "Mean tokens of its rollouts.", ["tokens"]],
  ["turns_mean", "double", "Mean turns of the policy.", ["turns"]],
  [
    "file_overlap",
    "double",
    "Mean Jaccard similarity of the sets of files that its rollouts edited, over the pairs in which both edited files; 1 − this value is their diversity.",
    ["turns.tool", "turns.args"],
  ],
]);

/** Rates are in [0, 1]; missing where the evidence does not provide them. */
export const versionVariables: readonly Variable[] = of("v", [
  ["rollouts", "int", "Rollouts in the split that the diagnosis reads.", always],
  ["unknown_rate", "double", "Share of rollouts whose outcome is unknown.", ["outcome"]],
  ["score", "double", "The score under the project's aggregator.", ["outcome"]],
  ["score_low", "double", "The score if every unknown outcome were a fail.", ["outcome"]],
  ["score_high", "double", "The score if every unknown outcome were a pass.", ["outcome"]],
  [
    "reward_groups",
    "int",
    "Groups of which is known whether their rewards have a spread: those that dead_group_ratio is a share of.",
    ["reward"],
  ],
  ["dead_group_ratio", "double", "Share of groups whose rewards have no spread.", ["reward"]],
  [
    "phantom_group_ratio",
    "double",
    "Of the groups whose rewards have a spread and whose outcomes are known: the share in which all rollouts have the same outcome.",
    ["reward", "outcome"],
  ],
  [
    "phantom_component",
    "string",
    "The reward component that goes along with the reward in most of those groups; missing if no component does.",
    ["reward", "outcome", "components"],
  ],
  ["top_reward_share", "double", "Share of rollouts that have the most frequent reward value.", ["reward"]],
  ["reward_spread", "double", "Mean standard deviation of the reward within groups.", ["reward"]],
  [
    "rewards",
    "int",
    "Rollouts with a reward that was earned: those that reward_mean is a mean of; missing if there are none.",
    ["reward"],
  ],
  [
    "reward_mean",
    "double",
    "Mean of the rewards that were earned; missing if all passes, or all failures, lack one while others have one.",
    ["reward"],
  ],
  ["turns_mean", "double", "Mean turns of the policy.", ["turns"]],
  ["turns_mean_failed", "double", "Mean turns of the policy in failed rollouts.", ["turns", "outcome"]],
  [
    "turns_rise",
    "int",
    "How many evaluations in a row, up to the last, took more turns than the one before. An evaluation is a training step at which the selection split was sampled; evaluations of the ancestors in the lineage come before the version's first.",
    ["turns"],
  ],
  ["tokens_mean", "double", "Mean tokens of a rollout.", ["tokens"]],
  ["logprob_mean", "double", "Mean log-probability per token over the rollouts.", ["logprob_mean"]],
  [
    "length_reward_correlation",
    "double",
    "Pearson correlation of tokens and reward within groups, as differences from the group's means; over all rollouts if most have no other in their group.",
    ["tokens", "reward"],
  ],
  [
    "tool_failure_rate",
    "double",
    "Share of the tool calls that failed; missing if fewer than half of the calls say whether they succeeded.",
    ["turns.tool", "turns.ok"],
  ],
  [
    "edit_failure_rate",
    "double",
    "Share of the file edits that failed; missing if fewer than half of them say whether they succeeded.",
    ["turns.tool", "turns.ok"],
  ],
  ["edit_ratio", "double", "Share of the tool calls that edit a file.", ["turns.tool"]],
  ["test_ratio", "double", "Share of the tool calls that run tests.", ["turns.tool"]],
  ["search_ratio", "double", "Share of the tool calls that search or read.", ["turns.tool"]],
  ["terminal_ratio", "double", "Share of the tool calls that run a command.", ["turns.tool"]],
  ["self_test_rate", "double", "Share of the rollouts in which the policy ran tests.", ["turns.tool"]],
  [
    "tool_entropy",
    "double",
    "Shannon entropy of the tools that were called, in bits; mean over rollouts.",
    ["turns.tool"],
  ],
  [
    "sequence_diversity",
    "double",
    "Number of different tool sequences, divided by the number of rollouts that call a tool.",
    ["turns.tool"],
  ],
  [
    "file_diversity",
    "double",
    "1 − mean Jaccard similarity of the files edited within a group.",
    ["turns.tool", "turns.args"],
  ],
  [
    "stopped_metrics",
    "string",
    "The training metrics that a run stopped to write, each with the last step at which it did, in words; missing if there are none. What is written every few steps is missed after three times as many.",
    always,
  ],
  [
    "job_failure",
    "string",
    "Failure class of the version's last training job; missing if the job finished, or if no job is recorded.",
    always,
  ],
]);

/** The variables of a scope; in the scope of a turn those of its rollout are there too. */
export function variablesOf(scope: Scope): readonly Variable[] {
  if (scope === "group") return groupVariables;
  if (scope === "version") return versionVariables;
  return rolloutVariables;
}
