import { bucket, Columns, range, when, type Active } from "../../../gym/src/columns.ts";
import { compute, operators, type Place } from "./expression.ts";
import type { AnswerCandidate } from "./answers.ts";
import type { Result } from "./results.ts";
import { toolNames, type Working } from "./working.ts";

const state = new Columns([
  "bias",
  "arithmetic",
  "sorting",
  ...range("line ", 10),
  ...range("lines left ", 6),
  ...range("steps left ", 8),
  ...range("steps ", 4),
  "done",
  "open",
  "answered",
  "closed",
  "written inside",
  ...toolNames.map((tool) => `last ${tool}`),
  ...range("streak ", 4),
  "checked",
  "agrees",
  "does not agree",
  "taken back",
  "last sum",
  "example shown",
  "said right",
  "said wrong",
  ...range("answers ", 4),
]);

const place = new Columns([
  ...operators.map((operator) => `is ${operator}`),
  ...range("depth ", 4),
  "first",
  "taken back",
  "small",
  // Of numbers to sort.
  "smaller than the next",
  "smaller than the one before",
  "one digit",
  "two digits",
  "below the last taken",
  "first digit is low",
]);

const result = new Columns([
  ...operators.map((operator) => `is ${operator}`),
  "negative",
  "zero",
  "above both",
  "below both",
  "taken back",
  "left is negative",
  "right is negative",
  ...range("about sum ", 3),
  ...range("about difference ", 3),
  ...range("about product ", 3),
]);

const answer = new Columns([
  "working",
  "question",
  "neighbour",
  "example",
  "done",
  "given before",
  "first",
  ...range("slip ", 4),
]);

export const widths = {
  state: state.width,
  place: place.width,
  result: result.width,
  answer: answer.width,
} as const;

/** What was tried at a place and taken back: a name for each pair. */
export const triedKey = ({ path, left, operator, right }: Place, value: number): string =>
  `${path} ${left} ${operator} ${right} ${value}`;

/** The same of a number that was taken. */
export const takenKey = (number: number, taken: readonly number[]): string =>
  `take ${number} after ${taken.join(" ")}`;

/** What the policy remembers beside the text: what it took back. */
export interface Memory {
  readonly working: Working;
  readonly tried: ReadonlySet<string>;
}

function streakOf({ lines }: Working): number {
  const last = lines.at(-1)?.call.tool;
  const other = lines.findLastIndex(({ call }) => call.tool !== last);
  return lines.length - 1 - other;
}

function lastCheck({ lines }: Working): string[] {
  const step = lines.findLastIndex(({ call }) => call.tool === "step" || call.tool === "undo");
  const check = lines.slice(step + 1).findLast(({ call }) => call.tool === "check");
  if (check === undefined || step < 0) return [];
  return ["checked", check.ok ? "agrees" : "does not agree"];
}

function answerState(working: Working): string[] {
  const { answers, lines, isOpen } = working;
  const last = answers.at(-1);
  const said = lines.findLast(({ call }) => call.tool === "close")?.reply ?? null;
  return [
    bucket("answers ", answers.length, 3),
    when(isOpen, "open"),
    when(last !== undefined, "answered"),
    when(last?.closed === true, "closed"),
    when(isOpen && last?.closed === false, "written inside"),
    when(said === "The answer is right.", "said right"),
    when(said === "The answer is wrong.", "said wrong"),
  ];
}

export function encodeState({ working, tried }: Memory): Active {
  const { item, lines, settings, steps } = working;
  const left = item.kind === "arithmetic" ? remaining(working) : working.state.left.length;
  const last = lines.at(-1)?.call.tool;
  return state.encode([
    "bias",
    item.kind,
    bucket("line ", lines.length, 9),
    bucket("lines left ", Math.floor((settings.turnLimit - lines.length - 1) / 2), 5),
    bucket("steps left ", left, 7),
    bucket("steps ", steps.length, 3),
    bucket("streak ", streakOf(working), 3),
    ...(last === undefined ? [] : [`last ${last}`]),
    ...lastCheck(working),
    ...answerState(working),
    when(working.isDone, "done"),
    when(tried.size > 0, "taken back"),
    when(steps.at(-1)?.step.kind === "compute", "last sum"),
    when(settings.retrieval, "example shown"),
  ]);
}

function remaining({ state: { expression } }: Working): number {
  const count = (of: typeof expression): number =>
    typeof of === "number" ? 0 : 1 + count(of.left) + count(of.right);
  return count(expression);
}

export function encodePlace(one: Place, index: number, { tried }: Memory): Active {
  const start = `${one.path} `;
  return place.encode([
    `is ${one.operator}`,
    bucket("depth ", one.path.length, 3),
    when(index === 0, "first"),
    when(
      [...tried].some((key) => key.startsWith(start)),
      "taken back",
    ),
    when(Math.abs(one.left) < 10 && Math.abs(one.right) < 10, "small"),
  ]);
}

/** A number to sort is seen beside its neighbours only. */
export function encodeNumber(left: readonly number[], index: number, { working, tried }: Memory): Active {
  const number = left[index] ?? 0;
  const taken = working.state.taken.at(-1);
  return place.encode([
    number < 10 ? "one digit" : "two digits",
    when(index === 0, "first"),
    when(number < (left[index + 1] ?? Infinity), "smaller than the next"),
    when(number < (left[index - 1] ?? Infinity), "smaller than the one before"),
    when(taken !== undefined && number < taken, "below the last taken"),
    when(number < 20, "first digit is low"),
    when(tried.has(takenKey(number, working.state.taken)), "taken back"),
  ]);
}

/** How near a number is to another, as somebody estimates it: 0 near, 1 not far, 2 far. */
const farness = (value: number, from: number): number => {
  const gap = Math.abs(value - from);
  return gap <= 5 ? 0 : gap <= 15 ? 1 : 2;
};

const encodedResults = new Map<string, Active>();

/** A result is seen as an estimate would: its size, and not its digits. There are few that differ, so each is encoded once. */
export function encodeResult({ value }: Result, at: Place, { tried }: Memory): Active {
  const { operator, left, right } = at;
  const names = [
    `is ${operator}`,
    bucket("about sum ", farness(value, compute("+", left, right)), 2),
    bucket("about difference ", farness(value, compute("-", left, right)), 2),
    bucket("about product ", farness(value, compute("*", left, right)), 2),
    when(value < 0, "negative"),
    when(value === 0, "zero"),
    when(value > Math.max(left, right), "above both"),
    when(value < Math.min(left, right), "below both"),
    when(left < 0, "left is negative"),
    when(right < 0, "right is negative"),
    when(tried.size > 0 && tried.has(triedKey(at, value)), "taken back"),
  ];
  const key = names.join();
  let encoded = encodedResults.get(key);
  if (encoded === undefined) encodedResults.set(key, (encoded = result.encode(names)));
  return encoded;
}

export function encodeAnswer(one: AnswerCandidate, index: number, { working }: Memory): Active {
  return answer.encode([
    one.source,
    ...(one.slip === undefined ? [] : [bucket("slip ", one.slip, 3)]),
    when(index === 0, "first"),
    when(working.isDone, "done"),
    when(
      working.answers.some(({ value }) => value === one.value),
      "given before",
    ),
  ]);
}
