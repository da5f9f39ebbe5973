import { projectsMethod, type ProjectsReply } from "../../../../shared/protocol/lsp.ts";
import type { Session } from "./session/session.ts";

/** Answers which projects the workspace has. */
export function answerProjects(session: Session): void {
  session.connection.onRequest(projectsMethod, async (): Promise<ProjectsReply> => {
    await session.ready;
    return { roots: session.index.projects };
  });
}
