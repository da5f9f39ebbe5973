import { join } from "node:path";
import { runCommandLine, sayWhatFailed } from "./commands/commandLine.ts";
import { endWithReader } from "./commands/terminal/standardIo.ts";

function exitWith(code: number): void {
  process.exitCode = code;
}

endWithReader();
// What nobody waits for would be written by Node as it is.
process.on("uncaughtException", (e: unknown) => {
  sayWhatFailed(e, exitWith);
  process.exit();
});

void runCommandLine(process.argv.slice(2), {
  cwd: process.cwd(),
  examples: join(__dirname, "examples"),
  serveEditor: () => import("./main.ts"),
  exitWith,
});
