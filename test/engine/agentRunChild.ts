import { runAgent } from "../../server/src/proposals/agent/runAgent.ts";

// Tests run this as a program. It runs an agent that would never end, and is killed.
const [folder = "."] = process.argv.slice(2);
await runAgent({
  ...{ command: ["sh", "-c", 'echo $$ > "$N/outlives"; sleep 615'], cwd: folder, environment: { N: folder } },
  ...{ seconds: 600, processes: 10, outputBytes: 10_000, confine: undefined, scratch: `${folder}/scratch` },
  mark: "outlives",
  signal: new AbortController().signal,
});
