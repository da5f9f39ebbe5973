import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { connectionLog } from "./language/connectionLog.ts";
import { LineageView } from "../../shared/protocol/lineage.ts";
import { askEngines } from "./language/live/askEngine.ts";
import { startServer } from "./language/server.ts";

const transports = ["--node-ipc", "--stdio", "--socket", "--pipe"];

if (
  process.argv.some((argument) =>
    transports.some((name) => argument === name || argument.startsWith(`${name}=`)),
  )
) {
  const connection = createConnection(ProposedFeatures.all);
  const { console } = connection;
  const askEngine = askEngines();
  startServer(connection, {
    // What runs git or the engine is loaded when it is needed: findings do not wait for it.
    readParent: async (root) => (await import("./language/nearestVersion.ts")).nearestVersion(root),
    readLineage: async (root) =>
      LineageView.parse(await (await import("./engine/lineageReport.ts")).readLineageReport(root)),
    askEngine,
    callTool: async (roots, call) =>
      (await import("./assistant/answer.ts")).callTool({ roots, ask: askEngine }, call),
    log: connectionLog({
      debug: (line) => console.debug(line),
      info: (line) => console.info(line),
      warn: (line) => console.warn(line),
      error: (line) => console.error(line),
    }),
  });
} else {
  process.stderr.write(
    "Say how the editor is connected: --node-ipc, --stdio, --socket=PORT or --pipe=NAME.\n",
  );
  process.exitCode = 2;
}
