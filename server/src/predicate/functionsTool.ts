import type { Turn } from "../../../shared/model/rollout.ts";
import { actionNames, actionOf, editedFiles } from "../evidence/contract/actions.ts";
import { featuresOf, toolEntropySql } from "../evidence/contract/features.ts";
import { compilePattern, patternProblem } from "../expression/regex.ts";
import type { FunctionDefinition } from "./functionDefinition.ts";
import { repeatedCalls } from "../evidence/contract/repeatedCalls.ts";
import { repetitionOf, repetitionSql } from "./repetition.ts";
import type { Scope, Value } from "./types.ts";

const scopes: readonly Scope[] = ["rollout", "turn"];
const tool = { name: "tool", type: "string" } as const;
const action = { name: "action", type: "string", constant: true } as const;
const fields = ["turns.tool"];

const isCall = (turn: Turn): boolean => turn.role === "assistant" && turn.tool !== undefined;
const callsOf = (turns: readonly Turn[]): string[] => turns.filter(isCall).map((turn) => turn.tool ?? "");

const actionProblem = ([name]: readonly (Value | undefined)[]): string | undefined =>
  typeof name === "string" && !actionNames.includes(name)
    ? `An action is one of ${actionNames.join(", ")}.`
    : undefined;

const mostCallsInGram = 5;

