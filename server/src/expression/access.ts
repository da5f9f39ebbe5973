import {
  spokenKindOf,
  Failure,
  isList,
  isRecord,
  mapKey,
  none,
  Optional,
  wholeNumber,
  type Range,
} from "./values.ts";

const noKey = (key: string, at: Range) =>
  new Failure(at, `There is no ${key.length > 60 ? `${key.slice(0, 60)}…` : key} here.`);

/** `object.key`; through an optional it stays one. */
export function select(object: unknown, key: string, at: Range): unknown {
  if (isRecord(object)) {
    const value = Object.hasOwn(object, key) ? object[key] : undefined;
    return value === undefined ? noKey(key, at) : value;
  }
  if (object instanceof Failure) return object;
  if (object instanceof Map) return object.has(key) ? object.get(key) : noKey(key, at);
  if (object instanceof Optional) return optionalSelect(object, key, at);
  return new Failure(at, `${key} cannot be read from ${spokenKindOf(object)}.`);
}

/** `object.?key`: no value where the key is missing or the object is null. */
export function optionalSelect(object: unknown, key: string, at: Range): unknown {
  if (object instanceof Failure) return object;
  const inner = object instanceof Optional ? object.value : object;
  if (inner === null) return none;
  if (isRecord(inner)) {
    const value = Object.hasOwn(inner, key) ? inner[key] : undefined;
    return value === undefined ? none : new Optional(true, value);
  }
  if (inner instanceof Map) return inner.has(key) ? new Optional(true, inner.get(key)) : none;
  return new Failure(at, `${key} cannot be read from ${spokenKindOf(inner)}.`);
}

/** `has(object.key)`. */
export function hasKey(object: unknown, key: string, at: Range): boolean | Failure {
  if (isRecord(object)) return Object.hasOwn(object, key) && object[key] !== undefined;
  if (object instanceof Failure) return object;
  if (object instanceof Map) return object.has(key);
  if (object instanceof Optional) {
    const found = optionalSelect(object, key, at);
    return found instanceof Failure ? found : found instanceof Optional && found.present;
  }
  return new Failure(at, `${key} cannot be read from ${spokenKindOf(object)}.`);
}

/** `object[key]`: an element of a list by its position from 0, or the value of a map. */
export function index(object: unknown, key: unknown, at: Range): unknown {
  if (object instanceof Failure) return object;
  if (key instanceof Failure) return key;
  if (object instanceof Optional) return optionalIndex(object, key, at);
  if (isList(object)) {
    const position = wholeNumber(key);
    if (position === undefined)
      return new Failure(at, `A list needs a whole number as its index, not ${spokenKindOf(key)}.`);
    const value = position >= 0 ? object[position] : undefined;
    return value === undefined
      ? new Failure(at, `There is no element ${position} in a list of ${object.length}.`)
      : value;
  }
  if (typeof key === "string") return select(object, key, at);
  if (object instanceof Map || isRecord(object)) {
    const known = mapKey(key);
    return object instanceof Map && known !== undefined && object.has(known)
      ? object.get(known)
      : noKey(String(known ?? "such key"), at);
  }
  return new Failure(at, `[..] needs a list or a map, not ${spokenKindOf(object)}.`);
}

/** `object[?key]`: no value where the element or key is missing, or the object is null. */
export function optionalIndex(object: unknown, key: unknown, at: Range): unknown {
  if (object instanceof Failure) return object;
  if (key instanceof Failure) return key;
  const inner = object instanceof Optional ? object.value : object;
  if (inner === null) return none;
  if (typeof key === "string" && !isList(inner)) return optionalSelect(inner, key, at);
  if (isList(inner) && wholeNumber(key) === undefined) return index(inner, key, at);
  if (!isList(inner) && !(inner instanceof Map) && !isRecord(inner)) return index(inner, key, at);
  const found = index(inner, key, at);
  return found instanceof Failure ? none : new Optional(true, found);
}
