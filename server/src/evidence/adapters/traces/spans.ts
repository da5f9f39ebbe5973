import type { Turn } from "../../../../../shared/model/rollout.ts";
import { argumentsOf } from "../chat/chat.ts";
import { noVerdict, type RolloutDraft } from "../parts/adapter.ts";
import { extraOf } from "../parts/clip.ts";
import { foldCalls, type ModelCall } from "./fold.ts";
import { plainText, turnsIn } from "./messages.ts";

/** One step of a trace as its format has it: a call of a model, a call of a tool, or what lies around them. */
export interface Span {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  /** The name of the tool that a call of a tool called. */
  readonly tool?: string | undefined;
  readonly toolCall?: string | undefined;
  /** Milliseconds since 1970. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly model?: string | undefined;
  /** Tokens that the model generated. */
  readonly tokens?: number | undefined;
  readonly finish?: string | undefined;
  readonly error?: string | undefined;
  /** What a call of a model was given and gave; left out for other steps. */
  readonly given?: readonly Turn[] | undefined;
  readonly gave?: readonly Turn[] | undefined;
  /** What any step was given and gave. */
  readonly input?: unknown;
  readonly output?: unknown;
}

/** A trace, and what its source says about it. */
export interface Trace {
  readonly id: string;
  readonly spans: readonly Span[];
  /** Scores that the source states, by their own names. */
  readonly scores?: Readonly<Record<string, number>>;
  readonly input?: unknown;
  readonly output?: unknown;
  /** When it began, in milliseconds since 1970, where it has no steps that say so. */
  readonly start?: number | undefined;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Fields that no trace has, with the reason. */
export const traceAbsent: Readonly<Record<string, string>> = {
  step: "a trace is no training step",
  reward: "no trainer used it; scores are components",
  logprob_mean: "not in the trace",
  harness: "not in the trace",
  seed: "not in the trace",
};

/** How what is not written in a trace is derived. */
export const traceInferred: Readonly<Record<string, string>> = {
  item: "equal first requests are one item",
  sample: "order of the traces",
  turns:
    "the longest conversation that the model calls of the trace repeat and extend; the others are named in extra",
  stop_reason: "finish reason of the last model call of the conversation",
  tokens: "output tokens of all model calls",
  duration_ms: "from the first start to the last end",
  "turns.ok": "a tool's step that ended in an error, or an answer that says so",
  "turns.ms": "time of the model call",
};

/** The rollout that a trace stands for; undefined for a trace in which no model and no agent says anything. */
export function traceDraft(trace: Trace): RolloutDraft | undefined {
  const calls = callsOf(trace.spans);
  const [main, ...others] = foldCalls(calls);
  const turns = main === undefined ? endsOf(trace) : withTools(main.turns, trace.spans, main.start);
  if (turns.length === 0) return undefined;
  const counted = calls.flatMap((call) => call.tokens ?? []);
  const [from = trace.start, to] = timesOf(trace.spans);
  const prompt = turns.find((turn) => turn.role === "user")?.text;
  const error = rootOf(trace.spans)?.error;
  return {
    type: "rollout",
    id: trace.id,
    ...(prompt === undefined ? {} : { prompt }),
    verdict: noVerdict(
      error === undefined
        ? "a trace is not evaluated"
        : `the trace ended in an error: ${error.slice(0, 300)}`,
    ),
    components: trace.scores ?? {},
    turns,
    stop_reason: main?.finish ?? null,
    tokens: counted.length === 0 ? null : counted.reduce((sum, n) => sum + n, 0),
    policy: main?.model ?? null,
    started_at: from === undefined ? null : new Date(from).toISOString(),
    duration_ms: from === undefined || to === undefined ? null : to - from,
    extra: extraOf({
      ...trace.extra,
      error,
      other_conversations: others.map((other) => ({
        turns: other.turns.length,
        first: other.turns[0]?.text.slice(0, 300),
        last: other.turns.at(-1)?.text.slice(0, 300),
      })),
    }),
  };
}

/** The step that contains the others: the first without one above it. */
export const rootOf = (spans: readonly Span[]): Span | undefined => {
  const ids = new Set(spans.map((span) => span.id));
  return spans.find((span) => span.parent === undefined || !ids.has(span.parent));
};

/** The model calls with what they said. Of one that another one wraps, the inner one counts if it has the messages. */
function callsOf(spans: readonly Span[]): ModelCall[] {
  const parents = new Map(spans.map((span) => [span.id, span.parent]));
  const speaking = spans.filter((span) => (span.given?.length ?? 0) + (span.gave?.length ?? 0) > 0);
  const wrapping = new Set<string>();
  for (const span of speaking) {
    const seen = new Set<string>();
    for (let up = span.parent; up !== undefined && !seen.has(up); up = parents.get(up)) {
      seen.add(up);
      wrapping.add(up);
    }
  }
  return speaking
    .filter((span) => !wrapping.has(span.id))
    .map((span) => ({
      given: span.given ?? [],
      gave: span.gave ?? [],
      start: span.start ?? 0,
      ms: span.start === undefined || span.end === undefined ? undefined : Math.max(0, span.end - span.start),
      tokens: span.tokens,
      model: span.model,
      finish: span.finish,
    }))
    .sort((a, b) => a.start - b.start);
}

/** Where no model call is written: what the trace as a whole was given and gave. */
function endsOf(trace: Trace): Turn[] {
  const root = rootOf(trace.spans);
  const output = trace.output ?? root?.output;
  if (
    output === undefined ||
    output === null ||
    !trace.spans.every((span) => span.tool === undefined || span !== root)
  )
    return [];
  return [...turnsIn(trace.input ?? root?.input, "user"), ...turnsIn(output, "assistant")];
}

/** The turns with the answers to the last calls, which no later model call repeats, and with the calls that failed. */
function withTools(turns: readonly Turn[], spans: readonly Span[], start: number): Turn[] {
  const tools = spans
    .filter((span) => span.tool !== undefined)
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  const lastOther = turns.findLastIndex((turn) => turn.tool === undefined);
  const open = turns.slice(lastOther + 1);
  const used = new Set<Span>();
  const answers = open.flatMap((turn): Turn[] => {
    const span = tools.find(
      (tool) =>
        !used.has(tool) && tool.tool === turn.tool && (tool.start ?? start) >= start && sameArgs(tool, turn),
    );
    if (span === undefined || span.output === undefined || span.output === null) return [];
    used.add(span);
    const ms =
      span.start === undefined || span.end === undefined ? undefined : Math.max(0, span.end - span.start);
    return [{ role: "tool", text: plainText(span.output), ...(ms === undefined ? {} : { ms }) }];
  });
  return [...marked(turns, tools), ...answers];
}

const sameArgs = (tool: Span, turn: Turn): boolean => {
  const args = argumentsOf(tool.input);
  return (
    args === undefined ||
    turn.args === undefined ||
    "input" in args ||
    JSON.stringify(args) === JSON.stringify(turn.args)
  );
};

/** Calls whose step failed, where the calls of a tool and its steps are as many. */
function marked(turns: readonly Turn[], tools: readonly Span[]): Turn[] {
  const seen = new Map<string, number>();
  return turns.map((turn) => {
    if (turn.tool === undefined || turn.ok !== undefined) return turn;
    const steps = tools.filter((span) => span.tool === turn.tool);
    const nth = seen.get(turn.tool) ?? 0;
    seen.set(turn.tool, nth + 1);
    const calls = turns.filter((other) => other.tool === turn.tool).length;
    return steps.length === calls && steps[nth]?.error !== undefined ? { ...turn, ok: false } : turn;
  });
}

function timesOf(spans: readonly Span[]): [number | undefined, number | undefined] {
  let [from, to] = [Infinity, -Infinity];
  for (const { start, end } of spans) {
    from = Math.min(from, start ?? Infinity);
    to = Math.max(to, end ?? -Infinity);
  }
  return [Number.isFinite(from) ? from : undefined, Number.isFinite(to) && to >= from ? to : undefined];
}
