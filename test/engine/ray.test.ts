import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { skipBecause } from "../support/base/skip.ts";
import { rayProblem, startRealRay } from "../support/ray/realRay.ts";
import { startRecordedRay } from "../support/ray/recordedRay.ts";
import type { TestRay } from "../support/ray/startRay.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { comparable, lineageOf, startEvotrainer, stateOf } from "./cli.ts";
import { oneChangeLineage } from "./finishedProject.ts";
import { makeToyProject, oneChangeFiles } from "./toyProject.ts";

for (const { name, problem, start } of [
  { name: "recorded answers of Ray", problem: () => undefined, start: startRecordedRay },
  { name: "a real Ray", problem: rayProblem, start: startRealRay },
])
  describe(`evolve on Ray over ssh, with ${name}`, function () {
    this.timeout(400_000);
    const made: string[] = [];
    let host: TestHost | undefined;
    let ray: TestRay | undefined;
    before(async function () {
      const why = problem() ?? hostProblem();
      if (why !== undefined) skipBecause(this, why);
      ray = await start();
      host = await startTestHost();
      process.env["EVOTRAINER_SSH"] = host.program;
    });
    after(async () => {
      delete process.env["EVOTRAINER_SSH"];
      for (const root of made) rmSync(root, { recursive: true, force: true });
      await ray?.stop();
      await host?.stop();
    });
    // The dashboard is in this process, which must not stand still meanwhile.
    const ended = async (cwd: string, ...args: string[]): Promise<unknown> =>
      once(startEvotrainer(cwd, ...args), "exit");

    it("gives the same lineage as on this machine, even if the engine is killed on the way", async () => {
      const there = makeToyProject({
        "evotrainer.yaml": `${oneChangeFiles["evotrainer.yaml"] ?? ""}hosts: { cluster: { ssh: testhost, ray: { address: "${ray?.address ?? ""}" }, environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" } } }\n`,
      });
      made.push(there);
      assert.deepEqual(await ended(there, "doctor", "cluster"), [0, null]);
      const killed = startEvotrainer(there, "evolve", "--generations", "1", "--host", "cluster");
      while (stateOf(there) !== "baseline/train" && killed.exitCode === null) await delay(5);
      killed.kill("SIGKILL");
      await once(killed, "exit");
      host?.proxy.reset();
      assert.deepEqual(await ended(there, "evolve", "--generations", "1", "--host", "cluster"), [0, null]);
      assert.deepEqual(comparable(lineageOf(there)), oneChangeLineage());
    });
  });
