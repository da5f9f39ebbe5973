import { spawn } from "node:child_process";

/** Runs a TypeScript file in a process of its own and returns the last line it printed, as JSON. */
export async function runChild(script: string, args: readonly string[]): Promise<unknown> {
  return JSON.parse(await runProcess(process.execPath, ["--import", "tsx", script, ...args]));
}

/** Runs a program to its end and returns the last line of its output. */
export function runProcess(command: string, args: readonly string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "inherit"],
      ...(cwd === undefined ? {} : { cwd }),
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output.trimEnd().split("\n").at(-1) ?? "");
      else reject(new Error(`${command} ${args.join(" ")} ended with ${String(code)}.`));
    });
  });
}
