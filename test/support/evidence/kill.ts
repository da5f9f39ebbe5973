import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { programArguments } from "../base/program.ts";

/**
 * For tests: runs a TypeScript file of this folder, which says "open" when it begins and "done" at its end, and kills it
 * `after` milliseconds after its first word, or lets it run. Returns what the program said.
 */
export async function runUntilKilled(
  file: string,
  args: readonly string[],
  after?: number,
): Promise<{ readonly opened: boolean; readonly done: boolean }> {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const run = spawn(process.execPath, [...programArguments(script), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(run, "close");
  let said = "";
  run.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said === "" && after !== undefined) setTimeout(() => run.kill("SIGKILL"), after);
    said += text;
  });
  await closed;
  return { opened: said.startsWith("open"), done: said.includes("done") };
}
