import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { writeError } from "./base/standardError.ts";
import { provideEvidenceTools } from "./engine/proposals/evidenceTools.ts";
import { connectionLog } from "./language/connectionLog.ts";
import type { ReadLineage } from "./language/lineage/lineageReply.ts";
import { openEngines } from "./language/live/askEngine.ts";
import { startServer } from "./language/server.ts";

const transports = ["--node-ipc", "--stdio", "--socket", "--pipe"];

if (
  process.argv.some((argument) =>
    transports.some((name) => argument === name || argument.startsWith(`${name}=`)),
  )
) {
  const connection = createConnection(ProposedFeatures.all);
  const { console } = connection;
  let reader: Promise<ReadLineage> | undefined;
  const readLineage: ReadLineage = async (root) => {
    reader ??= import("./engine/versions/lineageReport.ts").then(({ lineageReader }) => lineageReader());
    return (await reader)(root);
  };
  provideEvidenceTools(async () => (await import("./assistant/evidenceTools.ts")).openEvidenceTools);
  const engines = openEngines();
  startServer(connection, {
    // What runs git or the engine is loaded when it is needed: findings do not wait for it.
    readParent: async (root) => (await import("./language/lineage/nearestVersion.ts")).nearestVersion(root),
    readLineage,
    askVersion: async (root, question) =>
      (await import("./engine/versions/askVersion.ts")).askVersion(root, question, readLineage),
    askEngine: engines.ask,
    yieldArchive: (root, work) => engines.yieldTo(root, work),
    callTool: async (roots, call) =>
      (await import("./assistant/answer.ts")).callTool({ roots, ask: engines.ask }, call),
    log: connectionLog({
      debug: (line) => console.debug(line),
      info: (line) => console.info(line),
      warn: (line) => console.warn(line),
      error: (line) => console.error(line),
    }),
  });
} else {
  writeError("Say how the editor is connected: --node-ipc, --stdio, --socket=PORT or --pipe=NAME.");
  process.exitCode = 2;
}
