import type * as z from "zod";

/** Items of a JSONL text; throws with the line number at the first line that is not an item. */
export function itemsOf<I>(schema: z.ZodType<I>, text: string, where: string): I[] {
  return text
    .split("\n")
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        throw new Error(`${where}:${number} is not JSON; write one item per line.`);
      }
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const first = parsed.error.issues[0];
      throw new Error(
        `${where}:${number} is not an item: ${first?.path.join(".") ?? ""} ${first?.message ?? ""}.`,
      );
    });
}
