import type * as vscode from "vscode";
import { inBlock } from "../../../shared/words/unseen.ts";
import { shownFailure, showLog } from "../shell/failures.ts";
import type { Answer } from "./engineAnswer.ts";

/**
 * An answer that a page waits for. Where asking itself fails the page says so in the place of the answer, instead of saying for
 * ever that it reads; why is in the log.
 */
export async function pageAnswer<T>(
  log: Pick<vscode.LogOutputChannel, "error">,
  what: string,
  ask: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  try {
    return await ask();
  } catch (thrown) {
    const failure = shownFailure(what, thrown);
    if (failure.type === "silent")
      return {
        type: "none",
        cause: "The question was called off.",
        advice: "",
        mend: showLog,
        isCancelled: true,
      };
    if (failure.type === "bug") log.error(`[${what}] failed`, inBlock(failure.stack));
    return { type: "none", cause: failure.message, advice: "", mend: failure.mend };
  }
}
