import { lineageMethod, LineageParams, type LineageReply } from "../../../../shared/protocol/lsp.ts";
import { lineageReply, type ReadLineage } from "../lineageReply.ts";
import type { Session } from "./session.ts";

/** Answers for the views beside the specs: the lineage of a project, in a workspace that is trusted. */
export function answerLineage(session: Session, readLineage: ReadLineage): void {
  const { connection, index, log } = session;

  connection.onRequest(lineageMethod, async (params: unknown): Promise<LineageReply> => {
    await session.ready;
    const { root } = LineageParams.catch({}).parse(params ?? {});
    // Reading a lineage runs git, and a repository's own settings can make git run anything.
    if (!session.trusted) return { type: "untrusted" };
    const reply = await lineageReply(
      { folders: session.folders.length, projects: index.projects },
      root,
      readLineage,
    );
    if (reply.type === "unreadable")
      log.warn("lineage", "unreadable", { root: reply.root, message: reply.message });
    return reply;
  });
}
