import type { Scalar } from "../../../../shared/spec/common.ts";

type Replacement = { readonly path: string; readonly to: Scalar };

/** A document's value with the values at some paths replaced; what is not there is left alone, and nothing is written to. */
export function withEdits(value: unknown, edits: readonly Replacement[]): unknown {
  return edits.reduce((at: unknown, { path, to }) => replaced(at, path.split("."), to), value);
}

/** Only what stands above the value is copied. */
function replaced(value: unknown, [step, ...rest]: readonly string[], to: Scalar): unknown {
  if (step === undefined) return to;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return value;
  const below: unknown = replaced(Reflect.get(value, step), rest, to);
  const copy: object = Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value };
  Reflect.set(copy, step, below);
  return copy;
}
