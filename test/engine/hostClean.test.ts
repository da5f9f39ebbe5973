import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { hostProblem, startTestHost, type TestHost } from "../support/ssh/host.ts";
import { runEvotrainer } from "./cli.ts";
import { makeToyProject, oneChange, testedOnce, toyFiles } from "./toyProject.ts";

describe("evotrainer host clean", function () {
  this.timeout(240_000);
  let started: TestHost | undefined;
  let host: TestHost;
  let root = "";
  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    started = host = await startTestHost();
    process.env["EVOTRAINER_SSH"] = host.program;
    root = makeToyProject({
      "evotrainer.yaml": `${oneChange(testedOnce(toyFiles["evotrainer.yaml"] ?? ""))}hosts:
  box:
    ssh: testhost
    environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" }
    compress: gzip
    bandwidth: 50
    artefacts: { policies: kept, files: ["rollout?.jsonl"], quota: 1 }
`,
    });
  });
  after(async () => {
    delete process.env["EVOTRAINER_SSH"];
    if (root !== "") rmSync(root, { recursive: true, force: true });
    await started?.stop();
  });

  interface Item {
    readonly kind: string;
    readonly name: string;
    readonly kept: string | null;
  }
  async function clean(...args: string[]): Promise<Item[]> {
    const ran = await runEvotrainer(root, "host", "clean", "box", "--json", ...args);
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout) as Item[];
  }

  it("removes files that are here byte for byte, and the evolution continues", async () => {
    const first = await runEvotrainer(root, "evolve", "--generations", "1", "--host", "box");
    assert.equal(first.code, 0, first.stderr);
    const [own = ""] = readdirSync(join(host.home, ".evotrainer/work"));
    const runs = join(host.home, ".evotrainer/work", own, "runs");
    const all = readdirSync(runs).sort();
    assert.ok(all.length >= 2);
    assert.ok(existsSync(join(root, ".evotrainer/runs", all[0] ?? "", "artefacts/rollouts.jsonl")));
    // Only those of versions that count have come back.
    const kept = all.filter((run) => existsSync(join(root, ".evotrainer/runs", run, "policy")));
    assert.ok(kept.length > 0 && kept.length <= all.length);
    const gone = await clean("--dry-run");
    assert.deepEqual(gone.flatMap((i) => (i.kind === "run" && i.kept === null ? [i.name] : [])).sort(), all);
    assert.deepEqual(readdirSync(runs).sort(), all);
    assert.ok((await clean("--older-than", "1d")).every((i) => i.kept === "it is younger than that"));
    const [changed = "", unpoliced = ""] = kept;
    appendFileSync(join(runs, changed, "rollouts.jsonl"), "{}\n");
    if (unpoliced !== "") rmSync(join(root, ".evotrainer/runs", unpoliced, "policy"), { recursive: true });
    const after = await clean();
    assert.match(
      after.find((i) => i.name === changed)?.kept ?? "",
      /rollouts\.jsonl has no identical copy here/,
    );
    if (unpoliced !== "")
      assert.match(after.find((i) => i.name === unpoliced && i.kind === "run")?.kept ?? "", /policy/);
    const left = [changed, unpoliced].filter((name) => name !== "").sort();
    assert.deepEqual(readdirSync(runs).sort(), left);
    const second = await runEvotrainer(root, "evolve", "--generations", "2", "--host", "box");
    assert.equal(second.code, 0, second.stderr);
    assert.equal((await runEvotrainer(root, "host", "clean", "box", "--older-than", "soon")).code, 2);
    assert.match((await runEvotrainer(root, "host", "clean", "box")).stdout, /of \d+ removed/);
  });
});
