import type { Turn } from "../../../../../shared/model/rollout.ts";
import { assistantTurns, callOf, contentText, thought, type Call } from "../chat/chat.ts";
import {
  at,
  countAt,
  fieldsAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/** A trajectory that a step hands work to: embedded in the document, in a file beside it, or not to be found. */
export interface Delegate {
  readonly id: string | undefined;
  readonly path: string | undefined;
}

/** What a segment's own steps say and cost. Steps that were copied from elsewhere say, but cost nothing. */
export class StepReader {
  readonly turns: Turn[] = [];
  readonly #said = new Set<string>();
  #tokens = 0;
  #hasCopiedTokens = false;
  #uncounted = 0;
  #generations = 0;
  readonly #logprobs: number[] = [];
  #hasAllLogprobs = true;

  /** Tokens of all steps that were counted. */
  get tokens(): number {
    return this.#tokens;
  }
  /** Whether there were generations, and the tokens of each were counted. */
  get isCounted(): boolean {
    return this.#generations > 0 && this.#uncounted === 0;
  }
  /** Whether steps were copied with their tokens, so that totals count them twice. */
  get hasCopiedTokens(): boolean {
    return this.#hasCopiedTokens;
  }
  /** Log-probabilities of all tokens; undefined where some were not recorded. */
  get logprobs(): readonly number[] | undefined {
    return this.#hasAllLogprobs ? this.#logprobs : undefined;
  }

  /** Takes in a step; `speaker` names a subagent. Returns what the step hands work to, in order. */
  add(step: Fields, speaker: string | undefined): Delegate[] {
    const source = textAt(step, "source");
    const text = messageText(step["message"]);
    const copied = step["is_copied_context"] === true;
    const results = listAt(step, "observation", "results") ?? [];
    if (copied && countAt(step, "metrics", "completion_tokens") !== undefined) this.#hasCopiedTokens = true;
    if (copied && this.#has(source, text)) return [];
    this.#said.add(keyOf(source, text));
    if (source === "agent") this.#agentStep(step, text, copied, speaker);
    else this.#push({ role: source === "system" ? "system" : "user", text }, speaker);
    for (const result of results) {
      const content = resultText(at(result, "content"));
      if (content !== "" || delegatesOf(result).length === 0)
        this.#push({ role: "tool", text: content }, speaker);
    }
    return copied ? [] : results.flatMap(delegatesOf);
  }

  #has(source: string | undefined, text: string): boolean {
    return this.#said.has(keyOf(source, text));
  }

  #agentStep(step: Fields, text: string, copied: boolean, speaker: string | undefined): void {
    const reasoning = textAt(step, "reasoning_content");
    const words = [reasoning === undefined ? "" : thought(reasoning), text].filter(Boolean).join("\n\n");
    const calls = (listAt(step, "tool_calls") ?? []).map(atifCall).filter((call) => call !== undefined);
    if (copied) {
      // What an earlier trajectory did must not be counted as done twice.
      const done = calls.map(({ tool, args }) => `[${tool} ${JSON.stringify(args ?? {})}]`);
      this.#push({ role: "assistant", text: [words, ...done].filter(Boolean).join("\n") }, speaker);
      return;
    }
    const tokens = this.#count(step);
    const [first, ...rest] = assistantTurns(words, calls);
    if (first === undefined) return;
    this.#push({ ...first, ...(tokens === undefined ? {} : { tokens }) }, speaker);
    for (const turn of rest) this.#push(turn, speaker);
  }

  #count(step: Fields): number | undefined {
    // A step without a call of a model is a program's.
    if (step["llm_call_count"] === 0) return undefined;
    this.#generations++;
    const tokens = countAt(step, "metrics", "completion_tokens");
    if (tokens === undefined) this.#uncounted++;
    else this.#tokens += tokens;
    const logprobs = listAt(step, "metrics", "logprobs");
    if (logprobs === undefined) this.#hasAllLogprobs = false;
    for (const [i] of logprobs?.entries() ?? []) {
      const logprob = numberAt(logprobs, i);
      if (logprob === undefined) this.#hasAllLogprobs = false;
      else this.#logprobs.push(logprob);
    }
    return tokens;
  }

  #push(turn: Turn, speaker: string | undefined): void {
    this.turns.push(speaker === undefined ? turn : { ...turn, text: `[${speaker}] ${turn.text}`.trimEnd() });
  }
}

const keyOf = (source: string | undefined, text: string): string => `${source ?? ""}\u0000${text}`;

function atifCall(value: unknown): Call | undefined {
  const tool = nameAt(value, "function_name");
  return tool === undefined ? callOf(value) : callOf({ name: tool, arguments: at(value, "arguments") });
}

function messageText(message: unknown): string {
  return typeof message === "string" ? message : contentText(message);
}

/** Results may be objects of the agent's own making. */
function resultText(content: unknown): string {
  const text = contentText(content);
  return text === "" && isFields(content) && Object.keys(content).length > 0 ? JSON.stringify(content) : text;
}

/** The trajectories that the result of a step refers to; versions before 1.7 refer by path alone. */
export function delegatesOf(result: unknown): Delegate[] {
  const refs = at(result, "subagent_trajectory_ref");
  const listed: readonly unknown[] = Array.isArray(refs) ? refs : isFields(refs) ? [refs] : [];
  return listed.flatMap((ref) => {
    const [id, path] = [nameAt(ref, "trajectory_id"), nameAt(ref, "trajectory_path")];
    return id === undefined && path === undefined ? [] : [{ id, path }];
  });
}

export const isAtif = (document: unknown): document is Fields =>
  isFields(document) &&
  /^ATIF-v1\.\d+$/.test(textAt(document, "schema_version") ?? "") &&
  fieldsAt(document, "agent") !== undefined &&
  listAt(document, "steps") !== undefined;
