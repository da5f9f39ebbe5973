import { at, countAt, idAt, listAt, nameAt, numberAt, textAt } from "../parts/untrusted.ts";

/** What one call of the policy cost. */
export interface Generation {
  /** Id of the message that it wrote; logs before 2025 have none. */
  readonly message: string | undefined;
  readonly tokens: number | undefined;
  readonly ms: number | undefined;
}

export interface ModelCalls {
  readonly generations: readonly Generation[];
  /** Tokens that the policy wrote; null when a call of it was not counted. */
  readonly tokens: number | null;
  /** Of all tokens that were generated; undefined where some were not recorded. */
  readonly logprobs: readonly number[] | undefined;
  /** Milliseconds of tool calls, by the id of the call. */
  readonly toolMs: ReadonlyMap<string, number>;
}

/**
 * The policy's own calls among the events of a sample: not those of scorers, which often are by the same model, nor
 * those of other roles.
 */
export function readModelCalls(events: readonly unknown[], model: string | undefined): ModelCalls {
  const scoring = new Scoring();
  const generations: Generation[] = [];
  const logprobs: number[] = [];
  let hasAll = true;
  const toolMs = new Map<string, number>();
  for (const event of events) {
    scoring.see(event);
    const type = textAt(event, "event");
    if (type === "tool") noteTool(event, toolMs);
    if (type !== "model" || scoring.has(event) || !isPolicy(event, model)) continue;
    const output = at(event, "output");
    const seconds = numberAt(output, "time") ?? numberAt(event, "working_time");
    generations.push({
      message: idAt(output, "choices", 0, "message", "id"),
      tokens: countAt(output, "usage", "output_tokens"),
      ms: seconds === undefined || seconds < 0 ? undefined : seconds * 1000,
    });
    const found = logprobsOf(output);
    if (found === undefined) hasAll = false;
    else for (const logprob of found) logprobs.push(logprob);
  }
  const counted = generations.flatMap(({ tokens }) => (tokens === undefined ? [] : [tokens]));
  const isCounted = generations.length > 0 && counted.length === generations.length;
  return {
    generations,
    tokens: isCounted ? counted.reduce((sum, n) => sum + n, 0) : null,
    logprobs: hasAll ? logprobs : undefined,
    toolMs,
  };
}

function isPolicy(event: unknown, model: string | undefined): boolean {
  if (nameAt(event, "role") !== undefined || nameAt(event, "error") !== undefined) return false;
  if (at(event, "pending") === true) return false;
  return model === undefined || textAt(event, "model") === model;
}

/** Knows which events belong to scorers: by spans, and by steps in logs before 2025. */
class Scoring {
  readonly #spans = new Set<string>();
  #steps = 0;

  see(event: unknown): void {
    const kind = textAt(event, "event");
    const isScorer = /^scorers?$/.test(textAt(event, "type") ?? "");
    if (kind === "span_begin") {
      const [id, parent] = [idAt(event, "id"), idAt(event, "parent_id")];
      if (id !== undefined && (isScorer || (parent !== undefined && this.#spans.has(parent))))
        this.#spans.add(id);
    } else if (kind === "step" && isScorer)
      this.#steps = Math.max(0, this.#steps + (textAt(event, "action") === "begin" ? 1 : -1));
  }

  has(event: unknown): boolean {
    const span = idAt(event, "span_id");
    return this.#steps > 0 || (span !== undefined && this.#spans.has(span));
  }
}

function noteTool(event: unknown, toolMs: Map<string, number>): void {
  const [id, seconds] = [idAt(event, "id"), numberAt(event, "working_time")];
  if (id !== undefined && seconds !== undefined && seconds >= 0) toolMs.set(id, seconds * 1000);
}

/** Log-probabilities of the tokens of a generation; undefined where one is missing. */
function logprobsOf(output: unknown): number[] | undefined {
  const tokens = listAt(output, "choices", 0, "logprobs", "content");
  const found = (tokens ?? []).flatMap((token) => numberAt(token, "logprob") ?? []);
  return found.length === tokens?.length ? found : undefined;
}
