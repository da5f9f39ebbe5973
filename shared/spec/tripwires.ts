import * as z from "zod";
import { Name } from "./common.ts";

/** `tripwires` in evotrainer.yaml. */
export const TripwiresSpec = z.strictObject({
  stop: z
    .array(Name)
    .max(50)
    .default([])
    .describe(
      "Diagnostics over training metrics, such as entropy-collapse, that may stop a training job. Each does so only if its false-alarm rate on archived runs is known to be below falseAlarms; `evotrainer tripwires` says which do.",
    ),
  falseAlarms: z
    .number()
    .positive()
    .max(1)
    .default(0.1)
    .describe(
      "The limit: the whole 95 % interval of an alarm's false-alarm rate has to lie below it. For 0.1 that takes 35 healthy runs without a false alarm.",
    ),
});
export type TripwiresSpec = z.infer<typeof TripwiresSpec>;
