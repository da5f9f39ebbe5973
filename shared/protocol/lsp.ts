import * as z from "zod";
import { LineageView } from "./lineage.ts";

/** Requests and notifications that the language server understands beyond the standard ones. */
export const lineageMethod = "evotrainer/lineage";
export const lineageChangedMethod = "evotrainer/lineageChanged";

export const trustGrantedMethod = "evotrainer/trustGranted";

/** What the editor tells at the start. Without its word the workspace is not trusted: nothing is run in it. */
export const InitializationOptions = z.object({ trusted: z.boolean().default(false) });
export type InitializationOptions = z.infer<typeof InitializationOptions>;

/** Parameters of evotrainer/lineage: the project's folder; the first project of the workspace when omitted. */
export const LineageParams = z.object({ root: z.string().optional() });
export type LineageParams = z.infer<typeof LineageParams>;

/** Reply of evotrainer/lineage: the lineage, or why there is none. */
export const LineageReply = z.discriminatedUnion("type", [
  z.object({ type: z.literal("lineage"), root: z.string(), view: LineageView }),
  z.object({ type: z.literal("noFolder") }),
  z.object({ type: z.literal("noProject") }),
  z.object({ type: z.literal("untrusted") }),
  z.object({ type: z.literal("unreadable"), root: z.string(), message: z.string() }),
]);
export type LineageReply = z.infer<typeof LineageReply>;
