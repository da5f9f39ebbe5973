// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { EvidenceReveal } from "./evidence.ts";

/** What a view of one service is told and what it asks (shared/words/serviceViews.ts); a message of another version is dropped. */
export const serviceViewProtocol = 1;
const envelope = { protocol: z.literal(serviceViewProtocol) };

/** From the extension to the view. `value` is parsed by the schema of the service. */
export const ToServiceView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("answer"), id: z.int(), value: z.unknown() }),
  z.object({ ...envelope, type: z.literal("refused"), id: z.int(), message: z.string() }),
  /** The lineage or the archive may have changed. */
  z.object({ ...envelope, type: z.literal("changed") }),
]);
export type ToServiceView = z.infer<typeof ToServiceView>;

/** From the view to the extension. `params` are checked by the engine, against the contract. */
export const FromServiceView = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  z.object({ ...envelope, type: z.literal("ask"), id: z.int(), params: z.record(z.string(), z.json()) }),
  /** Opens the list of the rollouts that a number was counted from. */
  z.object({ ...envelope, type: z.literal("evidence"), query: EvidenceReveal }),
]);
export type FromServiceView = z.infer<typeof FromServiceView>;
