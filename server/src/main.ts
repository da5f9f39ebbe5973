import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { connectionLog } from "./language/connectionLog.ts";
import { LineageView } from "../../shared/protocol/lineage.ts";
import { readLineageReport } from "./engine/lineageReport.ts";
import { askEngines } from "./language/live/askEngine.ts";
import { nearestVersion } from "./language/nearestVersion.ts";
import { startServer } from "./language/server.ts";

const transports = ["--node-ipc", "--stdio", "--socket", "--pipe"];

if (
  process.argv.some((argument) =>
    transports.some((name) => argument === name || argument.startsWith(`${name}=`)),
  )
) {
  const connection = createConnection(ProposedFeatures.all);
  const { console } = connection;
  startServer(connection, {
    readParent: nearestVersion,
    readLineage: async (root) => LineageView.parse(await readLineageReport(root)),
    askEngine: askEngines(),
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
