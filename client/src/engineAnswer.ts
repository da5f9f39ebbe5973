import type { z } from "zod";
import type { EngineReply, VersionParams } from "../../shared/protocol/lsp.ts";
import type { EngineQuestion, Server } from "./languageClient.ts";
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

/** Asks the engine and parses what it answers. */
export const askEngine = <S extends z.ZodType>(
  server: Pick<Server, "engine" | "state">,
  question: EngineQuestion,
  schema: S,
  token?: vscode.CancellationToken,
): Promise<Answer<z.output<S>>> => parsed(server, () => server.engine(question, token), schema);

/** Asks git, through the language server, about a version and parses what it answers. */
export const askVersion = <S extends z.ZodType>(
  server: Pick<Server, "version" | "state">,
  params: VersionParams,
  schema: S,
): Promise<Answer<z.output<S>>> => parsed(server, () => server.version(params), schema);

async function parsed<S extends z.ZodType>(
  server: Pick<Server, "state">,
  ask: () => Promise<EngineReply>,
  schema: S,
): Promise<Answer<z.output<S>>> {
  if (server.state() !== "running") return { type: "none", ...serverStopped };
  const reply = await ask();
  switch (reply.type) {
    case "answer":
      return { type: "answer", root: reply.root, value: schema.parse(reply.result) };
    case "refused":
      return { type: "none", cause: reply.message, advice: "" };
    case "noFolder":
    case "noProject":
    case "noArchive":
    case "untrusted":
      return { type: "none", ...absences[reply.type] };
  }
}
