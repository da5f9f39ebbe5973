import { reportMethod, ReportParams, type ReportReply } from "../../../../shared/protocol/lsp.ts";
import { HarnessError } from "../../base/errors.ts";
import { archiveReport } from "../live/archiveReport.ts";
import type { AskEngine } from "../live/askEngine.ts";
import type { Session } from "./session/session.ts";

/** What the lenses show when they are chosen, as a text. */
export function answerReports(session: Session, ask: AskEngine): void {
  session.connection.onRequest(reportMethod, async (params: unknown): Promise<ReportReply> => {
    await session.ready;
    const { what, root, subject } = ReportParams.parse(params);
    if (!session.trusted || !session.index.projects.includes(root))
      throw new HarnessError("badInput", `${root} is not a project of a trusted workspace.`);
    const text = session.index.text(subject)?.text;
    return archiveReport(ask, { what, root, subject, text });
  });
}
