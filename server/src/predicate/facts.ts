import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { Rollout, Turn } from "../../../shared/model/rollout.ts";
import { featuresOf } from "../evidence/contract/features.ts";
import type { Value } from "./types.ts";
import { rolloutVariables, type Variable } from "./variables.ts";

/** What a closure is run on. */
export interface Facts {
  readonly value: (variable: Variable, of: "this" | "parent") => Value;
  readonly turns: readonly Turn[];
  readonly components: Readonly<Record<string, number>>;
  /** Only in the scope of a version. */
  readonly version?: VersionFacts;
}

/** A training metric over the steps of a version. */
export interface MetricFacts {
  /** Its exact name, whatever it was asked for by. */
  readonly name: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
  /** The step from which on, until the end of the run, NaN, infinity or nothing stands in place of a number. */
  readonly lostFrom?: number | undefined;
  /** The steps, before the last one with a number, that have NaN, infinity or nothing instead. */
  readonly gaps?: readonly number[] | undefined;
  /** The standard error of each value, where it is known: of a mean over the rollouts of a step, say. */
  readonly errors?: readonly number[] | undefined;
  /** How many rollouts it was computed from; missing of a metric that the run logged. */
  readonly rollouts?: number | undefined;
}

/** What the functions over a version ask for; missing where nothing is known. */
export interface VersionFacts {
  readonly rate: (label: string, of: "this" | "parent") => LabelTally | null;
  /** By its exact name, or by the name that the field has for it, such as `entropy`. */
  readonly metric: (name: string) => MetricFacts | null;
}

const integers = new Set(rolloutVariables.filter((v) => v.type === "int").map((v) => v.name));

/** A number of the contract as a value of the language; NaN and infinity are no values. */
export function numberValue(value: number | null | undefined, integer: boolean): Value {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return integer ? BigInt(Math.trunc(value)) : value;
}

/** The facts of one rollout; its features are computed when something asks for them. */
export function rolloutFacts(rollout: Rollout): Facts {
  let features: Readonly<Record<string, unknown>> | undefined;
  const fields: Readonly<Record<string, unknown>> = { ...rollout };
  return {
    turns: rollout.turns,
    components: rollout.components,
    value: ({ name, table }) => {
      const from = table === "f" ? (features ??= { ...featuresOf(rollout.turns) }) : fields;
      const value = from[name];
      if (typeof value === "number") return numberValue(value, integers.has(name));
      return typeof value === "string" || typeof value === "boolean" ? value : null;
    },
  };
}

/** Facts that are values by name: those of a group, or of a version and its parent. */
export function namedFacts(
  values: Readonly<Record<string, number | string | boolean | null | undefined>>,
  more: {
    readonly parent?: Readonly<Record<string, number | string | null | undefined>>;
    readonly version?: VersionFacts;
  } = {},
): Facts {
  return {
    turns: [],
    components: {},
    value: ({ name, type }, of) => {
      const value = (of === "this" ? values : more.parent)?.[name];
      return typeof value === "string" || typeof value === "boolean"
        ? value
        : numberValue(value, type === "int");
    },
    ...(more.version === undefined ? {} : { version: more.version }),
  };
}
