import * as z from "zod";

/** Where two rollouts part, as indices of turns; null where one of them has ended, or where nothing differs. */
export const Parting = z.object({
  a: z.number().nullable(),
  b: z.number().nullable(),
  reason: z.enum(["tool", "args", "text", "ended"]),
});
