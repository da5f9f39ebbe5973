import { percent } from "../../../../shared/words/numbers.ts";
import { callFields, turnFields, variablesOf, type TurnField } from "../../predicate/variables.ts";
import type { ExpressionCursor } from "../expressions/expressionCursor.ts";
import { callAt, localsAt, textOf, tokensOf, type Token } from "../expressions/tokens.ts";
import { callables, mappingCallables, namedValues, type Callable } from "../expressions/vocabulary.ts";
import { actionNames } from "../../evidence/contract/actions.ts";
import type { Scope } from "../../predicate/types.ts";
import { fieldLine } from "../archive/shown.ts";
import type { Completion, CompletionContext } from "./item.ts";
import { components, labels, trainerMetrics, type Offer } from "./names.ts";

type Item = Omit<Completion, "replace">;
type Predicate = Extract<ExpressionCursor["around"], { readonly language: "predicate" }>;

type Found = { readonly prefix: number; readonly suffix: number; readonly items: readonly Item[] };

/** Names, fields, functions and constants that may stand at a cursor in an expression. */
export function expressionItems(context: CompletionContext, cursor: ExpressionCursor): Found {
  const { before, after, around } = cursor;
  const tokens = tokensOf(before);
  const last = tokens.at(-1);
  if (last?.type === "comment") return { prefix: 0, suffix: 0, items: [] };
  if (last?.type === "text" && last.closed !== true) return textItems(context, cursor, tokens, last);
  const word = last?.type === "name" && last.end === before.length ? last : undefined;
  const suffix = /^[A-Za-z0-9_]*/.exec(after)?.[0].length ?? 0;
  const rest = word ? tokens.slice(0, -1) : tokens;
  const called = after.slice(suffix).trimStart().startsWith("(");
  const found = { prefix: word?.text.length ?? 0, suffix };
  if (around.language === "mapping") return { ...found, items: mappingItems(around.variables, rest, called) };
  return {
    ...found,
    items:
      rest.at(-1)?.text === "."
        ? members(context, around, rest, called)
        : names(context, around, rest, before.length, called),
  };
}

