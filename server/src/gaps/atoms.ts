import type { Rollout, Turn } from "../../../shared/model/rollout.ts";

/** A condition that one look at a rollout can decide, as CEL over the rollout, and the turns that show it. */
export interface Atom {
  readonly when: string;
  /** CEL over `turn`; null where no turn shows it. */
  readonly evidence: string | null;
  /** Words of its name. */
  readonly words: readonly string[];
  /** How much a reader has to take in: among conditions that hold for the same rollouts the lowest is kept. */
  readonly cost: number;
  /** It says how much or how often, and not what. */
  readonly counts?: true;
}

/** What one rollout says: the keys of the atoms that hold, and its numbers by the CEL that reads them. */
export interface Features {
  readonly keys: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, number>;
}

/** The most characters of one text that are read, and the most words of one rollout: both bound the time. */
const mostCharacters = 1500;
const mostWords = 160;
/** The longest value of an argument that is asked for as a whole. */
const longestValue = 40;
const separator = "\u0001";

const key = (...parts: readonly string[]): string => parts.join(separator);

/** A CEL string constant. */
const cel = (text: string): string => JSON.stringify(text);

/** Reads the features of a rollout. Nothing of the rollout is executed. */
export function featuresOf(rollout: Rollout): Features {
  const keys = new Set<string>();
  const numbers = new Map<string, number>();
  if (rollout.stop_reason !== null) keys.add(key("stop", rollout.stop_reason));
  if (rollout.tokens !== null) numbers.set("tokens", rollout.tokens);
  // Nobody knows what the policy did where no turn was kept: a condition on it has no value.
  if (rollout.turns.length === 0) return { keys, numbers };
  const policyTurns = rollout.turns.filter((turn) => turn.role === "assistant");
  const calls = policyTurns.filter((turn) => turn.tool !== undefined);
  numbers.set("n_turns", policyTurns.length);
  numbers.set("n_tool_calls", calls.length);
  numbers.set("n_tool_errors", calls.filter((turn) => turn.ok === false).length);
  numbers.set("n_tools", new Set(calls.map((turn) => turn.tool)).size);
  addTools(calls, policyTurns, keys, numbers);
  const words = { left: mostWords };
  for (const turn of rollout.turns) {
    if (turn.role === "assistant" && turn.tool !== undefined) addCall(turn, turn.tool, keys);
    else addWords(turn, keys, words);
  }
  return { keys, numbers };
}

/** Counts and streaks of every tool, repeated calls, and which tool was called before which. */
function addTools(
  calls: readonly Turn[],
  policyTurns: readonly Turn[],
  keys: Set<string>,
  numbers: Map<string, number>,
): void {
  const counts = new Map<string, number>();
  const streaks = new Map<string, number>();
  const first = new Map<string, number>();
  let streak = 0;
  let before: string | undefined;
  for (const { tool = "" } of calls) {
    streak = tool === before ? streak + 1 : 1;
    before = tool;
    counts.set(tool, (counts.get(tool) ?? 0) + 1);
    streaks.set(tool, Math.max(streaks.get(tool) ?? 0, streak));
  }
  for (const [at, { tool }] of policyTurns.entries())
    if (tool !== undefined && !first.has(tool)) first.set(tool, at);
  numbers.set("longest_tool_streak", Math.max(0, ...streaks.values()));
  for (const [tool, count] of counts) {
    keys.add(key("tool", tool));
    numbers.set(`tool_count(${cel(tool)})`, count);
    numbers.set(`tool_streak(${cel(tool)})`, streaks.get(tool) ?? 0);
    for (const [other, at] of first) if ((first.get(tool) ?? at) < at) keys.add(key("order", tool, other));
  }
  const [one, two] = policyTurns;
  if (one?.tool !== undefined && two?.tool !== undefined && one.tool !== two.tool)
    keys.add(key("then", one.tool, two.tool));
}

