import type { Outcome } from "../../../../shared/model/rollout.ts";
import type { OutcomeMapping } from "../../../../shared/spec/evidenceMapping.ts";
import { Failure, Optional, spokenKindOf } from "../../expression/values.ts";
import type { FieldCompiler, Fields, Names, ReadField } from "./fields.ts";

export interface MappedOutcome {
  readonly outcome: Outcome;
  readonly unknown_reason: string | null;
}

const unknown = (reason: string): MappedOutcome => ({ outcome: "unknown", unknown_reason: reason });

/**
 * `unknown` is asked first, then `pass` and `fail`. What cannot be decided, and what is both or neither, is unknown with
 * the reason: a failure is only what the mapping calls one.
 */
export function outcomeReader(
  spec: OutcomeMapping,
  compiler: FieldCompiler,
  reason: ReadField<string> | undefined,
): (variables: Names, fields: Fields) => MappedOutcome {
  const programs = {
    unknown: spec.unknown === undefined ? undefined : compiler.program("outcome.unknown", spec.unknown),
    pass: compiler.program("outcome.pass", spec.pass),
    fail: compiler.program("outcome.fail", spec.fail),
  };

  /** A boolean, a text where `unknown` may give one, or what is wrong. */
  const ask = (side: keyof typeof programs, variables: Names, fields: Fields): boolean | string | Failure => {
    const raw = programs[side]?.run(variables);
    const value = raw instanceof Optional ? (raw.present ? raw.value : null) : raw;
    if (typeof value === "boolean") return value;
    if (side === "unknown" && (typeof value === "string" || value === null)) return value ?? false;
    const message =
      value instanceof Failure ? value.message : `It must be true or false, not ${spokenKindOf(value)}.`;
    fields.fail(`outcome.${side}`, spec[side] ?? "", message);
    return new Failure({ start: 0, end: 0 }, `outcome.${side} could not be decided: ${message}`);
  };

  return (variables, fields) => {
    if (programs.unknown !== undefined) {
      const doubt = ask("unknown", variables, fields);
      if (doubt instanceof Failure) return unknown(doubt.message);
      if (typeof doubt === "string" && doubt !== "") return unknown(doubt);
      if (doubt === true)
        return unknown(reason?.(variables, fields) || "The mapping says that the outcome is unknown.");
    }
    const pass = ask("pass", variables, fields);
    if (pass instanceof Failure) return unknown(pass.message);
    const fail = ask("fail", variables, fields);
    if (fail instanceof Failure) return unknown(fail.message);
    if (pass === fail)
      return unknown(`The record is ${pass === true ? "both pass and fail" : "neither pass nor fail"}.`);
    return { outcome: pass === true ? "pass" : "fail", unknown_reason: null };
  };
}
