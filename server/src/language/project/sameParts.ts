/** Whether two values are the same, part by part: lists, sets and maps of the same things count as the same. */
export function sameParts(a: unknown, b: unknown, depth = 3): boolean {
  if (Object.is(a, b)) return true;
  if (depth === 0 || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((one) => b.has(one));
  if (a instanceof Map && b instanceof Map)
    return (
      a.size === b.size && [...a].every(([key, one]) => b.has(key) && sameParts(one, b.get(key), depth - 1))
    );
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => sameParts(one, b[i], depth - 1));
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype)
    return false;
  const [of, to] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    of.length === to.size && of.every(([key, one]) => to.has(key) && sameParts(one, to.get(key), depth - 1))
  );
}
