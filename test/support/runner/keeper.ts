import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobStatus } from "../../../server/src/runner/job/executor.ts";
import { readJobFacts, statusOf } from "../../../server/src/runner/job/jobDirectory.ts";
import { JobSpec, type JobRequest } from "../../../server/src/runner/job/jobSpec.ts";
import { madeOnce } from "../base/madeOnce.ts";
import { keeperPath, processesOf, until } from "./jobs.ts";
import { hostTool } from "./tools.ts";
import { posixChecksum, renderJob } from "../../../server/src/runner/keeper/payload.ts";
import { parseStatusReport, type StatusReport } from "../../../server/src/runner/keeper/statusReport.ts";

/** A machine for jobs: its shell, its programs, its GPUs. */
export class Host {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "evotrainer keeper ")));
  readonly runs = join(this.root, "runs");
  readonly environment: NodeJS.ProcessEnv;
  readonly #bin = join(this.root, "bin");

  constructor(shell: (bin: string) => NodeJS.ProcessEnv) {
    mkdirSync(this.#bin);
    mkdirSync(this.runs);
    this.environment = {
      PATH: `${this.#bin}:${process.env["PATH"] ?? ""}`,
      HOME: this.root,
      EVO_LOCKS: join(this.root, "locks"),
      ...shell(this.#bin),
    };
  }

  /** A fake nvidia-smi: so many GPUs, and processes of others on some of them. */
  gpus(count: number, foreign: readonly number[] = []): void {
    const lines = (indices: readonly number[], line: (i: number) => string): string =>
      indices.map((i) => `echo '${line(i)}'`).join("\n");
    const all = Array.from({ length: count }, (_, i) => i);
    writeFileSync(
      join(this.#bin, "nvidia-smi"),
      `#!/bin/sh\ncase $* in\n*utilization*) for i in ${all.join(" ")}; do case " $1 " in *"=$i "* | " --query"*) echo "$((80 + i)), $((1000 + i)), 300.5" ;; esac; done ;;\n--query-gpu=*)\n:\n${lines(all, (i) => `${i}, GPU-${i}`)}\n;;\n*)\n:\n${lines(foreign, (i) => `GPU-${i}`)}\n;;\nesac\n`,
    );
    chmodSync(join(this.#bin, "nvidia-smi"), 0o700);
  }

  ask(args: readonly string[], input: Buffer = Buffer.alloc(0)): string {
    try {
      return execFileSync(join(this.#bin, "sh"), [keeperPath, ...args], {
        env: this.environment,
        input,
        encoding: "utf8",
        cwd: "/",
        stdio: ["pipe", "pipe", "inherit"],
      }).trim();
    } catch (e) {
      if (e instanceof Error && "stdout" in e && typeof e.stdout === "string" && e.stdout !== "")
        return e.stdout.trim();
      throw e;
    }
  }

  /** Starts a command whose input the test controls. */
  begin(args: readonly string[]): ReturnType<typeof spawn> {
    return spawn(join(this.#bin, "sh"), [keeperPath, ...args], {
      env: this.environment,
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  payload(id: string, script: string, more: Partial<JobRequest> = {}): Buffer {
    return renderJob(
      JobSpec.parse({
        id,
        command: ["sh", "-c", script],
        cwd: this.root,
        environment: {},
        budgetSeconds: 300,
        graceSeconds: 0.5,
        ...more,
      }),
    );
  }

  submitPayload(id: string, payload: Buffer): string {
    return this.ask(
      ["submit", this.directory(id), String(payload.length), String(posixChecksum(payload))],
      payload,
    );
  }

  /** Submits a job that a queue starts; returns its directory. */
  submitBatch(id: string, script: string, graceSeconds: number): string {
    const payload = this.payload(id, script, { batch: true, graceSeconds });
    assert.equal(this.submitPayload(id, payload), "submitted new");
    return this.directory(id);
  }

  /** Submits a job and lets the keeper start. */
  start(id: string, script: string, more: Partial<JobRequest> = {}): void {
    assert.equal(this.submitPayload(id, this.payload(id, script, more)), "submitted new");
    this.report(id);
  }

  report(...ids: string[]): StatusReport {
    return parseStatusReport(this.ask(["status", this.runs, ...ids])) ?? assert.fail("no whole report");
  }

  status(id: string): JobStatus | undefined {
    const report = this.report(id);
    const facts = report.jobs.get(id);
    return facts && statusOf(id, facts, report.now);
  }

  async end(id: string): Promise<JobStatus> {
    let asked = -Infinity;
    return until(`${id} is over`, () => {
      // Asking also starts a keeper where it is missing; looking for the file starts no program.
      if (!existsSync(join(this.directory(id), "exit")) && performance.now() - asked < 1000) return undefined;
      asked = performance.now();
      const status = this.status(id);
      return status?.state === "exited" || status?.state === "lost" ? status : undefined;
    });
  }

  reached(id: string, name = "ready"): Promise<true> {
    return until(`${id} wrote ${name}`, () => existsSync(join(this.directory(id), name)) || undefined);
  }

  go(id: string): void {
    writeFileSync(join(this.directory(id), "go"), "");
  }

  cancel(id: string): void {
    assert.equal(this.ask(["cancel", this.directory(id)]), "cancelling");
  }

  directory(id: string): string {
    return join(this.runs, id);
  }

  text(id: string, name: string): string {
    return readFileSync(join(this.directory(id), name), "utf8");
  }

  keeper(id: string): number {
    return readJobFacts(this.directory(id))?.keeper?.pid ?? assert.fail("no keeper");
  }

  leader(id: string): number {
    return readJobFacts(this.directory(id))?.leader?.pid ?? assert.fail("no pid");
  }

  async dispose(): Promise<void> {
    const left = await until("nothing is left", () => processesOf(this.root).length === 0, 10).then(
      () => [],
      () => processesOf(this.root),
    );
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
    assert.deepEqual(left, []);
  }
}

const link = (bin: string, name: string, to: string): void => symlinkSync(to, join(bin, name));
const which = (name: string): string | undefined => {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
};
const applets =
  "sh head cksum flock setsid stat grep sed cut cat mv ln rm mkdir touch date sleep cmp env ls tr find uname timeout cp sync".split(
    " ",
  );

export interface Shell {
  readonly name: string;
  /** Why this shell cannot be tested here. */
  readonly missing: () => string | undefined;
  readonly install: (bin: string) => NodeJS.ProcessEnv;
  readonly canGpus: boolean;
  readonly findsEscapees: boolean;
}
const linked = (name: string): Shell => ({
  name,
  missing: () => (which(name) === undefined ? `there is no ${name}` : undefined),
  install: (bin) => {
    link(bin, "sh", which(name) ?? "");
    return {};
  },
  canGpus: true,
  findsEscapees: true,
});
export const withoutProc: Shell = {
  name: "a system without /proc, flock and setsid",
  missing: () =>
    which("perl") === undefined || which("ps") === undefined ? "perl and ps are needed" : undefined,
  install: (bin) => {
    const programs = madeOnce("programs without flock and setsid", (made) => {
      const hidden = new Set(["flock", "setsid", "sh"]);
      for (const folder of ["/usr/bin", "/bin"])
        for (const name of readdirSync(folder))
          if (!hidden.has(name) && !existsSync(join(made, name))) link(made, name, join(folder, name));
    });
    link(bin, "sh", "/bin/sh");
    return { PATH: `${bin}:${programs}`, EVO_KEEPER_PS: "1" };
  },
  canGpus: false,
  findsEscapees: false,
};
/** The shells and systems that the keeper has to run on. */
export const shells: readonly Shell[] = [
  linked("dash"),
  linked("bash"),
  {
    name: "BusyBox",
    missing: () => (hostTool("busybox") === undefined ? "there is no busybox" : undefined),
    install: (bin) => {
      const busybox = hostTool("busybox") ?? "";
      const known = execFileSync(busybox, ["--list"], { encoding: "utf8" }).split("\n");
      for (const name of applets) if (known.includes(name)) link(bin, name, busybox);
      return {};
    },
    canGpus: true,
    findsEscapees: true,
  },
  withoutProc,
];

/** Puts programs into `bin` that a signal ends every second time that the same process starts them. */
export function endedEverySecondTime(bin: string, programs: readonly string[]): void {
  for (const name of programs) {
    const program = which(name) ?? assert.fail(`there is no ${name}`);
    const turn = join(bin, `${name}.$PPID`);
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nif mkdir "${turn}" 2>/dev/null; then kill -TERM $$; fi\nrmdir "${turn}"\nexec ${program} "$@"\n`,
    );
    chmodSync(join(bin, name), 0o700);
  }
}
