import assert from "node:assert/strict";
import { SaidFailures } from "./saidFailures.ts";

const ended = (version: string, seed: number, message: string) =>
  ({ type: "jobEnded", version, seed, ok: false, message, seconds: 1 }) as const;
const log = (job: string): string =>
  `The trainer exited with 1 before its first evidence (last line: No GPU.); see /p/.evotrainer/runs/${job}/stderr.log.`;

describe("failures of jobs in a terminal", () => {
  it("are said once for each version, whatever repeats them", () => {
    const said = new SaidFailures();
    assert.deepEqual(said.once(ended("v1", 1, log("v1.train.s1"))), ended("v1", 1, log("v1.train.s1")));
    assert.deepEqual(
      said.once(ended("v1", 2, log("v1.train.s2"))),
      ended("v1", 2, "It failed with seed 2 in the same way."),
    );
    const other = ended("v2", 1, log("v2.train.s1"));
    assert.deepEqual(said.once(other), other);
    const reason = `its job crashed: ${log("v1.train.s1")}`;
    const decided = { type: "decided", version: "v1", decision: "reject", stage: null, score: null } as const;
    assert.deepEqual(said.once({ ...decided, reason }), { ...decided, reason: "its job crashed." });
    assert.equal(
      said.withLogs(`v1 cannot be used: ${reason} Mend it.`),
      "v1 cannot be used: its job crashed. `evotrainer logs v1.train.s1` shows what it printed. Mend it.",
    );
  });

  it("are left where they were not said yet", () => {
    const reason = `v1 cannot be used: its job crashed: ${log("v1.train.s1")}`;
    assert.equal(new SaidFailures().withLogs(reason), reason);
  });
});
