import * as z from "zod";
import { decisions } from "../../words/decisions.ts";
import { Comparison } from "../../ledger/measures.ts";

const Decided = z.object({ decision: z.enum(decisions), reason: z.string() });

/** A version that was decided again. */
const ReplayedVersion = z.object({
  name: z.string(),
  parent: z.string().nullable(),
  state: z
    .enum(["same", "changed", "not_tried", "cannot_tell", "left"])
    .describe(
      "not_tried: it would not have been trained, since its parent would not have been kept. cannot_tell: what is left of its evidence cannot decide it. left: no evidence decided it.",
    ),
  recorded: Decided.nullable().describe("Null for a version that is not decided yet."),
  now: Decided.nullable().describe("By the rules asked for; null where it is not decided again."),
  comparison: Comparison.nullable().describe("What that decision rests on."),
  basis: z
    .enum(["rollouts", "ledger"])
    .nullable()
    .describe("Whether the archive's rollouts were read again, or only the ledger's numbers were there."),
  gate: z
    .object({ recorded: z.string(), now: z.enum(["human", "rule"]), says: z.string() })
    .nullable()
    .describe("Who would answer its design gate, where that is not who did."),
  notes: z.array(z.string()).describe("Why it was not decided again, and how far: sentences."),
});

/** A lineage whose versions were decided again by other rules. */
export const Replay = z.object({
  domain: z.string(),
  rules: z.array(z.string()).describe("What differs from the recorded rules; empty for those themselves."),
  summary: z
    .array(z.string())
    .describe("How many decisions change, and how far they could be made: sentences."),
  versions: z.array(ReplayedVersion),
});
export type Replay = z.infer<typeof Replay>;
