import { bucket, Columns, range, when, type Active } from "../../../gym/src/columns.ts";
import { kinds, showValue, type Kind, type SpecialCase } from "./language.ts";
import { phrases } from "./phrases.ts";
import { toolNames, type Session, type TestResult } from "./session.ts";

const phraseNames = range("phrase ", phrases.length);

/** The name of a phrase, or a name that no column has. */
const phraseName = (phrase: number | undefined): string => phraseNames[phrase ?? -1] ?? "";

const state = new Columns([
  "bias",
  ...phraseNames.map((name) => `next ${name}`),
  ...range("places ", 7),
  ...range("left ", 7),
  ...range("turn ", 8),
  ...range("turns left ", 6),
  ...toolNames.map((tool) => `last ${tool}`),
  ...range("streak ", 4),
  "failed call",
  "complete",
  "too long",
  "ran",
  "fresh",
  "all pass",
  "none pass",
  ...range("failing ", 5),
  "empty list",
  "not a list",
  "too many steps",
  "better",
  "worse",
  ...range("cases ", 4),
  ...range("doubtful ", 4),
]);

const place = new Columns([
  ...phraseNames,
  "doubtful",
  ...kinds.map((kind) => `has ${kind}`),
  "as read",
  ...range("changed ", 3),
  "last changed",
  "first",
  "last",
]);

const kindColumns = new Columns([...phraseNames, ...kinds, "is said", "tried here", "there now"]);

const testColumns = new Columns(["failing", "passing", "has a case", "errors"]);

export const widths = {
  state: state.width,
  place: place.width,
  kind: kindColumns.width,
  test: testColumns.width,
} as const;

/** What the policy has seen: the task's words, its program, and what runs showed. */
export interface Memory {
  readonly session: Session;
  /** Kinds that stood at a place once, by place. */
  readonly tried: readonly ReadonlySet<Kind>[];
  readonly failures: readonly number[];
}

const sensesOf = (phrase: number | undefined): readonly Kind[] =>
  phrase === undefined ? [] : (phrases[phrase]?.senses ?? []);

function runFeatures({ session, failures }: Memory): string[] {
  const results = session.lastRun;
  if (results === null) return [];
  const failing = results.filter((r) => !r.passed);
  const errors = new Set(failing.flatMap(({ outcome }) => ("error" in outcome ? [outcome.error] : [])));
  const [now, before] = [failures.at(-1), failures.at(-2)];
  return [
    "ran",
    bucket("failing ", failing.length, 4),
    ...errors,
    when(session.isFresh, "fresh"),
    when(failing.length === 0, "all pass"),
    when(failing.length === results.length, "none pass"),
    when(now !== undefined && before !== undefined && now < before, "better"),
    when(now !== undefined && before !== undefined && now > before, "worse"),
  ];
}

function streakOf({ exchanges }: Session): number {
  const last = exchanges.at(-1)?.call.tool;
  const other = exchanges.findLastIndex(({ call }) => call.tool !== last);
  return exchanges.length - 1 - other;
}

export function encodeState(memory: Memory): Active {
  const { session } = memory;
  const { item, program, exchanges, settings } = session;
  const written = program.instructions.length;
  const next = item.phrases[written]?.phrase;
  const last = exchanges.at(-1);
  const doubtful = item.phrases.filter(({ phrase }) => sensesOf(phrase).length > 1).length;
  return state.encode([
    "bias",
    ...(next === undefined ? [] : [`next phrase ${next}`]),
    bucket("places ", item.phrases.length, 6),
    bucket("left ", Math.max(0, item.phrases.length - written), 6),
    bucket("turn ", exchanges.length, 7),
    bucket("turns left ", settings.turnLimit - exchanges.length - 1, 5),
    ...(last === undefined ? [] : [`last ${last.call.tool}`]),
    bucket("streak ", streakOf(session), 3),
    bucket("cases ", program.cases.length, 3),
    bucket("doubtful ", doubtful, 3),
    ...runFeatures(memory),
    when(last?.ok === false, "failed call"),
    when(written === item.phrases.length, "complete"),
    when(written > item.phrases.length, "too long"),
  ]);
}

export function encodePlace(at: number, { session, tried }: Memory): Active {
  const { item, program, exchanges } = session;
  const wanted = item.phrases[at];
  const senses = sensesOf(wanted?.phrase);
  const here = program.instructions[at]?.kind;
  const lastChange = exchanges.findLast(({ call, ok }) => call.tool === "change" && ok)?.call;
  return place.encode([
    phraseName(wanted?.phrase),
    ...(here === undefined ? [] : [`has ${here}`]),
    bucket("changed ", Math.max(0, (tried[at]?.size ?? 1) - 1), 2),
    when(senses.length > 1, "doubtful"),
    when(here !== undefined && senses.includes(here), "as read"),
    when(lastChange?.tool === "change" && lastChange.at === at, "last changed"),
    when(at === 0, "first"),
    when(at === program.instructions.length - 1, "last"),
  ]);
}

const kindNumbers = new Map(kinds.map((kind, i) => [kind, i]));
const encodedKinds = new Map<number, Active>();

/** A kind as it could stand at a place of the program. There are few that differ, so each is encoded once. */
export function encodeKind(kind: Kind, at: number, { session, tried }: Memory): Active {
  const phrase = session.item.phrases[at]?.phrase;
  const isTried = tried[at]?.has(kind) === true;
  const isThere = session.program.instructions[at]?.kind === kind;
  const place = (phrase ?? -1) + 1;
  const key =
    4 * (place * kinds.length + (kindNumbers.get(kind) ?? 0)) + (isTried ? 2 : 0) + (isThere ? 1 : 0);
  let encoded = encodedKinds.get(key);
  if (encoded === undefined) {
    encoded = kindColumns.encode([
      kind,
      phraseName(phrase),
      when(sensesOf(phrase).includes(kind), "is said"),
      when(isTried, "tried here"),
      when(isThere, "there now"),
    ]);
    encodedKinds.set(key, encoded);
  }
  return encoded;
}

export function encodeTest({ test, outcome, passed }: TestResult, { session }: Memory): Active {
  const hasCase = (one: SpecialCase): boolean => showValue(one.input) === showValue(test.input);
  return testColumns.encode([
    passed ? "passing" : "failing",
    when(session.program.cases.some(hasCase), "has a case"),
    when("error" in outcome, "errors"),
  ]);
}
