/** Typed looks into parsed JSON of unknown shape: each gives undefined or null where the value is something else. */

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v);

/** The value at a path of keys and indexes. Only own properties count. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

export const fieldsAt = (value: unknown, ...path: readonly (string | number)[]): Fields | undefined => {
  const found = at(value, ...path);
  return isFields(found) ? found : undefined;
};

export const listAt = (
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] | undefined => {
  const found: unknown = at(value, ...path);
  return Array.isArray(found) ? found : undefined;
};

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === "string" ? found : undefined;
};

/** A text that is not empty. */
export const nameAt = (value: unknown, ...path: readonly (string | number)[]): string | undefined => {
  const found = textAt(value, ...path);
  return found === "" ? undefined : found;
};

/** A finite number; never a text that looks like one. */
export const numberAt = (value: unknown, ...path: readonly (string | number)[]): number | undefined => {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
};

export const countAt = (value: unknown, ...path: readonly (string | number)[]): number | undefined => {
  const found = numberAt(value, ...path);
  return Number.isSafeInteger(found) && Number(found) >= 0 ? found : undefined;
};

export const booleanAt = (value: unknown, ...path: readonly (string | number)[]): boolean | undefined => {
  const found = at(value, ...path);
  return typeof found === "boolean" ? found : undefined;
};

/** A name or a whole number as text: how formats write ids. */
export const idAt = (value: unknown, ...path: readonly (string | number)[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? String(found) : nameAt(value, ...path);
};

/** The entries of an object whose values are finite numbers. */
export function numbersIn(value: unknown): Record<string, number> {
  const numbers: Record<string, number> = {};
  if (isFields(value))
    for (const [name, v] of Object.entries(value))
      if (typeof v === "number" && Number.isFinite(v)) numbers[name] = v;
  return numbers;
}

/** The object without some of its keys, for what a format has beyond the contract. */
export function without(value: Fields, ...keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !keys.includes(name)));
}
