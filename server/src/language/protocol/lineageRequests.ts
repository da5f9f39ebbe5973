import {
  lineageMethod,
  LineageParams,
  versionMethod,
  VersionParams,
  type LineageReply,
} from "../../../../shared/protocol/lsp.ts";
import type { EngineReply, Frozen } from "../../../../shared/protocol/services/service.ts";
import type {
  VersionQuestion,
  VersionRequest,
  VersionResult,
} from "../../../../shared/protocol/versionRequests.ts";
import { HarnessError } from "../../base/errors.ts";
import { lineagePages } from "../lineage/lineagePages.ts";
import { lineageReply, projectAsked, type ReadLineage } from "../lineage/lineageReply.ts";
import type { Session } from "./session/session.ts";

type VersionReply = Frozen<VersionResult<VersionRequest>>;

/** Answers a question about a version from git. */
export type AskVersion = (root: string, question: VersionQuestion) => Promise<VersionReply>;

/** Answers for the views beside the specs: the lineage of a project and its versions, in a workspace that is trusted. */
export function answerLineage(
  session: Session,
  { readLineage, askVersion }: { readonly readLineage: ReadLineage; readonly askVersion?: AskVersion },
): void {
  const { connection, index, log } = session;
  const pages = lineagePages();
  const workspace = () => ({ folders: session.folders.length, projects: index.projects });

  connection.onRequest<LineageReply, unknown>(
    lineageMethod,
    async (params: unknown): Promise<LineageReply> => {
      await session.ready;
      const { root, ...asked } = LineageParams.catch({}).parse(params ?? {});
      // Reading a lineage runs git, and a repository's own settings can make git run anything.
      if (!session.trusted) return { type: "untrusted" };
      const reply = await lineageReply(workspace(), root, (project) =>
        pages(project, asked, () => readLineage(project)),
      );
      if (reply.type === "unreadable")
        log.warn("lineage", "unreadable", { root: reply.root, message: reply.message });
      return reply;
    },
  );

  connection.onRequest<EngineReply<VersionReply>, unknown>(
    versionMethod,
    async (given: unknown): Promise<EngineReply<VersionReply>> => {
      await session.ready;
      const { root: asked, question } = VersionParams.parse(given);
      if (!session.trusted || askVersion === undefined) return { type: "untrusted" };
      const project = projectAsked(workspace(), asked);
      if ("type" in project) return project;
      try {
        return { type: "answer", root: project.root, result: await askVersion(project.root, question) };
      } catch (e) {
        if (!HarnessError.is(e)) throw e;
        return { type: "refused", reason: e.reason, message: e.message };
      }
    },
  );
}
