import type * as vscode from "vscode";
import { inBlock } from "../../../shared/words/unseen.ts";
import { failureMessage, shownFailure, showLog, type ShownFailure } from "../shell/failures.ts";
import type { Answer } from "./engineAnswer.ts";

type Log = Pick<vscode.LogOutputChannel, "error">;

/** What a page says of something that was thrown; of a bug the log says more. */
export function loggedFailure(log: Log, what: string, thrown: unknown): ShownFailure {
  const failure = shownFailure(what, thrown);
  if (failure.type === "bug") log.error(`[${what}] failed`, inBlock(failure.stack));
  return failure;
}

/**
 * An answer that a page waits for. Where asking itself fails the page says so in the place of the answer, instead of saying for
 * ever that it reads; why is in the log.
 */
export async function pageAnswer<T>(
  log: Log,
  what: string,
  ask: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (thrown) {
    const failure = loggedFailure(log, what, thrown);
    const said = { type: "none", cause: failureMessage(failure), advice: "" } as const;
    if (failure.type === "silent") return { ...said, mend: showLog, isCancelled: true };
    return { ...said, mend: failure.mend };
  }
}
