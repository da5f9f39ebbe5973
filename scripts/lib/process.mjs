import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

/** Root of the clone: every script runs from anywhere. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** Has a process and all that it starts give way to others: it works while they wait. */
export function giveWay(pid) {
  try {
    setPriority(pid, 10);
    // Where Linux shares the processors out by session, the priority of the session counts.
    writeFileSync(`/proc/${pid}/autogroup`, "10");
  } catch {
    // Then it runs beside them as an equal.
  }
}

/**
 * Runs a program and collects its output; never throws for a failing program. `show` also passes the output on as it
 * comes. No shell and no standard input, so that nothing can wait for an answer.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, show?: boolean, limit?: number, givesWay?: boolean }} [options]
 *   limit: milliseconds after which the program and all that it started are ended; 0 for none
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { cwd = root, env = {}, show = false, limit = 0, givesWay = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: limit > 0,
    });
    if (givesWay && child.pid !== undefined) giveWay(child.pid);
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // Gone already.
      }
    };
    const timer =
      limit > 0
        ? setTimeout(() => {
            output += `\nended after ${limit / 1000} s\n`;
            end();
          }, limit)
        : undefined;
    if (limit > 0) process.once("exit", end);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
        if (show) process.stderr.write(text);
      });
    }
    child.on("error", (error) => resolve({ code: 127, output: `${output}${command}: ${error.message}\n` }));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      process.off("exit", end);
      resolve({ code: code ?? 1, output: signal ? `${output}ended by ${signal}\n` : output });
    });
  });
}

/** Runs a program of node_modules through this Node, without npx. */
export function runTool(script, args, options) {
  return run(process.execPath, [`${root}/node_modules/${script}`, ...args], options);
}

/** Like run, for steps that have to succeed: throws an error that ends with the last lines of the output. */
export async function must(what, command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) {
    const tail = output.trimEnd().split("\n").slice(-30).join("\n");
    throw new Error(`${what} failed (${command} ${args.join(" ")}, exit code ${code}):\n${tail}`);
  }
  return output;
}

export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
