import { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { archiveStamp, type AskEngine } from "./askEngine.ts";

/** Keeps what the archives hold up to date, and waits for no one: whoever looks takes what is there. */
export type FactsKeeper = { readonly look: () => Promise<void>; readonly stop: () => void };

const everyMs = 10_000;

/**
 * Looks whether an archive was written to, at once and then every ten seconds, and asks what it holds if so.
 * `folders` is empty as long as nothing may be run.
 */
export function keepFacts(options: {
  readonly folders: () => readonly string[];
  readonly ask: AskEngine;
  readonly note: (root: string, facts: ArchiveFacts) => void;
  readonly log: Log;
}): FactsKeeper {
  const seen = new Map<string, string>();
  /** Why the last look failed, so that the same reason is told once. */
  const failed = new Map<string, string>();
  let looking: Promise<void> | undefined;

  async function lookAt(root: string): Promise<void> {
    const stamp = await archiveStamp(root);
    if (stamp === undefined || seen.get(root) === stamp) return;
    seen.set(root, stamp);
    const start = performance.now();
    try {
      const answer = await options.ask(root, "archive.facts", {});
      const facts = ArchiveFacts.safeParse(answer).data;
      if (facts) options.note(root, facts);
      failed.delete(root);
      options.log.debug("evidence", "facts read", { root, ms: Math.round(performance.now() - start) });
    } catch (e) {
      // Another program has the archive for a while, or it cannot be read: the next look asks again.
      seen.delete(root);
      const message = messageOf(e);
      if (failed.get(root) !== message) options.log.warn("evidence", "facts not read", { root, message });
      failed.set(root, message);
    }
  }

  async function lookAtAll(): Promise<void> {
    for (const root of options.folders()) await lookAt(root);
  }

  const look = (): Promise<void> =>
    (looking ??= lookAtAll().finally(() => {
      looking = undefined;
    }));
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}
