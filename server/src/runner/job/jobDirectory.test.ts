import assert from "node:assert/strict";
import { classifyJob } from "./failure.ts";
import { factsOf, statusOf } from "./jobDirectory.ts";
import type { JobEntry } from "./jobEnd.ts";

const entry = (line: string): JobEntry => ({ line, modified: new Date(2000) });
const pid = "7 100 boot 4000 1";
function ended(exit: string | undefined, slurmEnd: string | undefined, more: Record<string, string> = {}) {
  const entries = new Map(
    Object.entries({ job: "", "slurm.job": "12", ...more }).map(([k, v]) => [k, entry(v)]),
  );
  if (exit !== undefined) entries.set("exit", entry(exit));
  if (slurmEnd !== undefined) entries.set("slurm.end", entry(slurmEnd));
  return statusOf("j", factsOf(entries), new Date(3000));
}

describe("a Slurm job", () => {
  const cases: [string, string | undefined, string | undefined, object][] = [
    ["waits", undefined, undefined, { state: "queued", reason: "Slurm says PENDING (Priority)" }],
    ["succeeds before Slurm says so", "code.0 100 2 ", undefined, { state: "exited", exitCode: 0 }],
    [
      "is not over after a signal until Slurm says who sent it",
      "code.137 100 2 ",
      undefined,
      { state: "running" },
    ],
    ["crashes", "code.3 100 2 ", "COMPLETED 3:0", { state: "exited", exitCode: 3, cancelled: false }],
    ["runs out of memory", "code.137 100 2 ", "OUT_OF_MEMORY 0:125", { state: "exited", signal: "SIGKILL" }],
    ["runs past Slurm's limit", "slurm.timeout 100 2 ", "TIMEOUT 0:0", { state: "exited", timedOut: true }],
    [
      "is cancelled by somebody else",
      "code.143 100 2 ",
      "CANCELLED 0:15",
      { state: "exited", cancelled: true },
    ],
    ["loses its node", "slurm.killed 100 2 ", "NODE_FAIL 0:0", { state: "lost", reason: "its node failed" }],
    ["is preempted with a code", "code.1 100 2 ", "PREEMPTED 0:0", { state: "lost" }],
    ["never starts", "unstarted.killed 0 2 ", "LAUNCH_FAILED 0:0", { state: "lost" }],
    ["is forgotten", "slurm.killed 100 2 ", "GONE", { reason: "Slurm no longer knows it" }],
  ];
  for (const [what, exit, state, expected] of cases)
    it(what, () => {
      const more = what === "waits" ? { "slurm.queue": "PENDING Priority" } : { pid };
      const status = ended(exit, state, more);
      assert.deepEqual({ ...status, ...expected }, status);
    });

  it("that runs out of memory is a crash, and the message says what to raise", () => {
    const { failure, message } = classifyJob({
      status: ended("code.137 100 2 ", "OUT_OF_MEMORY 0:125", { pid }),
      evidence: {
        items: { train: new Set(), selection: new Set(), audit: new Set() },
        rollouts: { train: 3, selection: 0, audit: 0 },
        samples: { train: new Map(), selection: new Map(), audit: new Map() },
        lastSplit: "train",
        badLines: 0,
        metricsBytes: 0,
        bytes: 1,
      },
      expected: [],
      samples: null,
      altered: undefined,
      budgetSeconds: 1,
      evidenceLimitBytes: 10,
      lastLine: "Killed",
      directory: "/runs/j",
    });
    assert.equal(failure, "crash");
    assert.match(message, /SIGKILL .*because it used more memory than Slurm gave it; raise slurm.memory/);
  });
});
