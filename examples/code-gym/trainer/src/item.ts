import * as z from "zod";
import { kinds } from "./language.ts";

const Value = z.union([z.int(), z.array(z.int())]);
export const TestCase = z.strictObject({ input: z.array(z.int()), output: Value });
export type TestCase = z.infer<typeof TestCase>;

/** One task: what a program is to do, in words that leave room, and the tests. */
export const Item = z.strictObject({
  id: z.string().min(1),
  difficulty: z.number().min(0).max(1),
  description: z.string().min(1),
  phrases: z
    .array(z.strictObject({ phrase: z.int().min(0), number: z.int() }))
    .min(1)
    .describe("What the description is made of: numbers of phrases, with their numbers."),
  program: z
    .array(z.strictObject({ kind: z.enum(kinds), number: z.int() }))
    .min(1)
    .describe("A program that does it."),
  visible: z.array(TestCase).min(1),
  hidden: z.array(TestCase).min(1),
});
export type Item = z.infer<typeof Item>;