function addCall(turn: Turn, tool: string, keys: Set<string>): void {
  if (turn.ok !== undefined) keys.add(key(turn.ok ? "ok" : "failed", tool));
  for (const [name, given] of Object.entries(turn.args ?? {})) {
    const text = typeof given === "string" ? given : JSON.stringify(given);
    if (text.length <= longestValue) keys.add(key("argument", tool, name, text));
    const parts = wordsOf(text, 40);
    for (const [i, part] of parts.entries()) {
      if (part !== text) keys.add(key("within", tool, name, part));
      const next = parts[i + 1];
      if (next !== undefined && text.includes(`${part} ${next}`))
        keys.add(key("within", tool, name, `${part} ${next}`));
    }
  }
}

function addWords(turn: Turn, keys: Set<string>, words: { left: number }): void {
  if (words.left <= 0 || (turn.role !== "tool" && turn.role !== "assistant")) return;
  const found = wordsOf(turn.text, words.left);
  for (const word of found) keys.add(key("says", turn.role, word));
  words.left -= found.length;
}

/** The first different words of a text, from two letters on; options and paths are words. */
function wordsOf(text: string, most: number): string[] {
  const found = new Set<string>();
  for (const [word] of text.slice(0, mostCharacters).matchAll(/[A-Za-z_-][\w./-]+/g)) {
    if (word.length <= longestValue) found.add(word);
    if (found.size >= most) break;
  }
  return [...found];
}

/** The atom of a key. */
export function atomOf(text: string): Atom {
  const [kind = "", a = "", b = "", c = ""] = text.split(separator);
  const anyTurn = (conditionOf: (turn: string) => string, cost: number, words: readonly string[]): Atom => ({
    ...{ when: `turns.exists(t, ${conditionOf("t")})`, evidence: conditionOf("turn") },
    ...{ cost, words },
  });
  switch (kind) {
    case "stop":
      return { when: `stop_reason == ${cel(a)}`, evidence: null, cost: 1, words: ["stop", a] };
    case "tool":
      return { when: `tool_count(${cel(a)}) > 0`, evidence: `turn.tool == ${cel(a)}`, cost: 2, words: [a] };
    case "order":
      return {
        when: `first_turn(${cel(a)}) >= 0 && first_turn(${cel(b)}) > first_turn(${cel(a)})`,
        evidence: `turn.tool == ${cel(a)} || turn.tool == ${cel(b)}`,
        ...{ cost: 5, words: [a, "before", b] },
      };
    case "then":
      return {
        when: `first_turn(${cel(a)}) == 0 && first_turn(${cel(b)}) == 1`,
        evidence: `turn.tool == ${cel(a)} || turn.tool == ${cel(b)}`,
        ...{ cost: 5, words: [a, "then", b] },
      };
    case "ok":
    case "failed":
      return anyTurn((t) => `${t}.tool == ${cel(a)} && ${kind === "ok" ? "" : "!"}${t}.ok`, 3, [a, kind]);
    case "argument":
      return anyTurn((t) => `${t}.tool == ${cel(a)} && ${t}.args[${cel(b)}] == ${cel(c)}`, 4, [a, b, c]);
    case "within":
      return anyTurn((t) => `${t}.tool == ${cel(a)} && ${t}.args[${cel(b)}].contains(${cel(c)})`, 5, [a, c]);
    default:
      return anyTurn((t) => `${t}.role == ${cel(a)} && ${t}.text.contains(${cel(b)})`, 6, [a, "says", b]);
  }
}

/** The atom that a number lies on one side of a bound. */
export function boundAtom(number: string, side: "<=" | ">=", bound: number): Atom {
  const tool = /^tool_\w+\((".*")\)$/.exec(number)?.[1];
  const evidence =
    tool === undefined
      ? number === "longest_tool_streak"
        ? "turn.tool == streak_tool && turn.index >= streak_start && turn.index <= streak_end"
        : null
      : `turn.tool == ${tool}`;
  const words = [number, side === "<=" ? "at-most" : "at-least", String(bound)];
  return { when: `${number} ${side} ${String(bound)}`, evidence, words, cost: 2, counts: true };
}
