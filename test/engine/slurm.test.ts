import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { skipBecause } from "../support/base/skip.ts";
import { slurmProblem, startTestSlurm, type TestSlurm } from "../support/slurm/slurm.ts";
import { pageOf, Reader } from "../support/pages/tryPage.ts";
import { comparable, lineageOf, startEvotrainer, stateOf } from "./cli.ts";
import { oneChangeLineage } from "./finishedProject.ts";
import { makeToyProject, oneChangeFiles } from "./toyProject.ts";
import { keepEnvironment } from "../support/base/environment.ts";

describe("evolve on Slurm", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const restoreEnvironment = keepEnvironment();
  let started: TestSlurm | undefined;
  let work = "";
  before(async function () {
    const problem = slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = await startTestSlurm();
    const home = mkdtempSync(join(tmpdir(), "evo slurm home "));
    made.push(home);
    work = join(home, "work");
    mkdirSync(work);
    process.env["SLURM_CONF"] = started.configuration;
    process.env["EVO_SLURM_SETTLE"] = "1";
  });
  after(async () => {
    restoreEnvironment();
    await started?.stop();
    for (const folder of made) rmSync(folder, { recursive: true, force: true });
  });

  const projectThere = (): string => {
    const host = `hosts: { cluster: { local: true, directory: "${work}", slurm: { partition: gpu }, environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" } } }\n`;
    const there = makeToyProject({ "evotrainer.yaml": `${oneChangeFiles["evotrainer.yaml"] ?? ""}${host}` });
    made.push(there);
    return there;
  };

  it("is examined as docs/slurm.md shows", () => {
    const reader = new Reader();
    try {
      reader.tryPage(pageOf("slurm.md"), (folder) => cpSync(projectThere(), folder, { recursive: true }));
    } finally {
      reader.end();
    }
  });

  it("gives the same lineage as on this machine, even if the engine is killed on the way", async () => {
    const there = projectThere();
    const killed = startEvotrainer(there, "evolve", "--generations", "1", "--host", "cluster");
    while (stateOf(there) !== "baseline/train" && killed.exitCode === null) await delay(5);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const child = startEvotrainer(there, "evolve", "--generations", "1", "--host", "cluster");
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.deepEqual(comparable(lineageOf(there)), oneChangeLineage());
  });
});
