import * as z from "zod";
import { itemsOf } from "../../../gym/src/items.ts";

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
export const parseItems = (text: string, where: string): Item[] => itemsOf(Item, text, where);
