import type { Fields } from "./untrusted.ts";

const keptChars = 16 * 1024;

/** The fields that are small enough to keep beside the conversation; of others their size is kept. Null says nothing. */
export function kept(fields: Fields): Record<string, unknown> {
  const found: [string, unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue;
    const chars = typeof value === "object" || typeof value === "string" ? JSON.stringify(value).length : 0;
    found.push([name, chars <= keptChars ? value : { left_out_chars: chars }]);
  }
  return Object.fromEntries(found);
}
