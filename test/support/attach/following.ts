import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { z } from "zod";
import type { EvidenceFollow, FollowTotals } from "../../../shared/protocol/results/evidenceFollow.ts";
import { until } from "../runner/jobs.ts";

const cli = resolve(import.meta.dirname, "../../../dist/cli.cjs");

/** How a run stands, as `evotrainer attach --json` says it. */
export type Stands = z.infer<typeof EvidenceFollow> &
  z.infer<typeof FollowTotals> & {
    readonly isBehind: boolean;
    readonly newest: {
      readonly step: number;
      readonly rollouts: number;
      readonly isComplete: boolean;
    } | null;
    readonly since: Readonly<Record<string, number | null>>;
  };

/** A built `evotrainer attach` that runs beside the test. */
export class Following {
  readonly said: Stands[] = [];
  errors = "";
  readonly #child: ChildProcess;
  readonly #over: Promise<unknown[]>;

  constructor(cwd: string, ...args: string[]) {
    this.#child = spawn(process.execPath, [cli, "--json", "attach", ...args], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#over = once(this.#child, "close");
    let rest = "";
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.said.push(JSON.parse(line) as Stands);
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.errors += text));
  }

  /** The newest state that fits, or an error with all that was said. */
  async until(what: string, fits: (now: Stands) => boolean): Promise<Stands> {
    try {
      return await until(what, () => {
        const now = this.said.at(-1);
        if (now !== undefined && fits(now)) return now;
        if (this.#child.exitCode !== null) throw new Error(`It ended: ${this.errors}`);
        return undefined;
      });
    } catch (e) {
      throw new Error(`${what}; it said ${JSON.stringify(this.said.at(-1))} ${this.errors}`, { cause: e });
    }
  }

  /** Ends it as Ctrl+C does, or kills it; gives the exit code. */
  async end(signal: "SIGINT" | "SIGKILL" = "SIGINT"): Promise<number | null> {
    this.#child.kill(signal);
    await this.#over;
    return this.#child.exitCode;
  }
}

/** All of a folder that following a run must leave as it is: names, times of change, contents. */
export function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => {
        const path = join(folder, name);
        const stats = statSync(path);
        const text = stats.isFile() ? readFileSync(path, "utf8") : "";
        return [name, `${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino} ${text}`];
      }),
  );
}
