/** The value at a dotted path such as components.correctness.shape; `found` tells a missing one from null. */
export function valueAtPath(
  value: unknown,
  path: string,
): { readonly found: boolean; readonly value: unknown } {
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return { found: false, value: undefined };
    value = Reflect.get(value, step);
  }
  return { found: true, value };
}

/** Every dotted path to a scalar of a document, up to a thousand: what a misspelled path may have meant. */
export function scalarPaths(value: unknown, prefix = "", out: string[] = []): string[] {
  if (out.length >= 1000) return out;
  if (typeof value !== "object" || value === null) {
    if (prefix !== "") out.push(prefix);
    return out;
  }
  for (const [key, child] of Object.entries(value))
    scalarPaths(child, prefix === "" ? key : `${prefix}.${key}`, out);
  return out;
}
