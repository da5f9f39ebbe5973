import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { experimentFolder } from "./paths.ts";

const Reference = z.strictObject({
  /** How many a person used to come to it. */
  trainings: z.int().min(1),
  settings: z.array(
    z.strictObject({
      file: z.string(),
      path: z.string(),
      to: z.union([z.string(), z.number(), z.boolean()]),
    }),
  ),
});

/** What a person came to in a domain; its log lies beside it. @throws ZodError */
export const readReference = (domain: string): z.infer<typeof Reference> =>
  Reference.parse(JSON.parse(readFileSync(join(experimentFolder, `references/${domain}.json`), "utf8")));
