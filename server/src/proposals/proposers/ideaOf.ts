import * as z from "zod";
import { apiVersion, ChangePlace, Factor, Name } from "../../../../shared/spec/common.ts";
import { Edit, isPatch } from "../../../../shared/spec/edit.ts";
import { inBlock } from "../../base/plainText.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import type { Idea } from "../draft.ts";

const text = z.string().trim().min(1).max(4000);

/** What a draft claims, in the words of who wrote it. */
export const Claims = z.object({
  name: Name.describe("A short name for the change, such as linear-reward."),
  because: text.describe("Why it should help, by what you saw in the evidence: one or two sentences."),
  targets: z.array(Name).max(20).default([]).describe("The findings or labels that it answers."),
  metric: Name.default("solve_rate").describe("The metric that should move."),
  direction: z.enum(["increase", "decrease"]).default("increase"),
  fixes: z.array(Name).max(50).default([]).describe("Labels that should become rarer."),
  risks: z.array(Name).max(50).default([]).describe("Labels that may become more frequent."),
  atLeast: z
    .number()
    .min(-1)
    .max(1)
    .default(0)
    .describe("The smallest change of solve_rate that counts as success: 0.02 is 2 points."),
  cost: z
    .string()
    .trim()
    .max(500)
    .default("")
    .describe("What it will cost beside an ordinary training, if anything."),
});
export type Claims = z.infer<typeof Claims>;

/** A draft as a proposer writes it. */
export const WrittenDraft = Claims.extend({
  factor: Factor,
  edit: z.array(Edit).min(1).max(50),
});
export type WrittenDraft = z.infer<typeof WrittenDraft>;

/** The idea of a draft. What others wrote for people to read has its control codes escaped. */
export function ideaOf(written: WrittenDraft, findings: readonly Finding[]): Idea {
  const { name, factor, edit, metric, direction, fixes, risks, atLeast, cost } = written;
  const because = inBlock(cost === "" ? written.because : `${written.because} Its cost: ${cost}`);
  const answered = findings.find((finding) => written.targets.includes(finding.name));
  const [first] = findings;
  const targets = written.targets.length > 0 ? written.targets : [first?.name ?? "low-score"];
  return {
    because,
    finding: answered?.name ?? null,
    spec: {
      ...{ apiVersion, kind: "Intervention", name, factor, edit, targets },
      hypothesis: { change: placeOf(edit, factor), metric, direction, because },
      ...{ predicts: { fixes, risks }, guardrails: [], rollback: "revert" },
      success: { metric, atLeast, confidence: 0.95 },
    },
  };
}

/** What the hypothesis speaks of: the first value, or the first file. */
function placeOf([first]: readonly Edit[], factor: Factor): string {
  if (first === undefined) return factor;
  if (!isPatch(first)) return first.path;
  const named = /^(?:\+\+\+ b|--- a)\/([^\t\n]+)/m.exec(first.patch)?.[1] ?? "";
  return ChangePlace.safeParse(named).success ? named : factor;
}
