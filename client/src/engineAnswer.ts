import type { EditorService, ServiceResult } from "../../shared/protocol/services.ts";
import type { EngineReply } from "../../shared/protocol/services/service.ts";
import type { VersionRequest, VersionResult } from "../../shared/protocol/versionRequests.ts";
import type { AskedVersion, EngineQuestion, Server } from "./languageClient.ts";
import type * as vscode from "vscode";
import { noArchive, noFolder, noProject, notTrusted, serverStopped } from "../../shared/words/refusals.ts";

/** An answer of the engine, or why there is none, in a sentence with what to do. */
export type Answer<T> =
  | { readonly type: "answer"; readonly root: string; readonly value: T }
  | { readonly type: "none"; readonly cause: string; readonly advice: string };

const absences = {
  noFolder,
  noProject,
  noArchive,
  untrusted: notTrusted(
    "The archive is not opened in a folder that you do not trust; specs are still checked.",
  ),
} as const;

/** Asks the engine for a service; its name gives the types of both sides. */
export const askEngine = <N extends EditorService>(
  server: Pick<Server, "engine" | "state">,
  question: EngineQuestion<N>,
  token?: vscode.CancellationToken,
): Promise<Answer<ServiceResult<N>>> => answerOf(server, () => server.engine(question, token));

/** Asks git, through the language server, about a version. */
export const askVersion = <N extends VersionRequest>(
  server: Pick<Server, "version" | "state">,
  question: AskedVersion<N>,
): Promise<Answer<VersionResult<N>>> => answerOf(server, () => server.version(question));

async function answerOf<T>(
  server: Pick<Server, "state">,
  ask: () => Promise<EngineReply<T>>,
): Promise<Answer<T>> {
  if (server.state() !== "running") return { type: "none", ...serverStopped };
  const reply = await ask();
  switch (reply.type) {
    case "answer":
      return { type: "answer", root: reply.root, value: reply.result };
    case "refused":
      return { type: "none", cause: reply.message, advice: "" };
    case "noFolder":
    case "noProject":
    case "noArchive":
    case "untrusted":
      return { type: "none", ...absences[reply.type] };
  }
}
