import type { Scalar } from "../../../../shared/spec/common.ts";

type Replacement = { readonly path: string; readonly to: Scalar };

/** A copy of a document's value with the values at some paths replaced; what is not there is left alone. */
export function withEdits(value: unknown, edits: readonly Replacement[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const { path, to } of edits) {
    const steps = path.split(".");
    const last = steps.pop() ?? "";
    let at: unknown = copy;
    for (const step of steps)
      at =
        typeof at === "object" && at !== null && Object.hasOwn(at, step) ? Reflect.get(at, step) : undefined;
    if (typeof at === "object" && at !== null && Object.hasOwn(at, last)) Reflect.set(at, last, to);
  }
  return copy;
}
