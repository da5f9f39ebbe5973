import { Split } from "../../../../shared/model/rollout.ts";
import { toJson } from "../../expression/json.ts";
import { timestampText } from "../../expression/time.ts";
import {
  Duration,
  Failure,
  isList,
  isRecord,
  Optional,
  spokenKindOf,
  Timestamp,
} from "../../expression/values.ts";

/** What a field takes: the value in JSON, null for none, or a sentence why it is not taken. */
export type Reader<T> = (value: unknown) => { readonly value: T | null } | { readonly problem: string };

const nowhere = { start: 0, end: 0 };
const taken = <T>(value: T | null) => ({ value });
const refused = (wanted: string, value: unknown, hint = "") => ({
  problem: `It must be ${wanted}, not ${spokenKindOf(value)}${hint === "" ? "" : `; ${hint}`}.`,
});

/** An optional without a value and null are both "the source has none here". */
const opened = (value: unknown): unknown =>
  value instanceof Optional ? (value.present ? value.value : null) : value;

const plain =
  <T>(read: Reader<T>): Reader<T> =>
  (value) => {
    const inner = opened(value);
    return inner === null ? taken<T>(null) : read(inner);
  };

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" ? number : undefined;
};

export const text: Reader<string> = plain((value) =>
  typeof value === "string"
    ? taken(value)
    : refused("text", value, numberOf(value) === undefined ? "" : "write string(..)"),
);

export const name: Reader<string> = plain((value) =>
  value === "" ? { problem: "It must not be an empty text." } : text(value),
);

export const number: Reader<number> = plain((value) => {
  const found = numberOf(value);
  if (found === undefined)
    return refused(
      "a number",
      value,
      typeof value === "string"
        ? "write double(..)"
        : typeof value === "boolean"
          ? "write x ? 1.0 : 0.0"
          : "",
    );
  return Number.isFinite(found) ? taken(found) : { problem: `It must be a finite number, not ${found}.` };
});

const whole =
  (lowest: number): Reader<number> =>
  (value) => {
    const read = number(value);
    if ("problem" in read || read.value === null) return read;
    if (!Number.isSafeInteger(read.value))
      return { problem: `It must be a whole number, not ${read.value}.` };
    return read.value < lowest ? { problem: `It must be ${lowest} or more, not ${read.value}.` } : read;
  };
export const count = whole(0);
export const integer = whole(-Infinity);

export const split: Reader<Split> = plain((value) => {
  const parsed = Split.safeParse(value);
  return parsed.success ? taken(parsed.data) : { problem: "It must be train, selection or audit." };
});

export const flag: Reader<boolean> = plain((value) =>
  typeof value === "boolean" ? taken(value) : refused("true or false", value),
);

export const moment: Reader<string> = plain((value) => {
  if (value instanceof Timestamp) return taken(timestampText(value));
  if (typeof value !== "string") return refused("a time", value, "write timestamp(..)");
  return Number.isNaN(Date.parse(value)) ? { problem: "It must be a time in ISO 8601." } : taken(value);
});

export const milliseconds: Reader<number> = plain((value) => {
  const read = number(value instanceof Duration ? value.ms : value);
  if ("problem" in read || read.value === null || read.value >= 0) return read;
  return { problem: `It must be 0 or more, not ${read.value}.` };
});

export const map: Reader<Readonly<Record<string, unknown>>> = plain((value) => {
  if (!isRecord(value) && !(value instanceof Map)) return refused("a map", value);
  const json = toJson(value, nowhere);
  return json instanceof Failure ? { problem: json.message } : taken(isRecord(json) ? json : {});
});

export const list: Reader<readonly unknown[]> = plain((value) =>
  isList(value) ? taken(value) : refused("a list", value),
);

export const anything: Reader<unknown> = (value) => {
  const json = toJson(value, nowhere);
  return json instanceof Failure ? { problem: json.message } : taken(json);
};
