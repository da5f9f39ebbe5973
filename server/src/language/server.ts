import type { Connection } from "vscode-languageserver/node";
import type { Log } from "../base/log.ts";
import type { ReadLineage } from "./lineage/lineageReply.ts";
import { allFeatures } from "./protocol/features/allFeatures.ts";
import type { AskEngine, Engines } from "./live/askEngine.ts";
import { keepProposals } from "./live/proposalsKeeper.ts";
import { followArchive } from "./protocol/archive.ts";
import { answerExamples } from "./protocol/exampleRequests.ts";
import { answerProjects } from "./protocol/projectRequests.ts";
import { answerEngine } from "./protocol/engineRequests.ts";
import { makeChecks } from "./protocol/session/checks.ts";
import { syncDocuments } from "./protocol/documentSync.ts";
import { followLifecycle } from "./protocol/lifecycle.ts";
import { answerLineage, type AskVersion } from "./protocol/lineageRequests.ts";
import { followParents, type ReadParent } from "./protocol/parents.ts";
import { answerPulls } from "./protocol/pullDiagnostics.ts";
import { answerReports } from "./protocol/reports.ts";
import { answerTools, type CallTool } from "./protocol/toolRequests.ts";
import { makeSession } from "./protocol/session/session.ts";

export type ServerDependencies = {
  readonly readLineage: ReadLineage;
  /** What is asked of a version; it runs git, and a note is written. */
  readonly askVersion?: AskVersion;
  /** The version that a project's work tree goes on from; it runs git. Nothing is compared with a parent without it. */
  readonly readParent?: ReadParent;
  readonly askEngine: AskEngine;
  /** Leaves a project's archive to what `work` starts; without it nothing is held that could be left. */
  readonly yieldArchive?: Engines["yieldTo"];
  /** What assistants ask through the editor; nothing is offered without it. */
  readonly callTool?: CallTool;
  readonly log: Log;
};

/**
 * Connects the language features with an editor. Only this file and `protocol/` know the protocol: everything behind
 * them takes and gives offsets and plain data. Nothing here writes, spawns or connects before the workspace
 * is trusted.
 */
export function startServer(
  connection: Connection,
  { readLineage, askVersion, readParent, askEngine, yieldArchive, callTool, log }: ServerDependencies,
): void {
  const session = makeSession(connection, log);
  const checks = makeChecks(session);
  const parentsChanged = followParents(session, readParent, checks);
  const proposals = keepProposals({
    projects: () => (session.trusted ? session.index.projects : []),
    ask: askEngine,
    log,
  });
  session.proposalsOn = proposals.touching;
  const lineageChanged = (): void => {
    parentsChanged();
    proposals.refresh();
  };
  const { rescan } = followLifecycle(session, checks, lineageChanged);
  syncDocuments(session, checks, { rescan, lineageChanged });
  followArchive(session, askEngine, { checks, trusted: lineageChanged });
  answerReports(session, askEngine);
  answerEngine(session, { ask: askEngine, yieldTo: yieldArchive ?? ((_, work) => work()) });
  if (callTool) answerTools(session, callTool);
  answerExamples(session);
  answerProjects(session);
  answerPulls(session);
  answerLineage(session, { readLineage, ...(askVersion === undefined ? {} : { askVersion }) });
  for (const { register } of allFeatures) register(session);
  session.documents.listen(connection);
  connection.listen();
}
