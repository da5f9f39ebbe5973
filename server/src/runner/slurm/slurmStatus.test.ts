import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { hostPrograms } from "../../../../test/support/runner/jobs.ts";
import { parseStatusReport } from "../keeper/statusReport.ts";

describe("the status of many jobs of Slurm", () => {
  let root = "";
  before(function () {
    if (process.platform === "win32") skipBecause(this, "hosts of jobs have a POSIX shell");
  });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo slurm status ")));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Asks for three jobs with a squeue that ends so; gives their ids and how often squeue was called. */
  function ask(end: string): { ids: string[]; calls: number } {
    const ids = ["a", "b", "c"];
    const calls = join(root, "calls");
    const squeue = join(root, "bin/squeue");
    mkdirSync(join(root, "bin"));
    writeFileSync(squeue, `#!/bin/sh\necho >>'${calls}'\n${end}\n`);
    chmodSync(squeue, 0o700);
    ids.forEach((id, i) => {
      const directory = join(root, "runs", id);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, "job"), "#batch\n#end\n");
      writeFileSync(join(directory, "slurm.job"), `${i + 1}\n`);
    });
    const { slurm, keeper } = hostPrograms;
    const answer = execFileSync("/bin/sh", [slurm, "status", keeper, join(root, "runs"), ...ids], {
      env: { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}` },
      encoding: "utf8",
    });
    const report = parseStatusReport(answer) ?? assert.fail("no whole report");
    return { ids: [...report.jobs.keys()], calls: readFileSync(calls, "utf8").length };
  }
  const queued = (id: string): string => join(root, "runs", id, "slurm.queue");

  it("asks Slurm once for all of them", () => {
    assert.deepEqual(ask("printf '%s\\n' '1 RUNNING None' '2 PENDING Priority' '3 RUNNING None'"), {
      ids: ["a", "b", "c"],
      calls: 1,
    });
    assert.deepEqual(
      ["a", "b", "c"].map((id) => readFileSync(queued(id), "utf8")),
      ["RUNNING None\n", "PENDING Priority\n", "RUNNING None\n"],
    );
  });

  it("does not ask a controller that is away again for each, and still answers", () => {
    assert.deepEqual(ask("exit 1"), { ids: ["a", "b", "c"], calls: 1 });
    assert.equal(existsSync(queued("a")), false);
  });
});
