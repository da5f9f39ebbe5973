import assert from "node:assert/strict";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { slurmProblem } from "../../../../test/support/slurm/slurm.ts";
import { hostProblem } from "../../../../test/support/ssh/host.ts";
import { reportOf } from "../../../../test/support/soak/report.ts";
import { soak } from "../../../../test/support/soak/soak.ts";

/** `npm run soak` goes on for longer, and with other seeds. */
const seed = 11;

describe("a soak test of jobs on an SSH host", function () {
  this.timeout(300_000);
  before(function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
  });

  it("reports every job truthfully, fetches every byte once, starts nothing twice and leaves nothing behind", async () => {
    const report = await soak({ faults: 10, seed });
    assert.deepEqual(report.wrong, [], reportOf(report, seed));
    assert.ok(report.jobs >= 5 && report.bytes > 100_000, reportOf(report, seed));
  });

  it("does the same for Slurm jobs whose nodes and controller fail", async function () {
    const problem = slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    const report = await soak({ faults: 8, seed, slurm: true });
    assert.deepEqual(report.wrong, [], reportOf(report, seed));
    assert.ok((report.faults.get("node lost") ?? 0) > 0, reportOf(report, seed));
  });
});
