import type { Turn } from "../../../../../shared/model/rollout.ts";

/** A call of a model: all that it was given, which repeats the conversation so far, and what it said. */
export interface ModelCall {
  readonly given: readonly Turn[];
  readonly gave: readonly Turn[];
  readonly start: number;
  readonly ms: number | undefined;
  readonly tokens: number | undefined;
  readonly model: string | undefined;
  readonly finish: string | undefined;
}

/** A conversation without repetitions. */
export interface Conversation {
  readonly turns: readonly Turn[];
  /** When its last call began. */
  readonly start: number;
  readonly model: string | undefined;
  readonly finish: string | undefined;
}

/**
 * The conversations that model calls, in the order in which they began, repeat and extend, the longest one first. A call
 * goes on with a conversation if it was given all that was told to the policy in it: what the policy said itself comes back
 * in other words at times (without its reasoning, for example), so it is not compared. A call that was given only the
 * answers of tools goes on with the last conversation.
 */
export function foldCalls(calls: readonly ModelCall[]): Conversation[] {
  const found: { turns: Turn[]; call: ModelCall; order: number; model: string | undefined }[] = [];
  for (const call of calls) {
    const said = spoken(call);
    const last = found.at(-1);
    const alone = call.given.length > 0 && call.given.every((turn) => turn.role === "tool");
    const known = alone ? last : longest(found.filter(({ turns }) => extendsIt(turns, call.given)));
    if (known === undefined) {
      found.push({ turns: [...call.given, ...said], call, order: found.length, model: call.model });
      continue;
    }
    known.turns.push(...(alone ? call.given : added(known.turns, call.given)), ...said);
    known.call = call;
    known.model ??= call.model;
  }
  return found
    .sort((a, b) => b.turns.length - a.turns.length || a.order - b.order)
    .map(({ turns, call, model }) => ({ turns, start: call.start, model, finish: call.finish }));
}

function longest<T extends { readonly turns: readonly Turn[] }>(found: readonly T[]): T | undefined {
  return found.reduce<T | undefined>(
    (best, one) => (best === undefined || one.turns.length > best.turns.length ? one : best),
    undefined,
  );
}

/** What the call said, with its time and tokens at the first turn. */
function spoken({ gave, tokens, ms }: ModelCall): Turn[] {
  const first = gave.findIndex((turn) => turn.role === "assistant");
  return gave.map((turn, i) =>
    i === first
      ? { ...turn, ...(tokens === undefined ? {} : { tokens }), ...(ms === undefined ? {} : { ms }) }
      : turn,
  );
}

const isTold = (turn: Turn): boolean => turn.role !== "assistant" && turn.role !== "system";
const keyOf = (turn: Turn): string => `${turn.role}\n${turn.text.trim()}`;
const systemOf = (turns: readonly Turn[]): string =>
  turns
    .filter((t) => t.role === "system")
    .map((t) => t.text.trim())
    .join("\n");

/** Whether a call was given the whole conversation and something new. */
function extendsIt(turns: readonly Turn[], given: readonly Turn[]): boolean {
  const told = turns.filter(isTold);
  const now = given.filter(isTold);
  const [was, is] = [systemOf(turns), systemOf(given)];
  if (was !== "" && is !== "" && was !== is) return false;
  return (
    told.length > 0 &&
    now.length > told.length &&
    told.every((turn, i) => keyOf(turn) === keyOf(now[i] ?? turn))
  );
}

/** What a call was given beyond the conversation. What the policy said last comes back at its beginning. */
function added(turns: readonly Turn[], given: readonly Turn[]): readonly Turn[] {
  const told = turns.filter(isTold).length;
  let [end, seen] = [0, 0];
  for (const [i, turn] of given.entries()) if (isTold(turn) && ++seen === told) end = i + 1;
  const rest = given.slice(end).filter((turn) => turn.role !== "system");
  if (turns.at(-1)?.role !== "assistant") return rest;
  const next = rest.findIndex(isTold);
  if (next === -1) return [];
  // Several calls of one message may come back one by one, each before its answer.
  const open = turns.slice(turns.findLastIndex(isTold) + 1).map(callKey);
  return rest.slice(next).filter((turn) => {
    const known = turn.tool === undefined ? -1 : open.indexOf(callKey(turn));
    if (known !== -1) open.splice(known, 1);
    return known === -1;
  });
}

const callKey = (turn: Turn): string => JSON.stringify([turn.tool, turn.args]);
