/** Tests run this as a program. An engine that submits one job and waits for it, to be killed by a test: `localEngine.ts <runs> <keeper> <id> <script>`. */
import { LocalExecutor } from "../../../server/src/runner/local.ts";

const [, , runsDirectory = "", keeper = "", id = "", script = ""] = process.argv;
const executor = new LocalExecutor({ runsDirectory, keeper });
await executor.submit({
  id,
  command: ["sh", "-c", script],
  cwd: runsDirectory,
  environment: {},
  budgetSeconds: 300,
});
await executor.wait(id);
