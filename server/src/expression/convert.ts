import { asInt, asUint } from "./arithmetic.ts";
import { durationText, timestampText } from "./time.ts";
import { Duration, Failure, kindOf, spokenKindOf, Timestamp, TypeValue, Uint, type Range } from "./values.ts";

const digits = /^[+-]?\d{1,19}$/;
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const named: Readonly<Record<string, number>> = {
  inf: Infinity,
  "+inf": Infinity,
  infinity: Infinity,
  "+infinity": Infinity,
  "-inf": -Infinity,
  "-infinity": -Infinity,
  nan: NaN,
};

const refused = (wanted: string, value: unknown, at: Range): Failure =>
  new Failure(
    at,
    typeof value === "string"
      ? `${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)} cannot be read as ${wanted}.`
      : `There is no ${wanted} for ${spokenKindOf(value)}.`,
  );

export function toInt(value: unknown, at: Range): bigint | Failure {
  if (typeof value === "bigint") return value;
  // 2^63 itself is out of range, and so are NaN and the infinities.
  if (typeof value === "number")
    return value > -(2 ** 63) && value < 2 ** 63
      ? BigInt(Math.trunc(value))
      : new Failure(at, "The number does not fit into an int (64 bits).");
  if (value instanceof Uint) return asInt(value.value, at);
  if (value instanceof Timestamp) return BigInt(Math.floor(value.ms / 1000));
  if (typeof value === "string" && digits.test(value)) return asInt(BigInt(value.replace("+", "")), at);
  return refused("int", value, at);
}

export function toUint(value: unknown, at: Range): Uint | Failure {
  if (value instanceof Uint) return value;
  if (typeof value === "bigint") return asUint(value, at);
  if (typeof value === "number")
    return value > -1 && value < 2 ** 64
      ? asUint(BigInt(Math.trunc(value)), at)
      : new Failure(at, "The number does not fit into a uint (64 bits, not negative).");
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return asUint(BigInt(value), at);
  return refused("uint", value, at);
}

export function toDouble(value: unknown, at: Range): number | Failure {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value === "string") {
    const word = value.length <= 9 ? value.toLowerCase() : "";
    if (Object.hasOwn(named, word)) return named[word] ?? NaN;
    if (decimal.test(value)) return Number(value);
  }
  return refused("double", value, at);
}

const truths = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const lies = new Set(["0", "f", "F", "false", "FALSE", "False"]);

export function toBool(value: unknown, at: Range): boolean | Failure {
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && truths.has(value)) return true;
  if (typeof value === "string" && lies.has(value)) return false;
  return refused("bool", value, at);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function toText(value: unknown, at: Range): string | Failure {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (!(value instanceof Uint8Array)) return refused("string", value, at);
  try {
    return utf8.decode(value);
  } catch {
    return new Failure(at, "These bytes are not UTF-8.");
  }
}

export function toBytes(value: unknown, at: Range): Uint8Array | Failure {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return new TextEncoder().encode(value);
  return refused("bytes", value, at);
}

export function typeOf(value: unknown, at: Range): TypeValue | Failure {
  const kind = kindOf(value);
  return kind === undefined ? refused("type", value, at) : new TypeValue(kind);
}
