import { outcomes } from "../../../../shared/model/outcomes.ts";
import { splitNames, type Rollout } from "../../../../shared/model/rollout.ts";

type Fields = Readonly<Record<string, unknown>>;

const isObject = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v);
const isName = (v: unknown): boolean => typeof v === "string" && v !== "";
const isNumber = (v: unknown): boolean => typeof v === "number" && Number.isFinite(v);
const isCount = (v: unknown): boolean => Number.isSafeInteger(v) && Number(v) >= 0;
const isText = (v: unknown): boolean => typeof v === "string";
const orNull = (v: unknown, holds: (v: unknown) => boolean): boolean => v === null || holds(v);
const optional = (v: unknown, holds: (v: unknown) => boolean): boolean => v === undefined || holds(v);
const isOneOf = (values: readonly string[], v: unknown): boolean =>
  typeof v === "string" && values.includes(v);

/**
 * Whether a parsed line is a rollout, without the cost of the schema: bulk ingest asks this first. It refuses whatever
 * the schema refuses; what it refuses is put to the schema, which decides and gives the reason. A test holds the two
 * together.
 */
export function isRollout(v: unknown): v is Rollout {
  return isObject(v) && hasIdentity(v) && hasResult(v) && hasOrigin(v) && Array.isArray(v["turns"])
    ? v["turns"].every(isTurn)
    : false;
}

function hasIdentity(v: Fields): boolean {
  return (
    isName(v["id"]) &&
    isName(v["run"]) &&
    isOneOf(splitNames, v["split"]) &&
    isCount(v["step"]) &&
    isName(v["item"]) &&
    isName(v["group"]) &&
    isCount(v["sample"])
  );
}

function hasResult(v: Fields): boolean {
  return (
    isOneOf(outcomes, v["outcome"]) &&
    optional(v["unknown_reason"], isName) &&
    (v["outcome"] !== "unknown" || v["unknown_reason"] !== undefined) &&
    (v["reward"] === null || isNumber(v["reward"])) &&
    isComponents(v["components"]) &&
    orNull(v["stop_reason"], isName) &&
    orNull(v["tokens"], isCount) &&
    optional(v["logprob_mean"], isNumber)
  );
}

function hasOrigin(v: Fields): boolean {
  return (
    orNull(v["policy"], isText) &&
    orNull(v["harness"], isText) &&
    orNull(v["seed"], (x) => Number.isSafeInteger(x)) &&
    orNull(v["started_at"], isText) &&
    orNull(v["duration_ms"], (x) => isNumber(x) && Number(x) >= 0) &&
    isObject(v["extra"])
  );
}

function isComponents(v: unknown): boolean {
  if (!isObject(v)) return false;
  for (const name in v) if (name === "__proto__" || !isNumber(v[name])) return false;
  return true;
}

function isTurn(v: unknown): boolean {
  return (
    isObject(v) &&
    typeof v["role"] === "string" &&
    typeof v["text"] === "string" &&
    optional(v["tool"], (x) => typeof x === "string") &&
    optional(v["args"], isObject) &&
    optional(v["ok"], (x) => typeof x === "boolean") &&
    optional(v["tokens"], isCount) &&
    optional(v["ms"], (x) => isNumber(x) && Number(x) >= 0)
  );
}
