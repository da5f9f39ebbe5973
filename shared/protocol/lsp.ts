import * as z from "zod";
import { LineagePage } from "./views/lineage.ts";
import { editorServices } from "./editorServices.ts";
import { VersionQuestion } from "./versionRequests.ts";

/** Requests and notifications that the language server understands beyond the standard ones. */
export const lineageMethod = "evotrainer/lineage";
export const lineageChangedMethod = "evotrainer/lineageChanged";

export const trustGrantedMethod = "evotrainer/trustGranted";

/** What the editor tells at the start. Without its word the workspace is not trusted: nothing is run in it. */
export const InitializationOptions = z.object({
  trusted: z.boolean().default(false),
  /** Whether findings are sent or asked for; an editor that did both would show them twice. */
  diagnostics: z.enum(["push", "pull"]).default("push"),
  /** Whether it answers what ssh asks (prompt.ts). */
  prompts: z.boolean().default(false),
  /** Whether it shows code lenses by itself: what an edited condition catches stands in them alone. */
  lenses: z.boolean().default(false),
  /** Hosts of the user's settings, by name; checked by who uses them. */
  hosts: z.unknown().optional(),
});
export type InitializationOptions = z.infer<typeof InitializationOptions>;

/** Notification: the hosts of the user's settings have become these. */
export const hostsMethod = "evotrainer/hosts";

/** What a lens is about: a label, or a spec file with the text that it has in the editor. */
export const LensTarget = z.object({ root: z.string(), subject: z.string() });
export type LensTarget = z.infer<typeof LensTarget>;

/** Request: what a lens shows, as the text of a document. */
export const reportMethod = "evotrainer/report";
export const ReportParams = LensTarget.extend({ what: z.enum(["rollouts", "backtest"]) });
/** `found` is what the engine answered, for a view that draws it; the text says the same, or why there is nothing. */
export const ReportReply = z.object({ title: z.string(), text: z.string(), found: z.unknown().optional() });
export type ReportReply = z.infer<typeof ReportReply>;

/**
 * Parameters of evotrainer/lineage: the project's folder (the first project of the workspace when omitted) and what the
 * asker has: the epoch and revision of its last whole answer, and in the middle of one the lowest index that came.
 */
export const LineageParams = z.object({
  root: z.string().optional(),
  epoch: z.string().optional(),
  since: z.int().optional(),
  below: z.int().optional(),
});
export type LineageParams = z.infer<typeof LineageParams>;

/** Reply of evotrainer/lineage: the versions that changed, in pages, or why there is no lineage. */
export const LineageReply = z.discriminatedUnion("type", [
  z.object({ type: z.literal("lineage"), root: z.string(), page: LineagePage }),
  z.object({ type: z.literal("noFolder") }),
  z.object({ type: z.literal("noProject") }),
  z.object({ type: z.literal("untrusted") }),
  z.object({ type: z.literal("unreadable"), root: z.string(), message: z.string() }),
]);
export type LineageReply = z.infer<typeof LineageReply>;

/** Requests about versions that need git and no archive; in a workspace that is trusted. Its answers: versionRequests.ts. */
export const versionMethod = "evotrainer/version";
export const VersionParams = z.object({ root: z.string().optional(), question: VersionQuestion });
export type VersionParams = z.infer<typeof VersionParams>;

/** Request: what the engine of a project says; only services that the editor may ask for can be named. */
export const engineMethod = "evotrainer/engine";
/** Which service, and its parameters as services.ts has them: the server holds them against it. */
export const EngineParams = z.object({
  /** The project's folder; the first project of the workspace when omitted. */
  root: z.string().optional(),
  service: z.enum(editorServices),
  params: z.looseObject({}),
});

/** Request: the folders of the workspace's projects; the first is the one that is meant where none is named. */
export const projectsMethod = "evotrainer/projects";
export const ProjectsReply = z.object({ roots: z.array(z.string()) });
export type ProjectsReply = z.infer<typeof ProjectsReply>;

/** Request: runs a tool that assistants ask through the editor. */
export const toolMethod = "evotrainer/tool";
export const ToolParams = z.object({ name: z.string(), input: z.unknown() });
export const ToolReply = z.object({ text: z.string(), isError: z.boolean() });
export type ToolReply = z.infer<typeof ToolReply>;

/** Request: the edit that makes a rollout an example of a diagnostic. */
export const exampleMethod = "evotrainer/example";
export const ExampleParams = z.object({
  root: z.string(),
  /** As run/id. */
  rollout: z.string(),
  expect: z.enum(["labelled", "clear"]),
  /** Which diagnostic; without it the answer lists those that there are. */
  diagnostic: z.string().optional(),
});
export type ExampleParams = z.infer<typeof ExampleParams>;
export const ExampleReply = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("choose"),
    diagnostics: z.array(z.object({ name: z.string(), description: z.string(), shipped: z.boolean() })),
  }),
  /** `text` is to stand between two places of the file; lines and characters count from 0. */
  z.object({
    type: z.literal("edit"),
    path: z.string(),
    start: z.object({ line: z.number(), character: z.number() }),
    end: z.object({ line: z.number(), character: z.number() }),
    text: z.string(),
  }),
  z.object({ type: z.literal("already"), path: z.string() }),
  /** It comes with EvoTrainer and is not written to: a file of the project with this text would replace it. */
  z.object({ type: z.literal("shipped"), path: z.string(), text: z.string() }),
  z.object({ type: z.literal("refused"), message: z.string() }),
]);
export type ExampleReply = z.infer<typeof ExampleReply>;
