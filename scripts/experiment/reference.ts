import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { experimentFolder } from "./paths.ts";

const Reference = z.strictObject({
  /** How many were used to come to it. */
  trainings: z.int().min(1),
  settings: z.array(
    z.strictObject({
      file: z.string(),
      path: z.string(),
      to: z.union([z.string(), z.number(), z.boolean()]),
    }),
  ),
});

/** The settings that were tuned by hand in a domain; the log of it is in the same folder. @throws ZodError */
export const readReference = (domain: string): z.infer<typeof Reference> =>
  Reference.parse(JSON.parse(readFileSync(join(experimentFolder, `references/${domain}.json`), "utf8")));
