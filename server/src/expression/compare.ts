import { maxNesting, spend, type Frame } from "./frame.ts";
import {
  Duration,
  Failure,
  isList,
  isRecord,
  mapKey,
  spokenKindOf,
  Timestamp,
  TypeValue,
  Uint,
  Optional,
  type Range,
} from "./values.ts";

/** int and uint as bigint, double as number; undefined for what is no number. */
const numeric = (value: unknown): number | bigint | undefined =>
  typeof value === "number" || typeof value === "bigint"
    ? value
    : value instanceof Uint
      ? value.value
      : undefined;

/** CEL's ==: values of different types are unequal, numbers are compared by value across types, NaN equals nothing. */
export function equal(a: unknown, b: unknown, at: Range, frame: Frame, depth = 0): boolean | Failure {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) {
    if (typeof a === typeof b) return a === b;
    const [x, y] = [numeric(a), numeric(b)];
    return x !== undefined && y !== undefined && x >= y && x <= y;
  }
  if (depth > maxNesting)
    return new Failure(at, `Values nested deeper than ${maxNesting} levels are not compared.`);
  if (isList(a)) return isList(b) ? equalLists(a, b, at, frame, depth) : false;
  const [left, right] = [entriesOf(a), entriesOf(b)];
  if (left !== undefined) return right === undefined ? false : equalMaps(left, right, at, frame, depth);
  return equalObjects(a, b, at, frame, depth);
}

function equalObjects(a: object, b: object, at: Range, frame: Frame, depth: number): boolean | Failure {
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ms === b.ms;
  if (a instanceof Duration) return b instanceof Duration && a.ms === b.ms;
  if (a instanceof Optional) {
    if (!(b instanceof Optional) || a.present !== b.present) return false;
    return equal(a.value, b.value, at, frame, depth + 1);
  }
  return a instanceof Uint && b instanceof Uint && a.value === b.value;
}

function equalLists(
  a: readonly unknown[],
  b: readonly unknown[],
  at: Range,
  frame: Frame,
  depth: number,
): boolean | Failure {
  if (a.length !== b.length) return false;
  const stopped = spend(frame, a.length, at);
  if (stopped) return stopped;
  let failure: Failure | undefined;
  for (const [i, x] of a.entries()) {
    const same = equal(x, b[i], at, frame, depth + 1);
    if (same === false) return false;
    if (same !== true) failure ??= same;
  }
  return failure ?? true;
}

type Entries = { readonly size: number; readonly has: (key: unknown) => boolean } & Pick<
  Lookup,
  "get" | "keys"
>;
type Lookup = { readonly get: (key: unknown) => unknown; readonly keys: () => Iterable<unknown> };

/** One view of both kinds of maps; undefined for anything else. */
function entriesOf(value: object): Entries | undefined {
  if (value instanceof Map) {
    const map: ReadonlyMap<unknown, unknown> = value;
    return {
      size: map.size,
      has: (key) => map.has(key),
      get: (key) => map.get(key),
      keys: () => map.keys(),
    };
  }
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value);
  return {
    size: keys.length,
    has: (key) => typeof key === "string" && Object.hasOwn(value, key),
    get: (key) => (typeof key === "string" ? value[key] : undefined),
    keys: () => keys,
  };
}

function equalMaps(a: Entries, b: Entries, at: Range, frame: Frame, depth: number): boolean | Failure {
  if (a.size !== b.size) return false;
  const stopped = spend(frame, a.size, at);
  if (stopped) return stopped;
  let failure: Failure | undefined;
  for (const key of a.keys()) {
    const same = b.has(key) && equal(a.get(key), b.get(key), at, frame, depth + 1);
    if (same === false) return false;
    if (same !== true) failure ??= same;
  }
  return failure ?? true;
}

const sign = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN);

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** By code points, as CEL orders strings; JavaScript orders by UTF-16 units, where surrogates come too early. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [xIsPair, yIsPair] = [isSurrogate(x), isSurrogate(y)];
    return xIsPair === yIsPair ? x - y : xIsPair ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** Below, at or above zero; NaN when the two have no order (NaN itself); a failure when their types cannot be ordered. */
export function order(a: unknown, b: unknown, at: Range): number | Failure {
  if (a instanceof Failure) return a;
  if (b instanceof Failure) return b;
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return sign(x, y);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ms - b.ms;
  if (a instanceof Duration && b instanceof Duration) return a.ms - b.ms;
  return new Failure(at, `There is no order between ${spokenKindOf(a)} and ${spokenKindOf(b)}.`);
}

/** CEL's `in`: an element of a list, or a key of a map. */
export function contained(needle: unknown, container: unknown, at: Range, frame: Frame): boolean | Failure {
  if (isList(container)) {
    const stopped = spend(frame, container.length, at);
    if (stopped) return stopped;
    let failure: Failure | undefined;
    for (const element of container) {
      const same = equal(needle, element, at, frame);
      if (same === true) return true;
      if (same !== false) failure ??= same;
    }
    return failure ?? false;
  }
  if (container instanceof Map || isRecord(container)) {
    const key = mapKey(needle);
    if (key === undefined) return false;
    return container instanceof Map
      ? container.has(key)
      : typeof key === "string" && Object.hasOwn(container, key);
  }
  return new Failure(at, `\`in\` needs a list or a map on its right, not ${spokenKindOf(container)}.`);
}