/** What may stand between quotes, up to the closing one if it is there. */
function textItems(
  context: CompletionContext,
  { after, around }: ExpressionCursor,
  tokens: readonly Token[],
  text: Token,
): Found {
  const closing = /^([^"'\\\n]*)["']/.exec(after)?.[1]?.length ?? 0;
  const items = around.language === "predicate" ? constants(context, tokens, text).map(asItem) : [];
  return { prefix: textOf(text).length, suffix: closing, items };
}

const asItem = ({ text, ...offer }: Offer): Item => ({
  ...offer,
  text: text ?? offer.label,
  required: false,
});

const plain = (kind: Completion["kind"], label: string, detail: string, documentation?: string): Item => ({
  kind,
  label,
  detail,
  documentation,
  text: label,
  required: false,
});

function asCall(f: Callable, called: boolean): Item {
  const holes = f.parameters.map((name, i) => `\${${i + 1}:${name}}`);
  const first = f.names === undefined ? holes[0] : '"${1}"';
  const args = [...(first === undefined ? [] : [first]), ...holes.slice(1)].join(", ");
  return {
    kind: "function",
    label: f.name,
    detail: f.signature,
    documentation: f.doc,
    text: called ? f.name : `${f.name}(${args})`,
    snippet: !called,
    required: false,
  };
}

function mappingItems(variables: readonly string[], rest: readonly Token[], called: boolean): Item[] {
  if (rest.at(-1)?.text === ".") return [];
  return [
    ...variables.map((name) => plain("variable", name, "of a mapping")),
    ...mappingCallables.map((f) => asCall(f, called)),
  ];
}

function variables({ project }: CompletionContext, scope: Scope): Item[] {
  const facts = project?.facts?.fields ?? {};
  const ofRollout = scope === "rollout" || scope === "turn";
  return variablesOf(scope).map(({ name, type, doc }) => {
    const fact = ofRollout ? facts[name] : undefined;
    return plain("variable", name, fact ? `${type}, ${fieldLine(fact)}` : type, doc);
  });
}

/** What stands alone: variables, turns of the quantifiers around it, and functions. */
function names(
  context: CompletionContext,
  { scope }: Predicate,
  rest: readonly Token[],
  at: number,
  called: boolean,
): Item[] {
  return [
    ...localsAt(rest, at).map((name) => plain("variable", name, "turn")),
    ...(scope === "turn"
      ? [plain("variable", "turn", "turn", "The turn that the expression looks at.")]
      : []),
    ...(scope === "version"
      ? [plain("variable", "parent", "version", "The values of the parent version.")]
      : []),
    plain("variable", "params", "parameters", "Thresholds that the spec sets under params."),
    ...variables(context, scope),
    ...callables(scope)
      .filter(({ method }) => !method)
      .map((f) => asCall(f, called)),
  ];
}

/** What stands behind a dot. */
function members(
  context: CompletionContext,
  around: Predicate,
  rest: readonly Token[],
  called: boolean,
): Item[] {
  const receiver = rest.at(-2);
  const methods = (type: string): Item[] =>
    callables(around.scope)
      .filter((f) => f.method && (f.receiver === undefined || f.receiver === type))
      .map((f) => asCall(f, called));
  if (receiver?.type === "name") {
    if (rest.at(-3)?.text !== ".") return membersOf(context, around, rest, receiver, methods);
    const [behind, before] = [rest.at(-4), rest.at(-5)?.text];
    const ofTurn = behind !== undefined && before !== "." && isTurn(behind, rest);
    if (ofTurn && receiver.text === "answers") return callFields.map(asField);
    const field = turnFields.find(({ name }) => name === receiver.text);
    return field?.type === "string" ? methods("string") : [];
  }
  return receiver?.text === ")" || receiver?.type === "text" ? methods("string") : [];
}

function membersOf(
  context: CompletionContext,
  { scope, params }: Predicate,
  rest: readonly Token[],
  { text, end }: Token,
  methods: (type: string) => Item[],
): Item[] {
  if (text === "params")
    return Object.entries(params).map(([name, value]) => plain("field", name, String(value)));
  if (text === "parent" && scope === "version") return variables(context, scope);
  if (text === "components") return components(context, [], "").filter(isPlainName).map(asItem);
  if (text === "turns") return methods("turns");
  if (isTurn({ text, end }, rest)) return turnFields.map(asField);
  return variablesOf(scope).find(({ name }) => name === text)?.type === "string" ? methods("string") : [];
}

const isTurn = ({ text, end }: Pick<Token, "text" | "end">, rest: readonly Token[]): boolean =>
  text === "turn" || localsAt(rest, end).includes(text);

const asField = ({ name, type, doc }: TurnField): Item => plain("field", name, type, doc);

const isPlainName = ({ label }: Offer) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(label);

/** What a text may say, by the function or the variable that it is for. */
function constants(context: CompletionContext, tokens: readonly Token[], text: Token): Offer[] {
  const before = tokens.slice(0, -1);
  const [last, previous] = [before.at(-1)?.text, before.at(-2)?.text];
  if (last === "[" && previous === "components") return [...components(context, [], "")];
  const call = callAt(tokens, text.start);
  const names = call
    ? callables("version")
        .concat(callables("rollout"))
        .find((f) => f.name === call.name)?.names
    : undefined;
  const direct = last === "(" && call?.argument === 0;
  if (direct && names === "label") return [...labels(context, [], "")];
  if (direct && names === "metric") return [...trainerMetrics(context, [], "")];
  if (direct && names === "action") return actionNames.map((name) => value(name, "action"));
  if (direct && names === "tool") return valuesOf(context, "streak_tool");
  const compared = subjectOf(before);
  return compared === undefined ? [] : valuesOf(context, compared);
}

/** The name that a text is compared with: `name == "`, `name in ["a", "`. */
function subjectOf(before: readonly Token[]): string | undefined {
  let at = before.length - 1;
  if (before[at]?.text === "[" || before[at]?.text === ",") {
    while (at >= 0 && before[at]?.text !== "[") at--;
    at--;
  }
  const sign = before[at]?.text;
  if (sign !== "==" && sign !== "!=" && sign !== "in") return undefined;
  const name = before[at - 1];
  return name?.type === "name" ? name.text : undefined;
}

function valuesOf({ project }: CompletionContext, name: string): Offer[] {
  const found = project?.facts?.fields[name === "tool" ? "streak_tool" : name]?.values ?? [];
  const seen = new Set(found.map((v) => v.value));
  return [
    ...found.map((v) => value(v.value, `in ${percent(v.share)}`)),
    ...(namedValues[name] ?? []).filter((other) => !seen.has(other)).map((other) => value(other, "")),
  ];
}

const value = (label: string, detail: string): Offer => ({
  kind: "value",
  label,
  detail,
  documentation: undefined,
});
