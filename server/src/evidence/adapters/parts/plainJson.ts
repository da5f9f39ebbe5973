import { PickledObject } from "../../../reading/pickledObject.ts";

/**
 * The value as JSON can write it: NaN and infinities are null, integers that a number would round are texts, bytes and
 * what Python would have built are named.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.isBuffer(value)) return { bytes: value.length };
  if (value instanceof PickledObject) return numpyScalar(value) ?? { object: value.$global };
  if (Array.isArray(value)) return value.map(plainJson);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainJson(inner)]));
}

/** How many numbers of the value are null as JSON. */
export function nonFiniteIn(value: unknown): number {
  if (typeof value === "number") return Number.isFinite(value) ? 0 : 1;
  if (typeof value !== "object" || value === null || Buffer.isBuffer(value)) return 0;
  if (value instanceof PickledObject) return numpyScalar(value) === null ? 1 : 0;
  let count = 0;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) count += nonFiniteIn(inner);
  return count;
}

const readers: Readonly<Record<string, (bytes: Buffer) => number | boolean | undefined>> = {
  f8: (b) => (b.length === 8 ? b.readDoubleLE() : undefined),
  f4: (b) => (b.length === 4 ? b.readFloatLE() : undefined),
  i8: (b) => (b.length === 8 ? safe(b.readBigInt64LE()) : undefined),
  i4: (b) => (b.length === 4 ? b.readInt32LE() : undefined),
  b1: (b) => (b.length === 1 ? b[0] !== 0 : undefined),
};

const safe = (n: bigint): number | undefined => (Number.isSafeInteger(Number(n)) ? Number(n) : undefined);

/** Environments leave numbers as NumPy has them: a name, a type and the bytes of the number. */
function numpyScalar({ $global, args }: PickledObject): number | boolean | null | undefined {
  if (!/^numpy\.(?:_core|core)\.multiarray\.scalar$/.test($global)) return undefined;
  const [type, bytes] = args ?? [];
  if (!(type instanceof PickledObject) || type.$global !== "numpy.dtype" || !Buffer.isBuffer(bytes))
    return undefined;
  const code = type.args?.[0];
  const value = typeof code === "string" ? readers[code]?.(bytes) : undefined;
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}
