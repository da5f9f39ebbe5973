import * as z from "zod";

export const TestCase = z
  .tuple([z.string(), z.array(z.union([z.number(), z.string()])), z.union([z.number(), z.string()])])
  .describe("Function, arguments, expected value.");
export type TestCase = z.infer<typeof TestCase>;

/** One task: a small repository with one mistake in it, what a user reports, and the tests. */
export const Item = z.strictObject({
  id: z.string().min(1),
  difficulty: z.number().min(0).max(1),
  family: z.string().describe("Kind of mistake; nothing that the policy sees."),
  issue: z.strictObject({
    title: z.string(),
    body: z.string(),
    terms: z.array(z.string()).min(1).describe("What can be searched for, as they appear in the issue."),
  }),
  files: z.array(z.strictObject({ name: z.string(), text: z.string() })).min(1),
  fix: z
    .array(z.strictObject({ file: z.string(), line: z.int(), text: z.string() }))
    .min(1)
    .describe("The upstream repair: line number (from 1) and its right text."),
  upstream: z.strictObject({ commit: z.string(), author: z.string(), message: z.string() }),
  visible: z.array(TestCase).min(1),
  hidden: z.array(TestCase).min(1),
});
export type Item = z.infer<typeof Item>;

/** Items of a JSONL text; throws with the line number at the first line that is not an item. */
export function parseItems(text: string, where: string): Item[] {
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
      const parsed = Item.safeParse(value);
      if (parsed.success) return parsed.data;
      const first = parsed.error.issues[0];
      throw new Error(
        `${where}:${number} is not an item: ${first?.path.join(".") ?? ""} ${first?.message ?? ""}.`,
      );
    });
}
