import * as z from "zod";
import { RolloutFocus } from "../../../shared/protocol/views/rollout.ts";

/*
 * Schemas of what comes to the extension from outside beside the messages of shared/protocol: arguments of commands, what
 * the editor kept, addresses of documents, short answers. They are in a file of their own because it is not loaded before
 * one of them is used (scripts/lib/bundles.mjs): building schemas is most of what loading the extension would take.
 */

/** A row of the lineage tree, or what another view passes for a version, perhaps of another project than the open one. */
export const VersionArgument = z.looseObject({
  name: z.string(),
  root: z.string().optional().catch(undefined),
});
export const VersionsArgument = z.object({
  names: z.array(z.string()).min(1),
  root: z.string().optional(),
});
/** A row of the proposals tree, or what another view passes for a proposal. */
export const ProposalArgument = z.looseObject({
  id: z.string(),
  root: z.string().optional().catch(undefined),
});
/** A row of the trees of diagnostics and skills. */
export const SpecArgument = z.object({ root: z.string(), name: z.string() });
/** What a command about a project is given: a row of it, or its folder. */
export const ProjectArgument = z.looseObject({ root: z.string() });
/** A row of the jobs tree. */
export const JobArgument = z.object({ root: z.string(), id: z.string() });

/** What was going on when the window was last looked at. */
export const KeptWatch = z.object({
  active: z.array(z.string()),
  evolution: z.boolean(),
  failed: z.array(z.string()).optional(),
});
/** What a terminal follows: a job of a project, or its evolution. */
export const KeptFollowed = z.object({ root: z.string().nullable(), job: z.string().nullable() });
/** Hunks that are left out, by proposal. */
export const KeptHunks = z.record(z.string(), z.array(z.string()));

/** Which text of which proposal. The commit makes another text of it another document. */
export const ProposalTextAddress = z.object({
  root: z.string(),
  id: z.string(),
  commit: z.string(),
  file: z.string(),
  side: z.enum(["base", "proposed"]),
});
export type ProposalTextAddress = z.infer<typeof ProposalTextAddress>;
export const VersionFileAddress = z.object({ root: z.string(), commit: z.string(), path: z.string() });
/** Where reading a rollout starts. */
export const FocusAddress = z.object({ focus: RolloutFocus });
