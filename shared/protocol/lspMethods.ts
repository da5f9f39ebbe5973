import * as z from "zod";
import {
  EngineParams,
  ExampleParams,
  ExampleReply,
  InitializationOptions,
  LineageParams,
  LineageReply,
  ProjectsReply,
  ReportParams,
  ReportReply,
  ToolParams,
  ToolReply,
  VersionParams,
  engineMethod,
  exampleMethod,
  hostsMethod,
  lineageChangedMethod,
  lineageMethod,
  projectsMethod,
  reportMethod,
  toolMethod,
  trustGrantedMethod,
  versionMethod,
} from "./lsp.ts";
import { promptMethod, PromptParams, PromptReply } from "./views/prompt.ts";
import { engineReply } from "./services/service.ts";

/** A request or notification of ours: who sends it, with what, and what comes back; null where nothing does. */
interface LspMethod {
  readonly from: "editor" | "server";
  readonly says: string;
  readonly params: z.ZodType | null;
  readonly result: z.ZodType | null;
}

/** Every method that the language server and the editor have beyond the standard ones, for docs/protocol.md. */
export const lspMethods: Readonly<Record<string, LspMethod>> = {
  initializationOptions: {
    from: "editor",
    says: "The options of the standard initialize request.",
    params: InitializationOptions,
    result: null,
  },
  [trustGrantedMethod]: {
    from: "editor",
    says: "Notification: the user trusts the workspace from now on.",
    params: null,
    result: null,
  },
  [hostsMethod]: {
    from: "editor",
    says: "Notification: the hosts in the user's settings have changed; these are the new ones.",
    params: z.record(z.string(), z.unknown()),
    result: null,
  },
  [projectsMethod]: {
    from: "editor",
    says: "The folders of the workspace's projects; the first is the default.",
    params: null,
    result: ProjectsReply,
  },
  [lineageMethod]: {
    from: "editor",
    says: "The versions that changed since the asker's last answer, in pages, or why there is no lineage.",
    params: LineageParams,
    result: LineageReply,
  },
  [versionMethod]: {
    from: "editor",
    says: "A question about one version that needs git and no archive; its answer is that of the request that `ask` names, below.",
    params: VersionParams,
    result: engineReply(z.unknown()),
  },
  [engineMethod]: {
    from: "editor",
    says: "A service for the editor, below, with its parameters; its answer is the result of this service.",
    params: EngineParams,
    result: engineReply(z.unknown()),
  },
  [reportMethod]: {
    from: "editor",
    says: "What a code lens shows, as the text of a document.",
    params: ReportParams,
    result: ReportReply,
  },
  [exampleMethod]: {
    from: "editor",
    says: "The edit that makes a rollout an example of a diagnostic.",
    params: ExampleParams,
    result: ExampleReply,
  },
  [toolMethod]: {
    from: "editor",
    says: "Runs a tool that an assistant asks for through the editor.",
    params: ToolParams,
    result: ToolReply,
  },
  [lineageChangedMethod]: {
    from: "server",
    says: "Notification: the lineage may have changed.",
    params: null,
    result: null,
  },
  [promptMethod]: {
    from: "server",
    says: "ssh asks its user something.",
    params: PromptParams,
    result: PromptReply,
  },
};
