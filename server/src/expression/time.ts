import { Duration, Failure, Timestamp, type Range } from "./values.ts";

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;
/** The years 1 to 9999. */
const [earliest, latest] = [-62_135_596_800_000, 253_402_300_799_999];

/** RFC 3339 with a time zone, or seconds since 1970. */
export function timestampOf(value: unknown, at: Range): Timestamp | Failure {
  if (value instanceof Timestamp) return value;
  if (typeof value === "bigint" || typeof value === "number") return timestampAt(Number(value) * 1000, at);
  if (typeof value === "string" && rfc3339.test(value)) return timestampAt(Date.parse(value), at);
  return new Failure(
    at,
    `timestamp needs a time such as "2026-01-31T09:00:00Z" with its time zone, or seconds since 1970.`,
  );
}

const timestampAt = (ms: number, at: Range): Timestamp | Failure =>
  ms >= earliest && ms <= latest
    ? new Timestamp(ms)
    : new Failure(at, "This time does not exist: a timestamp lies between the years 1 and 9999.");

const unitsInMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Such as `1h30m` or `-1.5s`. */
export function durationOf(value: unknown, at: Range): Duration | Failure {
  if (value instanceof Duration) return value;
  if (typeof value === "string" && value.length <= 100) {
    const [, minus, rest = ""] = /^([+-]?)(.+)$/.exec(value) ?? [];
    let ms = rest === "0" ? 0 : NaN;
    let end = 0;
    for (const part of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
      if (part.index !== end) break;
      end += part[0].length;
      ms = (Number.isNaN(ms) ? 0 : ms) + Number(part[1]) * (unitsInMs[part[2] ?? ""] ?? NaN);
    }
    if (!Number.isNaN(ms) && (end === rest.length || rest === "0"))
      return new Duration(minus === "-" ? -ms : ms);
  }
  return new Failure(at, `duration needs a text such as "90s", "1h30m" or "250ms".`);
}

/** As CEL writes it: RFC 3339 in UTC, the fraction only where there is one. */
export const timestampText = ({ ms }: Timestamp): string => new Date(ms).toISOString().replace(".000Z", "Z");
export const durationText = ({ ms }: Duration): string => `${ms / 1000}s`;

const ofTimestamp: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (d) => d.getUTCFullYear(),
  getMonth: (d) => d.getUTCMonth(),
  getDate: (d) => d.getUTCDate(),
  getDayOfMonth: (d) => d.getUTCDate() - 1,
  getDayOfWeek: (d) => d.getUTCDay(),
  getDayOfYear: (d) =>
    Math.floor(
      (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 1)) /
        86_400_000,
    ),
  getHours: (d) => d.getUTCHours(),
  getMinutes: (d) => d.getUTCMinutes(),
  getSeconds: (d) => d.getUTCSeconds(),
  getMilliseconds: (d) => d.getUTCMilliseconds(),
};
const ofDuration: Readonly<Record<string, (ms: number) => number>> = {
  getHours: (ms) => ms / 3_600_000,
  getMinutes: (ms) => ms / 60_000,
  getSeconds: (ms) => ms / 1000,
  getMilliseconds: (ms) => ms,
};

export const timeGetters: readonly string[] = Object.keys(ofTimestamp);

/** A part of a timestamp in UTC, or the whole of a duration in a unit. */
export function timePart(name: string, value: unknown, at: Range): bigint | Failure {
  const part =
    value instanceof Timestamp
      ? ofTimestamp[name]?.(new Date(value.ms))
      : value instanceof Duration
        ? ofDuration[name]?.(value.ms)
        : undefined;
  return part === undefined
    ? new Failure(at, `${name} needs a timestamp${ofDuration[name] ? " or a duration" : ""}.`)
    : BigInt(Math.trunc(part));
}
