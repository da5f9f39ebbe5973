import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { readJobFacts } from "../job/jobDirectory.ts";
import { until } from "../../../../test/support/runner/jobs.ts";
import { Host, shells } from "../../../../test/support/runner/keeper.ts";

const started = `echo "$CUDA_VISIBLE_DEVICES" >"$EVO_RUN_DIR/ready"; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done`;

/** The text of a file; "" while there is none. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

for (const shell of shells)
  describe(`the GPUs of a keeper under ${shell.name}`, function () {
    this.timeout(60_000);
    let host: Host;
    before(function () {
      if (process.platform !== "linux") skipBecause(this, "the test looks into /proc, which only Linux has");
      if (!shell.canGpus) skipBecause(this, "GPUs need flock of util-linux");
      const missing = shell.missing();
      if (missing !== undefined) skipBecause(this, missing);
    });
    beforeEach(() => {
      host = new Host(shell.install);
    });
    afterEach(() => host.dispose());

    const gpuOf = async (id: string): Promise<string> => {
      await until(
        `${id} has its GPUs`,
        () => existsSync(join(host.directory(id), "ready")) && host.text(id, "ready") !== "",
      );
      return host.text(id, "ready").trim();
    };

    it("go to one job each, in the order of submission, and GPUs used by others are skipped", async () => {
      host.gpus(3, [1]);
      for (const id of ["g1", "g2", "g3", "g4"]) host.start(id, started, { gpus: id === "g3" ? 2 : 1 });
      assert.deepEqual([await gpuOf("g1"), await gpuOf("g2")], ["0", "2"]);
      await until("g4 waits", () => host.status("g4")?.reason === "it waits for a GPU");
      host.go("g1");
      await host.end("g1");
      // g4 could have the GPU, but g3 came before and would wait for ever.
      const waiting = join(host.directory("g3"), "waiting");
      // The file is written anew while it is looked at.
      await until("g3 has seen the free GPU", () => textOf(waiting) === "2 3 1\n");
      assert.equal(existsSync(join(host.directory("g4"), "ready")), false);
      host.go("g2");
      assert.equal(await gpuOf("g3"), "0,2");
      host.go("g3");
      assert.match(await gpuOf("g4"), /^[02]$/);
      host.go("g4");
      for (const id of ["g2", "g3", "g4"]) assert.equal((await host.end(id)).exitCode, 0);
    });

    it("belong to a job as long as it lives, whoever is killed", async () => {
      host.gpus(1);
      host.start("h1", started, { gpus: 1 });
      await gpuOf("h1");
      const leader = host.leader("h1");
      process.kill(host.keeper("h1"), "SIGKILL");
      host.start("h2", started, { gpus: 1 });
      await until("h2 has looked", () => existsSync(join(host.directory("h2"), "waiting")));
      assert.equal(host.status("h1")?.state, "running");
      await until(
        "h1 is adopted",
        () => host.status("h1") && readJobFacts(host.directory("h1"))?.keepers === 2,
      );
      process.kill(host.keeper("h1"), "SIGKILL");
      process.kill(-leader, "SIGKILL");
      assert.equal(await gpuOf("h2"), "0");
      assert.equal((await host.end("h1")).state, "lost");
      host.go("h2");
      assert.equal((await host.end("h2")).exitCode, 0);
    });

    it("are too few for some jobs: such a job says so, lets others pass, and can be cancelled", async () => {
      host.gpus(2);
      host.start("many", started, { gpus: 9 });
      await until(
        "it says so",
        () => host.status("many")?.reason === "it wants 9 GPUs and the machine has 2",
      );
      host.start("few", started, { gpus: 1 });
      assert.equal(await gpuOf("few"), "0");
      host.go("few");
      await host.end("few");
      host.cancel("many");
      const end = await host.end("many");
      assert.deepEqual([end.state, end.cancelled, end.seconds], ["exited", true, 0]);
      assert.equal(existsSync(join(host.directory("many"), "pid")), false);
    });

    it("come in the same turn to a waiting job whose keeper was killed", async () => {
      host.gpus(1);
      host.start("first", started, { gpus: 1 });
      await gpuOf("first");
      host.start("second", started, { gpus: 1 });
      host.start("third", started, { gpus: 1 });
      for (const id of ["second", "third"])
        await until(`${id} waits`, () => existsSync(join(host.directory(id), "waiting")));
      process.kill(host.keeper("second"), "SIGKILL");
      await until(
        "it is kept again",
        () => host.status("second") && readJobFacts(host.directory("second"))?.keepers === 2,
      );
      host.go("first");
      assert.equal(await gpuOf("second"), "0");
      assert.equal(existsSync(join(host.directory("third"), "ready")), false);
      for (const id of ["second", "third"]) {
        await gpuOf(id);
        host.go(id);
        await host.end(id);
      }
    });

    it("are measured while the job runs, as metrics at its latest step", async () => {
      host.gpus(2, [0]);
      host.environment["EVO_GPU_SAMPLING"] = "20";
      const step = `echo '{"step": 7, "reward": 1}' >>"$EVO_RUN_DIR/metrics.jsonl"; ${started}`;
      host.start("hot", step, { gpus: 1 });
      assert.equal(await gpuOf("hot"), "1");
      const line = await until("a sample", () => {
        const path = join(host.directory("hot"), "gpu.jsonl");
        return existsSync(path) ? readFileSync(path, "utf8").split("\n").at(-2) : undefined;
      });
      assert.deepEqual(JSON.parse(line), {
        step: 7,
        gpu_util: 81,
        gpu_memory_mib: 1001,
        gpu_power_watts: 300.5,
      });
      assert.ok(host.report("hot").files.get("hot")?.has("gpu.jsonl"));
      host.go("hot");
      assert.equal((await host.end("hot")).exitCode, 0);
    });

    it("are measured into no file that a job laid a link to", async () => {
      host.gpus(1);
      host.environment["EVO_GPU_SAMPLING"] = "20";
      const step = `: >"$EVO_RUN_DIR/elsewhere"; ln -s elsewhere "$EVO_RUN_DIR/gpu.jsonl"; ${started}`;
      host.start("linked", step, { gpus: 1 });
      await gpuOf("linked");
      host.start("hot", started, { gpus: 0 });
      await until("a later job is measured", () => existsSync(join(host.directory("hot"), "gpu.jsonl")));
      assert.equal(host.text("linked", "elsewhere"), "");
      for (const id of ["linked", "hot"]) {
        host.go(id);
        assert.equal((await host.end(id)).exitCode, 0);
      }
    });
  });
