// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { gateAnswerers } from "../../words/decisions.ts";
import { Proposal } from "./proposals.ts";

/** What a gate card is told and what it asks; a message of another version is dropped. */
export const gateProtocol = 1;

/** Which proposal a card is about; `root` is the project's folder. */
export const GateKey = z.object({ root: z.string(), id: z.string() });
export type GateKey = z.infer<typeof GateKey>;

/** What there is to decide, or why there is nothing. */
export const GateState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({ type: z.literal("missing"), message: z.string() }),
  z.object({
    type: z.literal("proposal"),
    proposal: Proposal,
    /** Ids of the hunks that will not be taken. */
    left: z.array(z.string()),
    /** The record is still being looked up. */
    recordPending: z.boolean(),
    /** Why a person is asked; null where the rule in force would answer. */
    why: z.string().nullable(),
    who: z.enum(gateAnswerers).optional().describe("Who answers; left out while that is not known."),
    /** What the last answer led to, or why it was refused. */
    notice: z.object({ kind: z.enum(["done", "refused"]), text: z.string() }).nullable(),
    /** An answer is on its way. */
    isBusy: z.boolean(),
  }),
]);
export type GateState = z.infer<typeof GateState>;

const envelope = { protocol: z.literal(gateProtocol) };

/** From the extension to the card. The key is what the card keeps, so that it comes back after a reload. */
export const ToGateCard = z.object({
  ...envelope,
  type: z.literal("state"),
  key: GateKey,
  state: GateState,
});
export type ToGateCard = z.infer<typeof ToGateCard>;

/** From the card to the extension. */
export const FromGateCard = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("choose"), hunk: z.string(), taken: z.boolean() }),
  z.object({ ...envelope, type: z.literal("openDiff") }),
  z.object({ ...envelope, type: z.literal("showVersion"), version: z.string() }),
  /** Opens the rollouts that a finding was counted from: those with a label, or all. */
  z.object({ ...envelope, type: z.literal("evidence"), version: z.string(), label: z.string().nullable() }),
  z.object({ ...envelope, type: z.literal("approve") }),
  z.object({
    ...envelope,
    type: z.literal("revise"),
    comment: z.string(),
    /** Whether the files of the work tree are the new text. */
    withWorkTree: z.boolean(),
  }),
  z.object({ ...envelope, type: z.literal("reject"), reason: z.string() }),
]);
export type FromGateCard = z.infer<typeof FromGateCard>;

/** What the card keeps over a reload: which proposal, and what was being written. */
export const GateUiState = z.object({
  version: z.literal(1),
  key: GateKey.nullable(),
  form: z.enum(["none", "revise", "reject"]),
  draft: z.string(),
  withWorkTree: z.boolean(),
  heard: z
    .string()
    .optional()
    .describe("What the card was last told came of an answer, with which its text was let go of."),
});
export type GateUiState = z.infer<typeof GateUiState>;
