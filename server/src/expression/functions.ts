import { countArgument, unary, type Builtin, type Builtins } from "./builtins.ts";
import { equal } from "./compare.ts";
import { toBool, toBytes, toDouble, toInt, toText, toUint, typeOf } from "./convert.ts";
import { spend, type Frame } from "./frame.ts";
import { mathFunctions } from "./mathFunctions.ts";
import { regexFunctions } from "./regexFunctions.ts";
import { matches, stringMethods } from "./stringFunctions.ts";
import { codePointLength } from "./text.ts";
import { durationOf, timeGetters, timePart, timestampOf } from "./time.ts";
import { Failure, isList, isRecord, none, Optional, spokenKindOf, type Range } from "./values.ts";

function size(value: unknown, at: Range): bigint | Failure {
  if (typeof value === "string") return BigInt(codePointLength(value));
  if (isList(value) || value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof Map) return BigInt(value.size);
  if (isRecord(value)) return BigInt(Object.keys(value).length);
  return new Failure(at, `size needs a string, a list, a map or bytes, not ${spokenKindOf(value)}.`);
}

const ofList = (name: string, run: (list: readonly unknown[], at: Range, frame: Frame) => unknown): Builtin =>
  unary((value, at, frame) =>
    isList(value)
      ? (spend(frame, value.length, at) ?? run(value, at, frame))
      : new Failure(at, `${name} needs a list, not ${spokenKindOf(value)}.`),
  );

const ofOptional = (
  name: string,
  arity: 1 | 2,
  run: (it: Optional, other: unknown, at: Range) => unknown,
) => ({
  arity: [arity, arity] as const,
  run: ([value, other]: readonly unknown[], at: Range) =>
    value instanceof Optional
      ? run(value, other, at)
      : new Failure(at, `${name} needs an optional, such as record.?field, not ${spokenKindOf(value)}.`),
});

function distinct(list: readonly unknown[], at: Range, frame: Frame): readonly unknown[] | Failure {
  const plain = new Set<unknown>();
  const kept: unknown[] = [];
  for (const element of list) {
    // Strings are told apart by a set; anything else may be equal across types and is compared.
    if (typeof element === "string") {
      if (!plain.has(element)) kept.push(element);
      plain.add(element);
      continue;
    }
    const stopped = spend(frame, kept.length, at);
    if (stopped) return stopped;
    let isKnown = false;
    for (const other of kept) {
      const same = equal(element, other, at, frame);
      if (same instanceof Failure) return same;
      isKnown ||= same;
    }
    if (!isKnown) kept.push(element);
  }
  return kept;
}

function slice(args: readonly unknown[], at: Range, frame: Frame): unknown {
  const [list, start, end] = args;
  if (!isList(list)) return new Failure(at, `slice needs a list, not ${spokenKindOf(list)}.`);
  const from = countArgument("slice", start, 0, at);
  if (from instanceof Failure) return from;
  const to = countArgument("slice", end, list.length, at);
  if (to instanceof Failure) return to;
  if (from < 0 || to > list.length || from > to)
    return new Failure(at, "slice: the range lies outside the list.");
  return spend(frame, to - from, at) ?? list.slice(from, to);
}

function range(value: unknown, at: Range, frame: Frame): unknown {
  const count = countArgument("lists.range", value, 0, at);
  if (count instanceof Failure) return count;
  return (
    spend(frame, Math.max(0, count), at) ?? Array.from({ length: Math.max(0, count) }, (_, i) => BigInt(i))
  );
}

const isZero = (value: unknown): boolean =>
  value === null || value === 0 || value === 0n || value === "" || value === false;

/** Functions that are called by their name alone, or by a name with its namespace. */
export const globalFunctions: Builtins = {
  size: unary(size, "int"),
  int: unary(toInt, "int"),
  uint: unary(toUint, "uint"),
  double: unary(toDouble, "double"),
  string: unary(toText, "string"),
  bool: unary(toBool, "bool"),
  bytes: unary(toBytes, "bytes"),
  type: unary(typeOf, "type"),
  dyn: unary((value) => value),
  matches: {
    arity: [2, 2],
    gives: "bool",
    run: ([text, pattern], at, frame) => matches(text, pattern, at, frame),
  },
  timestamp: unary(timestampOf, "google.protobuf.Timestamp"),
  duration: unary(durationOf, "google.protobuf.Duration"),
  ...mathFunctions,
  ...regexFunctions,
  "lists.range": unary(range, "list"),
  "optional.of": unary((value) => new Optional(true, value), "optional_type"),
  "optional.none": { arity: [0, 0], gives: "optional_type", run: () => none },
  "optional.ofNonZeroValue": unary(
    (value) => (isZero(value) ? none : new Optional(true, value)),
    "optional_type",
  ),
};

/** Functions that are called on a value, which is their first argument. */
export const methods: Builtins = {
  ...stringMethods,
  size: unary(size, "int"),
  slice: { arity: [3, 3], gives: "list", run: slice },
  distinct: ofList("distinct", distinct),
  reverse: ofList("reverse", (list) => [...list].reverse()),
  flatten: ofList("flatten", (list, at, frame) => {
    const length = list.reduce((sum: number, part) => sum + (isList(part) ? part.length : 1), 0);
    return spend(frame, length, at) ?? list.flat();
  }),
  first: ofList("first", (list) => (list.length > 0 ? new Optional(true, list[0]) : none)),
  last: ofList("last", (list) => (list.length > 0 ? new Optional(true, list[list.length - 1]) : none)),
  hasValue: { ...ofOptional("hasValue", 1, (it) => it.present), gives: "bool" },
  value: ofOptional("value", 1, (it, _, at) =>
    it.present ? it.value : new Failure(at, "The optional has no value."),
  ),
  orValue: ofOptional("orValue", 2, (it, other) => (it.present ? it.value : other)),
  or: ofOptional("or", 2, (it, other, at) =>
    it.present
      ? it
      : other instanceof Optional
        ? other
        : new Failure(at, `or needs an optional, not ${spokenKindOf(other)}.`),
  ),
  ...Object.fromEntries(
    timeGetters.map((name) => [name, unary((value, at) => timePart(name, value, at), "int")] as const),
  ),
};
