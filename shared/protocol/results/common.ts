import * as z from "zod";

export const Severity = z.enum(["info", "warning", "critical"]);
export const Alert = z.enum(["warning", "critical"]);
export const Ends = z.tuple([z.number(), z.number()]);

/** A number with its 95 % interval. */
export const Estimate = z.object({ low: z.number(), high: z.number(), value: z.number() });

/** An answer that is no number: the reason, and one sentence that says what is missing. */
export const Refusal = z.object({
  type: z.literal("refused"),
  reason: z.enum([
    "one_item",
    "no_spread",
    "one_seed",
    "nothing_measured",
    "no_common_item",
    "all_unknown",
    "one_run",
    "too_few_samples",
    "no_effect",
    "never_enough",
    "not_comparable",
  ]),
  message: z.string(),
});

/** A known result, or the reason why there is none. */
export const answered = <S extends z.ZodRawShape>(known: S) =>
  z.discriminatedUnion("type", [Refusal, z.object({ type: z.literal("known"), ...known })]);

/** What an archived rollout is to a condition. */
export const ArchivedVerdict = z.enum(["labelled", "clear", "undecided", "not_archived"]);
