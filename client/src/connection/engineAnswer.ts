import type { EditorService, ServiceResult } from "../../../shared/protocol/editorServices.ts";
import type { EngineReply } from "../../../shared/protocol/services/service.ts";
import type { VersionRequest, VersionResult } from "../../../shared/protocol/versionRequests.ts";
import type { AskedVersion, EngineQuestion, Server } from "./languageClient.ts";
import type * as vscode from "vscode";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import {
  noArchive,
  noFolder,
  noProject,
  notTrusted,
  serverStopped,
  type Absence as Reason,
} from "../../../shared/words/refusals.ts";
import {
  Cancelled,
  KnownFailure,
  manageTrust,
  mends,
  openFolder,
  restartServer,
  showLog,
  type Mend,
} from "../shell/failures.ts";

/** An answer of the engine, or why there is none, in a sentence with what to do. */
export type Answer<T> = { readonly type: "answer"; readonly root: string; readonly value: T } | Absence;
export type Absence = {
  readonly type: "none";
  readonly cause: string;
  readonly advice: string;
  /** What mends it; the log says more where that is not known. */
  readonly mend: Mend;
  /** Somebody called the question off. */
  readonly isCancelled?: true;
};

type Unasked = Exclude<EngineReply<unknown>["type"], "answer" | "refused">;
const causes: Readonly<Record<Unasked, readonly [Reason, Mend]>> = {
  noFolder: [noFolder, openFolder],
  noProject: [noProject, openFolder],
  noArchive: [noArchive, { label: commandTitles["evotrainer.evolve"], command: "evotrainer.evolve" }],
  untrusted: [
    notTrusted(
      "EvoTrainer does not open the archive in a folder that you do not trust; it still checks specs.",
    ),
    manageTrust,
  ],
};

/**
 * An answer with its value.
 * @throws KnownFailure with the sentence that says why there is none and the action that mends it
 * @throws Cancelled when the question was called off
 */
export function answered<T>(answer: Answer<T>): Extract<Answer<T>, { readonly type: "answer" }> {
  if (answer.type === "answer") return answer;
  if (answer.isCancelled) throw new Cancelled();
  throw new KnownFailure(`${answer.cause} ${answer.advice}`.trim(), answer.mend);
}

/** The value of an answer. @throws as answered */
export const valueOf = <T>(answer: Answer<T>): T => answered(answer).value;

/** The answer with something else in the place of its value. */
export const mapAnswer = <T, U>(answer: Answer<T>, of: (value: T) => U): Answer<U> =>
  answer.type === "answer" ? { ...answer, value: of(answer.value) } : answer;

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
  const stopped = { type: "none", ...serverStopped, mend: restartServer } as const;
  if (server.state() === "stopped") return stopped;
  let reply: EngineReply<T>;
  try {
    // A server that is starting answers once it runs: who clicks early waits.
    reply = await ask();
  } catch (e) {
    if (server.state() === "stopped") return stopped;
    throw e;
  }
  switch (reply.type) {
    case "answer":
      return { type: "answer", root: reply.root, value: reply.result };
    case "refused":
      return {
        type: "none",
        cause: reply.message,
        advice: "",
        mend: mends[reply.reason] ?? showLog,
        ...(reply.reason === "cancelled" ? { isCancelled: true } : {}),
      };
    case "noFolder":
    case "noProject":
    case "noArchive":
    case "untrusted": {
      const [why, mend] = causes[reply.type];
      return { type: "none", ...why, mend };
    }
  }
}