/** Functions of what the policy of a rollout called, in order. */
export const toolFunctions: readonly FunctionDefinition[] = [
  {
    name: "tool_count",
    parameters: [tool],
    returns: "int",
    scopes,
    doc: "How many times the policy called the tool.",
    fields,
    unrecorded: 0n,
    table: "f",
    sql: ([a = ""]) => `coalesce(f.tool_counts[${a}], 0)`,
    run: ([a], { turns }) => BigInt(callsOf(turns).filter((t) => t === a).length),
  },
  {
    name: "tool_ratio",
    parameters: [tool],
    returns: "double",
    scopes,
    doc: "Share of the tool calls that call this tool; missing if there are no calls.",
    fields,
    table: "f",
    sql: ([a = ""]) => `(coalesce(f.tool_counts[${a}], 0) / nullif(f.n_tool_calls, 0)::DOUBLE)`,
    run: ([a], { turns }) => {
      const all = callsOf(turns);
      return all.length === 0 ? null : all.filter((t) => t === a).length / all.length;
    },
  },
  {
    name: "first_turn",
    parameters: [tool],
    returns: "int",
    scopes,
    doc: "Index, among the policy's turns, of the first call of the tool; -1 if there is no such call.",
    fields,
    unrecorded: -1n,
    table: "f",
    sql: ([a = ""]) => `coalesce(f.tool_first[${a}], -1)`,
    run: ([a], { turns }) =>
      BigInt(turns.filter((t) => t.role === "assistant").findIndex((t) => t.tool === a)),
  },
  {
    name: "tool_streak",
    parameters: [tool],
    returns: "int",
    scopes,
    doc: "Most calls of the tool in a row.",
    fields,
    unrecorded: 0n,
    table: "f",
    sql: ([a = ""]) => `coalesce(f.tool_streaks[${a}], 0)`,
    run: ([a], { turns }) => {
      let [longest, current] = [0, 0];
      for (const t of callsOf(turns)) {
        current = t === a ? current + 1 : 0;
        longest = Math.max(longest, current);
      }
      return BigInt(longest);
    },
  },
  {
    name: "tool_entropy",
    dear: true,
    parameters: [],
    returns: "double",
    scopes,
    doc: "Shannon entropy of the tools that were called, in bits; missing if there are no calls.",
    fields,
    table: "f",
    sql: () => toolEntropySql,
    run: (_, { turns }) => {
      const all = callsOf(turns);
      if (all.length === 0) return null;
      const counts = new Map<string, number>();
      for (const t of all) counts.set(t, (counts.get(t) ?? 0) + 1);
      let sum = 0;
      for (const n of counts.values()) sum += -(n / all.length) * Math.log2(n / all.length);
      return sum;
    },
  },
  {
    name: "call_repetition",
    dear: true,
    parameters: [{ name: "n", type: "int", constant: true }],
    returns: "double",
    scopes,
    doc: `Share of the n-grams of tool calls that occurred earlier in the rollout, in [0, 1]; missing if there are fewer than n calls. n is 1 to ${mostCallsInGram}.`,
    fields,
    table: "f",
    check: ([n]) =>
      typeof n === "bigint" && n >= 1n && n <= BigInt(mostCallsInGram)
        ? undefined
        : `The length of an n-gram of calls is 1 to ${mostCallsInGram}.`,
    sql: ([n = "1"]) => repetitionSql("f.calls", n),
    run: ([n], { turns }) => repetitionOf(callsOf(turns), Number(n)),
  },
  {
    name: "repeats_pair",
    parameters: [{ name: "index", type: "int" }],
    returns: "bool",
    scopes: ["turn"],
    doc: "Whether the turn with this index calls a tool that, after the call before it, makes a pair of tools that occurred earlier in the rollout: what call_repetition(2) counts.",
    fields,
    unrecorded: false,
    table: "f",
    sql: ([index = ""]) => `list_contains(f.repeat_turns, ${index})`,
    run: ([index], { turns }) => featuresOf(turns).repeat_turns.includes(Number(index)),
  },
  {
    name: "repeated_calls",
    parameters: [],
    returns: "int",
    scopes,
    doc: "How many calls repeat an earlier one in vain: the same tool, the same arguments, the same reply as the last time, and no new edit of a file in between.",
    fields: ["turns.tool", "turns.args"],
    unrecorded: 0n,
    table: "a",
    sql: () => `len(a.repeated_calls)`,
    run: (_, { turns }) => BigInt(repeatedCalls(turns).length),
  },
  {
    name: "repeats_call",
    parameters: [{ name: "index", type: "int" }],
    returns: "bool",
    scopes: ["turn"],
    doc: "Whether the turn with this index makes a call that repeated_calls() counts.",
    fields: ["turns.tool", "turns.args"],
    unrecorded: false,
    table: "a",
    sql: ([index = ""]) => `list_contains(a.repeated_calls, ${index})`,
    run: ([index], { turns }) => repeatedCalls(turns).includes(Number(index)),
  },
  {
    name: "action_count",
    parameters: [action],
    returns: "int",
    scopes,
    doc: `How many calls are of this kind: ${actionNames.join(", ")}.`,
    fields,
    unrecorded: 0n,
    table: "a",
    check: actionProblem,
    sql: ([a = ""]) => `coalesce(a.action_counts[${a}], 0)`,
    run: ([a], { turns }) => BigInt(turns.filter((t) => actionOf(t) === a).length),
  },
  {
    name: "first_action",
    parameters: [action],
    returns: "int",
    scopes,
    doc: "Index, among the policy's turns, of the first call of this kind; -1 if there is no such call.",
    fields,
    unrecorded: -1n,
    table: "a",
    check: actionProblem,
    sql: ([a = ""]) => `coalesce(a.action_first[${a}], -1)`,
    run: ([a], { turns }) =>
      BigInt(turns.filter((t) => t.role === "assistant").findIndex((t) => actionOf(t) === a)),
  },
  {
    name: "action_streak",
    parameters: [action],
    returns: "int",
    scopes,
    doc: "Most calls of this kind in a row.",
    fields,
    unrecorded: 0n,
    table: "a",
    check: actionProblem,
    sql: ([a = ""]) => `coalesce(a.action_streaks[${a}], 0)`,
    run: ([a], { turns }) => {
      let [longest, current] = [0, 0];
      for (const turn of turns.filter(isCall)) {
        current = actionOf(turn) === a ? current + 1 : 0;
        longest = Math.max(longest, current);
      }
      return BigInt(longest);
    },
  },
  {
    name: "edited_files",
    parameters: [],
    returns: "int",
    scopes,
    doc: "How many different files the policy edited, counted by the path in the call.",
    fields: ["turns.tool", "turns.args"],
    unrecorded: 0n,
    table: "a",
    sql: () => `len(a.edited_files)`,
    run: (_, { turns }) => BigInt(editedFiles(turns).size),
  },
  {
    name: "edits_file",
    dear: true,
    parameters: [{ name: "pattern", type: "string", constant: true }],
    returns: "bool",
    scopes,
    doc: "Whether the policy edited a file whose path, as written in the call, matches the RE2 pattern.",
    fields: ["turns.tool", "turns.args"],
    unrecorded: false,
    table: "a",
    check: ([pattern]) => patternProblem(pattern),
    // Most rollouts edit no file that is named, and a filter of lists is dear.
    sql: ([pattern = ""]) =>
      `(CASE WHEN len(a.edited_files) > 0 THEN len(list_filter(a.edited_files, lambda file: regexp_matches(file, ${pattern}))) > 0 ELSE FALSE END)`,
    run: ([source], { turns }) => {
      const pattern = compilePattern(String(source));
      if (typeof pattern === "string") return null;
      return [...editedFiles(turns)].some((file) => pattern.matcher(file).find());
    },
  },
];
