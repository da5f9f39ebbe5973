import type * as z from "zod";
import { diagnostics } from "./services/diagnostics.ts";
import { evolution } from "./services/evolution.ts";
import { hosts } from "./services/hosts.ts";
import { jobs } from "./services/jobs.ts";
import { proposals } from "./services/proposals.ts";
import { replay } from "./services/replay.ts";
import { rollouts } from "./services/rollouts.ts";
import type { EngineReply } from "./services/service.ts";
import { skills } from "./services/skills.ts";
import { versions } from "./services/versions.ts";

/** The groups of services (services.ts) in which there is one for the editor: the extension carries no others. */
export const editorGroups = {
  ...diagnostics,
  ...evolution,
  ...hosts,
  ...jobs,
  ...proposals,
  ...replay,
  ...rollouts,
  ...skills,
  ...versions,
};
type Groups = typeof editorGroups;

/** Services that the editor may ask for. */
export type EditorService = {
  [N in keyof Groups]: Groups[N] extends { readonly editor: true } ? N : never;
}[keyof Groups];

/** What the editor passes to a service, and what it gets. */
export type ServiceParams<N extends EditorService> = z.input<Groups[N]["params"]>;
export type ServiceResult<N extends EditorService> = z.output<Groups[N]["result"]>;

/** The schemas of what the editor gets, by service. */
export const replies: {
  readonly [N in EditorService]: { readonly reply: z.ZodType<EngineReply<ServiceResult<N>>> };
} = editorGroups;

const isEditorService = (name: string): name is EditorService =>
  Object.entries(editorGroups).some(([known, { editor }]) => known === name && editor);

export const editorServices: readonly EditorService[] = Object.keys(editorGroups).filter(isEditorService);
