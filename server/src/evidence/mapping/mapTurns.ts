import type { Turn } from "../../../../shared/model/rollout.ts";
import type { TurnsMapping } from "../../../../shared/spec/evidenceMapping.ts";
import { isRecord } from "../../expression/values.ts";
import { count, flag, list, map, milliseconds, name, text } from "./fieldTypes.ts";
import type { FieldReader, Fields, Names } from "./fields.ts";

/** Turns of a record; null when they cannot be formed. */
export type TurnsReader = (variables: Names, fields: Fields) => Turn[] | null;

type Call = { readonly tool: string; readonly args?: Readonly<Record<string, unknown>> };

/** The most turns that one record may have: beyond that the list is no conversation. */
const maxTurns = 100_000;

/** Reads a list of messages as turns; a message that makes several calls becomes several turns. */
export function turnsReader(spec: TurnsMapping, reader: FieldReader): TurnsReader {
  const inside = { perMessage: true } as const;
  const from = reader("turns.from", spec.from, list);
  const role = reader("turns.role", spec.role, name, inside);
  const said = reader("turns.text", spec.text, text, inside);
  const calls =
    spec.tool === undefined
      ? reader("turns.calls", spec.calls ?? "toolCalls(message)", list, inside)
      : undefined;
  const tool = spec.tool === undefined ? undefined : reader("turns.tool", spec.tool, name, inside);
  const args = spec.args === undefined ? undefined : reader("turns.args", spec.args, map, inside);
  const ok = spec.ok === undefined ? undefined : reader("turns.ok", spec.ok, flag, inside);
  const tokens = spec.tokens === undefined ? undefined : reader("turns.tokens", spec.tokens, count, inside);
  const ms = spec.ms === undefined ? undefined : reader("turns.ms", spec.ms, milliseconds, inside);

  const callsOf = (variables: Names, fields: Fields): Call[] | null => {
    if (calls === undefined) {
      const called = tool?.(variables, fields) ?? null;
      if (called === null) return [];
      const given = args?.(variables, fields) ?? null;
      return [given === null ? { tool: called } : { tool: called, args: given }];
    }
    const found: Call[] = [];
    for (const call of calls(variables, fields) ?? []) {
      const read = callOf(call);
      if (read === undefined) {
        fields.fail(
          "turns.calls",
          spec.calls ?? "toolCalls(message)",
          "Each call must be a map {name, args}.",
        );
        return null;
      }
      found.push(read);
    }
    return found;
  };

  return (variables, fields) => {
    const messages = from(variables, fields);
    if (messages === null || messages.length > maxTurns) {
      if (messages !== null)
        fields.fail("turns.from", spec.from, `There are more than ${maxTurns} messages.`);
      return null;
    }
    const turns: Turn[] = [];
    for (const [index, message] of messages.entries()) {
      const inner = { ...variables, message, index };
      const [speaker, words] = [role(inner, fields), said(inner, fields)];
      const made = callsOf(inner, fields);
      if (speaker === null || words === null || made === null) {
        fields.stop(
          `Turn ${index} has no ${speaker === null ? "role" : words === null ? "text" : "tool calls"}.`,
        );
        return null;
      }
      const [good, spent, took] = [ok?.(inner, fields), tokens?.(inner, fields), ms?.(inner, fields)];
      const [first, ...more] = made;
      turns.push({
        role: speaker,
        text: words,
        ...first,
        ...(typeof good === "boolean" && { ok: good }),
        ...(typeof spent === "number" && { tokens: spent }),
        ...(typeof took === "number" && { ms: took }),
      });
      for (const call of more) turns.push({ role: speaker, text: "", ...call });
    }
    return turns;
  };
}

/** A call as toolCalls gives it, or as an expression writes it: a map of CEL or of JSON. */
function callOf(value: unknown): Call | undefined {
  const read = map(value);
  if ("problem" in read || read.value === null) return undefined;
  const { name: tool, args } = read.value;
  if (typeof tool !== "string" || tool === "") return undefined;
  return isRecord(args) ? { tool, args } : args === null || args === undefined ? { tool } : undefined;
}
