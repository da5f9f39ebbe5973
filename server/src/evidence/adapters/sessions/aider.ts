import { readFile } from "node:fs/promises";
import type { Turn } from "../../../../../shared/model/rollout.ts";
import { maxWholeDocument, noVerdict, Refusal, type Draft, type FileAdapter } from "../parts/adapter.ts";
import { absentInSessions } from "./sessionFile.ts";

const heading = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/m;

/** Chats of Aider, all of which one Markdown file holds: each that was started is one rollout. */
export const aider: FileAdapter = {
  name: "aider",
  title: "Aider chat history",
  note: { writer: "Aider", files: "`.aider.chat.history.md`", verdict: "none: `--pass-when`" },
  source: "aider aider/io.py append_chat_history: #### is what a person said, > what the program said",
  provides: "rollouts",
  unit: "file",
  detect: (file) => file.name.endsWith(".md") && heading.test(file.head.toString("utf8")),
  // The file is called alike everywhere: its folder, which is that of the code, says which chats they are.
  runOf: (file) => ({ name: file.folders[0] ?? file.name, path: file.path }),
  splitOf: () => "selection",
  read: async function* (file) {
    if (file.size > maxWholeDocument) throw new Refusal("the file is larger than 64 MiB");
    const [, ...parts] = (await readFile(file.path, "utf8")).split(heading);
    // The expression has one group, so that the times and the chats alternate.
    for (let i = 0; i + 1 < parts.length; i += 2) {
      const draft = draftOf(parts[i] ?? "", parts[i + 1] ?? "");
      // Aider also begins a chat where it is started to do something else, such as to lint.
      if (draft !== undefined) yield { record: i / 2 + 1, drafts: [draft] };
    }
  },
  absent: {
    ...absentInSessions,
    tokens: "rounded numbers for people only",
    stop_reason: "not in the history",
    harness: "its version is in the text; the commit is not in the history",
    duration_ms: "only the start is in the history",
    "turns.tool": "Aider calls no tools: edits are in the text",
    "turns.args": "Aider calls no tools: edits are in the text",
    "turns.ok": "Aider calls no tools: edits are in the text",
    "turns.tokens": "rounded numbers for people only",
    "turns.ms": "not in the history",
  },
  inferred: {
    id: "when the chat was started",
    item: "equal first requests are one item",
    sample: "order of the chats",
    started_at: "the heading, a local time, which is taken as UTC",
    policy: "the line with which Aider says its model",
    turns: "by the signs at the beginning of lines; a quotation in an answer looks like the program",
  },
};

function draftOf(time: string, chat: string): Draft | undefined {
  const turns = turnsOf(chat);
  const request = turns.find(({ role }) => role === "user");
  if (request === undefined) return undefined;
  const model = /^> (?:Main model|Models?):\s+([^\s,]+)/m.exec(chat)?.[1];
  const iso = `${time.replace(" ", "T")}Z`;
  return {
    type: "rollout",
    id: time.replace(" ", "T"),
    prompt: request.text,
    verdict: noVerdict("a chat is not evaluated"),
    turns,
    policy: model ?? null,
    started_at: Number.isNaN(Date.parse(iso)) ? null : iso,
  };
}

/** Lines by who they are of; lines after each other of the same are one turn. What the program said before it was asked is left out. */
function turnsOf(chat: string): Turn[] {
  const turns: { role: "user" | "assistant" | "tool"; lines: string[] }[] = [];
  for (const line of chat.split("\n")) {
    const bare = line.trimEnd();
    const [role, text] = bare.startsWith("#### ")
      ? (["user", bare.slice(5)] as const)
      : /^>( |$)/.test(bare)
        ? (["tool", bare.slice(2)] as const)
        : (["assistant", bare] as const);
    const last = turns.at(-1);
    if (last?.role === role || (text === "" && last !== undefined)) last.lines.push(text);
    else if (text !== "" && (turns.length > 0 || role === "user")) turns.push({ role, lines: [text] });
  }
  return turns.map(({ role, lines }) => ({ role, text: lines.join("\n").trim() }));
}
