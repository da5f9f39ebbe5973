import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { startTestCluster, type TestCluster } from "../../../../test/support/slurm/cluster.ts";
import { slurmProblem } from "../../../../test/support/slurm/slurm.ts";

const template = join(import.meta.dirname, "../../../../examples/verl/multi-node/ray_nodes.sh");

/** In place of ray: notes where it was started and how, and stays until it is stopped, as with --block. */
const ray = (folder: string): string => `#!/bin/bash
case $1 in
  start) echo "$SLURMD_NODENAME $*" >>'${folder}/started.'"$SLURMD_NODENAME"
    until grep -q '^stop$' '${folder}/started.'"$SLURMD_NODENAME"; do sleep 0.1; done ;;
  stop) echo stop >>'${folder}/started.'"$SLURMD_NODENAME" ;;
  status) echo Active:; for one in '${folder}'/started.*; do echo " 1 node_$one"; done ;;
esac
`;

describe("a job on all nodes of a Slurm cluster", function () {
  this.timeout(120_000);
  let cluster: TestCluster | undefined;
  before(async function () {
    const problem = slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    cluster = await startTestCluster();
  });
  after(() => cluster?.stop());

  /** Runs the template on three nodes until it has ended; returns its folder and exit code. */
  async function runs(
    id: string,
    command: string,
    program = "",
  ): Promise<{ readonly folder: string; readonly code: number | null }> {
    assert.ok(cluster);
    const folder = join(cluster.root, id);
    mkdirSync(folder);
    cpSync(template, join(folder, "ray_nodes.sh"));
    writeFileSync(join(folder, "ray"), program === "" ? ray(folder) : `#!/bin/sh\n${program}\n`, {
      mode: 0o755,
    });
    const executor = cluster.executor({ nodes: 3 });
    const script = `cd '${folder}' && PATH='${folder}':$PATH exec bash ray_nodes.sh ${command}`;
    await executor.submit(cluster.job(id, script));
    const status = await executor.wait(id);
    return { folder, code: status.exitCode };
  }

  it("has Ray's head where the command runs, a worker on each other node, and no Ray once the command has ended", async () => {
    const { folder, code } = await runs(
      "three",
      `sh -c 'echo "$SLURMD_NODENAME $RAY_ADDRESS" >command; exit 7'`,
    );
    assert.equal(code, 7);
    const [node = "", address = ""] = readFileSync(join(folder, "command"), "utf8").trim().split(" ");
    assert.match(address, /^[\d.]+:2\d{4}$|^[\d.]+:3[01]\d{3}$/);
    const linesOf = (name: string): string[] =>
      readFileSync(join(folder, `started.${name}`), "utf8")
        .trim()
        .split("\n");
    for (const name of ["n1", "n2", "n3"]) {
      const expected =
        name === node
          ? `${name} start --head --block --node-ip-address=${address.split(":")[0] ?? ""} --port=${address.split(":")[1] ?? ""}`
          : `${name} start --block --address=${address}`;
      assert.deepEqual(linesOf(name), [expected, "stop"], name);
    }
  });

  it("starts torchrun on all nodes with the script of the page, and joins what they wrote", async () => {
    assert.ok(cluster);
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/slurm.md"), "utf8");
    const [, script] = /```sh\n(# train_nodes\.sh\n[^]*?)```/.exec(page) ?? [];
    assert.ok(script);
    const folder = join(cluster.root, "all nodes");
    mkdirSync(folder);
    writeFileSync(join(folder, "train_nodes.sh"), script);
    // In place of torchrun: notes what it was given, and writes the rollouts of its node.
    const torchrun = `#!/bin/sh
printf '%s\\n' "$*" >"started.$SLURMD_NODENAME"
echo "{\\"node\\": \\"$SLURMD_NODENAME\\", \\"seed\\": $EVO_SEED}" >"$EVO_RUN_DIR/rollouts.$SLURM_PROCID.jsonl"\n`;
    writeFileSync(join(folder, "torchrun"), torchrun, { mode: 0o755 });
    const executor = cluster.executor({ nodes: 3 });
    const start = `cd '${folder}' && EVO_RUN_DIR='${folder}' EVO_SEED=7 PATH='${folder}':$PATH exec bash train_nodes.sh`;
    await executor.submit(cluster.job("all", start));
    const { exitCode } = await executor.wait("all");
    assert.equal(exitCode, 0);
    const given = ["n1", "n2", "n3"].map((name) => readFileSync(join(folder, `started.${name}`), "utf8"));
    assert.match(given[0] ?? "", /^--nnodes=3 --nproc-per-node=gpu .* train\.py\n$/);
    assert.equal(new Set(given).size, 1, "all nodes are to meet at one place");
    const rows = readFileSync(join(folder, "rollouts.jsonl"), "utf8").trim().split("\n").sort();
    assert.deepEqual(
      rows,
      ["n1", "n2", "n3"].map((node) => `{"node": "${node}", "seed": 7}`),
    );
  });

  it("says so where Ray ends before all nodes have joined, and does not run the command", async () => {
    assert.ok(cluster);
    const { folder, code } = await runs("none", "touch command", "exit 3");
    assert.equal(code, 1);
    assert.equal(existsSync(join(folder, "command")), false);
    assert.match(
      readFileSync(join(cluster.copyOf("none"), "stderr.log"), "utf8"),
      /Ray ended before all nodes had joined/,
    );
  });
});
