import type { Turn } from "../../../../../shared/model/rollout.ts";
import { assistantTurns, callOf, contentText, roleOf, thought, type Call } from "../chat/chat.ts";
import {
  countAt,
  idAt,
  isFields,
  listAt,
  nameAt,
  numberAt,
  textAt,
  type Fields,
} from "../parts/untrusted.ts";

/**
 * The turns of a mini-swe-agent trajectory. Version 2 has tool calls and tool messages; before it, an answer holds one
 * code block, and what the shell said comes back as a message of the user. The closing `exit` message repeats what
 * `info` says and is left out.
 */
export function miniTurns(messages: readonly unknown[]): Turn[] {
  const said = messages.filter(isFields).filter((message) => textAt(message, "role") !== "exit");
  const turns: Turn[] = [];
  /** The places of calls that wait for an answer, by id; a code block has none. */
  const waiting = new Map<string | undefined, number>();
  let before: number | undefined;
  for (const message of said) {
    const role = roleOf(textAt(message, "role"));
    const time = numberAt(message, "extra", "timestamp") ?? numberAt(message, "timestamp");
    const ms =
      time === undefined || before === undefined || time < before ? {} : { ms: (time - before) * 1000 };
    before = time ?? before;
    if (role === "assistant") {
      const calls = callsOf(message);
      const [first, ...rest] = assistantTurns(wordsOf(message), calls);
      waiting.clear();
      calls.forEach((call, i) => {
        waiting.set(call.id, turns.length + i);
      });
      if (first !== undefined)
        turns.push({ ...first, ...usageOf(message), ...ms }, ...rest.map(noTokens(message)));
      continue;
    }
    const text = contentText(message["content"]);
    // After a code block comes what the shell said, in one of several wordings.
    const place = role === "tool" || role === "user" ? waiting.get(idAt(message, "tool_call_id")) : undefined;
    const isAnswer = role === "tool" || place !== undefined;
    waiting.delete(idAt(message, "tool_call_id"));
    const call = place === undefined ? undefined : turns[place];
    const ok = okOf(message, text);
    if (place !== undefined && call !== undefined && ok !== undefined) turns[place] = { ...call, ok };
    turns.push(isAnswer ? { role: "tool", text, ...ms } : { role, text });
  }
  return turns;
}

function wordsOf(message: Fields): string {
  const reasoning = textAt(message, "reasoning_content") ?? textAt(message, "reasoning") ?? "";
  return [thought(reasoning), contentText(message["content"])].filter(Boolean).join("\n\n");
}

const usageOf = (message: Fields): { tokens?: number } => {
  const tokens = countAt(message, "extra", "response", "usage", "completion_tokens");
  return tokens === undefined ? {} : { tokens };
};

/** Further calls of one answer are turns of their own; its tokens are counted with the first. */
const noTokens =
  (message: Fields) =>
  (turn: Turn): Turn =>
    usageOf(message).tokens === undefined ? turn : { ...turn, tokens: 0 };

function callsOf(message: Fields): Call[] {
  const listed = (listAt(message, "tool_calls") ?? []).map(callOf).filter((call) => call !== undefined);
  if (listed.length > 0) return listed;
  const actions = (listAt(message, "extra", "actions") ?? [])
    .map((action) => nameAt(action, "command"))
    .filter((command) => command !== undefined);
  const commands = actions.length > 0 ? actions : blocksIn(contentText(message["content"]));
  return commands.map((command) => ({ tool: "bash", args: { command } }));
}

/** The scaffold runs an answer with exactly one block; any other is a format error and runs nothing. */
function blocksIn(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:mswea_bash_command|bash)[ \t]*\n([\s\S]*?)\n```/g)].map(
    ([, body = ""]) => body.trim(),
  );
  return blocks.length === 1 ? blocks : [];
}

function okOf(message: Fields, text: string): boolean | undefined {
  const said = /^\s*<returncode>(-?\d+)<\/returncode>/.exec(text)?.[1];
  const code = numberAt(message, "extra", "returncode") ?? (said === undefined ? undefined : Number(said));
  return code === undefined ? undefined : code === 0;
}
