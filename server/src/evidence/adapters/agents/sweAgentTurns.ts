import type { Turn } from "../../../../../shared/model/rollout.ts";
import { answeredCalls } from "../../contract/answeredCalls.ts";
import { assistantTurns, callOf, contentText, roleOf, thought, type Call } from "../chat/chat.ts";
import { booleanAt, isFields, listAt, numberAt, textAt, type Fields } from "../parts/untrusted.ts";

/**
 * The turns of a SWE-agent trajectory. The history has what the policy was shown, with tool calls; the trajectory has
 * every step, also those that were asked for again and left no trace in the history, with the time of its command.
 */
export function sweAgentTurns(document: Fields): Turn[] {
  return withEditResults(turnsOf(document));
}

/** The tools that edit a file say whether they did; other commands answer with text alone. */
const editors = /^(create|edit|insert|str_replace_editor)$/;
const refused =
  /Your proposed edit has introduced new syntax error|Your changes have NOT been applied|No replacement was performed/;
/** A file is shown as it is after the edit; what a helper of the tool prints before that does not undo it. */
const done =
  /^\[File: |^(File updated|Text replaced|Replaced \d+ occurrence)|^The file \S+ has been edited|^File created successfully/m;

function withEditResults(turns: readonly Turn[]): Turn[] {
  const ok = new Map<number, boolean>();
  for (const [i, call] of answeredCalls(turns).entries()) {
    if (call === null || !editors.test(turns[call]?.tool ?? "")) continue;
    const { text } = turns[i] ?? { text: "" };
    if (refused.test(text)) ok.set(call, false);
    else if (done.test(text)) ok.set(call, true);
  }
  return turns.map((turn, i) => {
    const result = ok.get(i);
    return result === undefined ? turn : { ...turn, ok: result };
  });
}

function turnsOf(document: Fields): Turn[] {
  const history = (listAt(document, "history") ?? []).filter(isFields);
  const steps = (listAt(document, "trajectory") ?? []).filter(isFields);
  if (steps.length === 0) return conversation(history);
  const first = history.findIndex(isAnswer);
  const turns = conversation(history.slice(0, first < 0 ? history.length : first));
  let next = first < 0 ? history.length : first;
  for (const step of steps) {
    const message = history[next];
    if (message === undefined || !isAnswer(message) || !isSame(message, step)) {
      turns.push(...stepTurns(step));
      continue;
    }
    turns.push(...messageTurns(message));
    const answers = followers(history, next + 1);
    turns.push(...timed(answers.length > 0 ? conversation(answers) : observation(step), step));
    next += 1 + answers.length;
  }
  // What the steps do not account for is kept in its order.
  return [...turns, ...conversation(history.slice(next))];
}

/**
 * Messages alone. What follows a command is its answer, whatever role it was given; demonstrations are told to the
 * policy and not its own doing, so that they are one turn.
 */
function conversation(messages: readonly Fields[]): Turn[] {
  let asked = false;
  let demo: string[] = [];
  const turns: Turn[] = [];
  const tellDemo = (): void => {
    if (demo.length > 0) turns.push({ role: "system", text: demo.join("\n\n") });
    demo = [];
  };
  for (const message of messages) {
    if (isDemo(message)) {
      demo.push(`[demonstration: ${roleOf(textAt(message, "role"))}]\n${contentText(message["content"])}`);
      continue;
    }
    tellDemo();
    const said = messageTurns(message);
    turns.push(...(asked && !isAnswer(message) ? asAnswers(said) : said));
    if (isAnswer(message)) asked = said.some((turn) => turn.tool !== undefined);
  }
  tellDemo();
  return turns;
}

const isDemo = (message: Fields): boolean => booleanAt(message, "is_demo") === true;
const isAnswer = (message: Fields): boolean =>
  roleOf(textAt(message, "role")) === "assistant" && !isDemo(message);

function isSame(message: Fields, step: Fields): boolean {
  const [did, does] = [textAt(message, "action"), textAt(step, "action")];
  if (did !== undefined && does !== undefined) return did.trim() === does.trim();
  return contentText(message["content"]) === textAt(step, "response");
}

function followers(history: readonly Fields[], from: number): Fields[] {
  const end = history.findIndex((message, i) => i >= from && isAnswer(message));
  return history.slice(from, end < 0 ? history.length : end);
}

function messageTurns(message: Fields): Turn[] {
  const role = roleOf(textAt(message, "role"));
  const text = contentText(message["content"]);
  if (role !== "assistant") return [{ role, text }];
  const blocks = (listAt(message, "thinking_blocks") ?? []).map((b) => thought(textAt(b, "thinking") ?? ""));
  const words = [...blocks, text].filter(Boolean).join("\n\n");
  const listed = (listAt(message, "tool_calls") ?? []).map(callOf).filter((c) => c !== undefined);
  return assistantTurns(words, listed.length > 0 ? listed : callsOfAction(textAt(message, "action")));
}

/** Commands that SWE-agent brings along; everything else is the shell's. */
const commands = new Set(
  "create edit exit_forfeit filemap find_file goto insert open scroll_down scroll_up search_dir search_file str_replace_editor submit view_image".split(
    " ",
  ),
);

function callsOfAction(action: string | undefined): Call[] {
  if (action === undefined || action.trim() === "") return [];
  const [word = ""] = action.trim().split(/\s/, 1);
  return [{ tool: commands.has(word) ? word : "bash", args: { command: action.trim() } }];
}

function stepTurns(step: Fields): Turn[] {
  const text = textAt(step, "response") ?? textAt(step, "thought") ?? "";
  return [...assistantTurns(text, callsOfAction(textAt(step, "action"))), ...timed(observation(step), step)];
}

function observation(step: Fields): Turn[] {
  const text = textAt(step, "observation");
  return text === undefined || (text === "" && (textAt(step, "action") ?? "") === "")
    ? []
    : [{ role: "tool", text }];
}

const asAnswers = (turns: readonly Turn[]): Turn[] =>
  turns.map((turn) => (turn.role === "user" ? { ...turn, role: "tool" } : turn));

/** The answer to a command, with the time that the command took. */
function timed(answers: readonly Turn[], step: Fields): Turn[] {
  const seconds = numberAt(step, "execution_time");
  const ms = seconds === undefined || seconds < 0 ? undefined : seconds * 1000;
  const [first, ...rest] = asAnswers(answers);
  return first === undefined ? [] : [ms === undefined ? first : { ...first, ms }, ...rest];
}
