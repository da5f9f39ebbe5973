import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Suite } from "mocha";
import type { JobStatus } from "../../../server/src/runner/job/executor.ts";
import { readJobFacts } from "../../../server/src/runner/job/jobDirectory.ts";
import { skipBecause } from "../base/skip.ts";
import { makeTestJobs, until, type TestJobs } from "./jobs.ts";

/** What tests of the local executor say of their jobs. */
export interface LocalJobs {
  /** Of the test that runs. */
  readonly jobs: TestJobs;
  readonly file: (id: string, name: string) => string;
  readonly finish: (script: string, more?: Parameters<TestJobs["start"]>[1]) => Promise<JobStatus>;
  /** A script says where it is by a file in its run directory. */
  readonly reached: (id: string, name: string) => Promise<unknown>;
  readonly keeperOf: (id: string) => number;
  readonly leaderOf: (id: string) => number;
}

/** Gives each test of a suite jobs of its own; the suite is skipped where there is no /proc. */
export function useLocalJobs(suite: Suite): LocalJobs {
  suite.timeout(60_000);
  before(function () {
    if (process.platform !== "linux") skipBecause(this, "the keeper reads /proc, which only Linux has");
  });
  let jobs: TestJobs;
  beforeEach(() => {
    jobs = makeTestJobs();
  });
  afterEach(() => jobs.dispose());
  const pidOf = (id: string, of: "keeper" | "leader"): number =>
    readJobFacts(join(jobs.runs, id))?.[of]?.pid ?? assert.fail(`no ${of}`);
  return {
    get jobs() {
      return jobs;
    },
    file: (id, name) => readFileSync(join(jobs.runs, id, name), "utf8"),
    finish: async (script, more = {}) => jobs.executor.wait(await jobs.start(script, more)),
    reached: (id, name) => until(`${id} wrote ${name}`, () => existsSync(join(jobs.runs, id, name))),
    keeperOf: (id) => pidOf(id, "keeper"),
    leaderOf: (id) => pidOf(id, "leader"),
  };
}

/** A script that counts the TERM signals it gets and goes on. */
export const stubborn = `trap 'echo TERM >>"$EVO_RUN_DIR/terms"' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`;
