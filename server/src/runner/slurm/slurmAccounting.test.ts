import assert from "node:assert/strict";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { until } from "../../../../test/support/runner/jobs.ts";
import { accountingProblem, withAccounting } from "../../../../test/support/slurm/accounting.ts";
import { hungryScript, startTestCluster, type TestCluster } from "../../../../test/support/slurm/cluster.ts";
import { slurmProblem } from "../../../../test/support/slurm/slurm.ts";

describe("Slurm jobs with accounting", function () {
  this.timeout(150_000);
  let started: TestCluster | undefined;
  let cluster: TestCluster;
  before(async function () {
    const problem = slurmProblem() ?? accountingProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = cluster = await startTestCluster(await withAccounting());
  });
  after(() => started?.stop());

  it("keep their duration and usage for ever, even when the keeper could not record them", async () => {
    const e = cluster.executor({ memory: "60M" });
    await e.submit(cluster.job("fails", "exit 3"));
    await e.submit(cluster.job("hungry", hungryScript));
    await until("both are in the queue", () => cluster.entriesOf("hungry").length === 1);
    await until(
      "the controller has forgotten both",
      () => cluster.slurm.ask("squeue", "-h", "-t", "all") === "",
      120,
    );
    const another = cluster.executor();
    const [fails, hungry] = await Promise.all([another.wait("fails"), another.wait("hungry")]);
    assert.deepEqual([fails.state, fails.exitCode], ["exited", 3]);
    assert.deepEqual([hungry.state, hungry.signal], ["exited", "SIGKILL"]);
    assert.match(hungry.because ?? "", /more memory than Slurm gave it \([1-9]\d+ MiB at its peak\)/);
    assert.ok(hungry.seconds > 0);
  });
});
