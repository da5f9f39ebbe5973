import type { ExpressionCursor } from "../expressions/expressionCursor.ts";
import type { Completion } from "./item.ts";
import { lastKey } from "./placeholders.ts";

/** A whole condition over each subject, to be changed: names alone do not say what can be done with them. */
const conditions: Readonly<Partial<Record<string, readonly string[]>>> = {
  rollout: ['outcome != "pass"', "n_turns >= 40"],
  turn: ['turn.role == "assistant"'],
  group: ["reward_std < 0.01"],
  version: ["score < 0.5"],
};

/** Fields of records whose name is not the field's own. */
const fields: Readonly<Partial<Record<string, string>>> = {
  pass: "record.score >= 1.0",
  fail: "record.score < 1.0",
  from: "record.messages",
  role: "message.role",
  text: "text(message.?content)",
};

/** Expressions to begin with, where none is written yet. */
export function expressionStarts({
  before,
  after,
  around,
  path,
}: ExpressionCursor): Omit<Completion, "replace">[] {
  if (before.trim() !== "" || after.trim() !== "") return [];
  const key = lastKey(path);
  const subject =
    around.language === "mapping" && around.variables.includes("message") ? "message" : "record";
  const found =
    around.language === "predicate" ? (conditions[around.scope] ?? []) : [fields[key] ?? `${subject}.${key}`];
  return found.map((text) => ({
    label: text,
    kind: "value",
    detail: "to begin with",
    documentation: undefined,
    text,
    required: true,
  }));
}
