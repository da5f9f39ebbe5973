import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { skipBecause } from "../../support/base/skip.ts";
import { slurmProblem, startTestSlurm, type TestSlurm } from "../../support/slurm/slurm.ts";
import { hostProblem, startTestHost, type TestHost } from "../../support/ssh/host.ts";
import { comparable, evotrainer, lineageOf, stateOf } from "../../engine/cli.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { keepEnvironment } from "../../support/base/environment.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

const Record = z.object({
  process: z.object({ pid: z.number() }),
  ended: z.object({ how: z.string() }).nullable(),
});

/** The example as it ships takes minutes; a policy that is hardly trained shows the same about where it is. */
const shortened = process.env["EVOTRAINER_WHOLE_EXAMPLE"] === undefined;

describe("an evolution of the embedded example, started from the editor", function () {
  this.timeout(600_000);
  const restoreEnvironment = keepEnvironment();
  let folder = "";
  let host: TestHost | undefined;
  let slurm: TestSlurm | undefined;
  let session: EditorSession | undefined;
  let bench: Workbench;
  let expected: unknown;

  before(async function () {
    const problem = hostProblem() ?? slurmProblem();
    if (problem !== undefined) skipBecause(this, problem);
    folder = mkdtempSync(join(tmpdir(), "evo places "));
    mkdirSync(join(folder, "slurm"));
    host = await startTestHost();
    slurm = await startTestSlurm();
    const env = {
      EVOTRAINER_SSH: host.program,
      SLURM_CONF: slurm.configuration,
      EVO_SLURM_SETTLE: "1",
    };
    Object.assign(process.env, env);
    session = await EditorSession.start({ env });
  });
  after(async () => {
    restoreEnvironment();
    await session?.stop();
    await slurm?.stop();
    await host?.stop();
    if (folder !== "") await removeInUse(folder);
  });
  keepFailures(() => bench);

  function project(name: string): string {
    const root = join(folder, name);
    assert.equal(evotrainer(folder, "init", name).code, 0);
    const file = join(root, "evotrainer.yaml");
    const path = `environment: { PATH: "${dirname(process.execPath)}:/usr/bin:/bin" }`;
    writeFileSync(
      file,
      `${readFileSync(file, "utf8")}hosts:
  box: { ssh: testhost, ${path} }
  cluster: { local: true, directory: ${JSON.stringify(join(folder, "slurm"))}, slurm: { partition: gpu, memory: 1G }, ${path} }
`,
    );
    if (shortened) {
      replace(join(root, "harness/train.yaml"), "steps: 80", "steps: 8");
      replace(join(root, "harness/train.yaml"), "demonstrations: 3000", "demonstrations: 400");
      for (const path of ["harness/evaluation.yaml", "evotrainer.yaml"])
        replace(join(root, path), "samples: 4", "samples: 1");
    }
    execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.invalid", ...commit]);
    return root;
  }

  const commit = ["commit", "--quiet", "--all", "--message", "Two places more"];
  function replace(file: string, from: string, to: string): void {
    const text = readFileSync(file, "utf8");
    assert.ok(text.includes(from));
    writeFileSync(file, text.replace(from, to));
  }

  const record = (root: string): z.infer<typeof Record> =>
    Record.parse(JSON.parse(readFileSync(join(root, ".evotrainer/evolution.json"), "utf8")));

  /** Begins a generation, kills the engine in the middle of training, goes on, and gives the lineage in the end. */
  async function evolve(name: string, place: string, unplug: () => void = () => undefined): Promise<unknown> {
    const root = project(name);
    assert.ok(session);
    ({ bench } = await session.open(root));
    await bench.ready("evotrainer.yaml");
    await bench.commandThatAsks("EvoTrainer: Run a Generation", place);
    await until("it trains", () => stateOf(root) === "baseline/train");
    process.kill(record(root).process.pid, "SIGKILL");
    unplug();
    await bench.reloadWindow();
    await bench.ready("evotrainer.yaml");
    await bench.command("View: Show EvoTrainer");
    await bench.page
      .locator(".pane-body .monaco-list-row", { hasText: "Its process was killed" })
      .first()
      .waitFor({ timeout: 60_000 * patience });
    await bench.shot(`places-killed-${name}`);
    await bench.command("EvoTrainer: Continue Evolution");
    for (let round = 0; round < 10 && record(root).ended === null; round++)
      await until("it has ended", () => record(root).ended !== null).catch(() => undefined);
    assert.equal(record(root).ended?.how, "done");
    const report = lineageOf(root);
    assert.ok(report.versions.length >= 3);
    return comparable(report);
  }

  it("runs here, though the engine is killed in the middle", async () => {
    expected = await evolve("here", "This machine");
  });

  it("gives the same lineage on an SSH host, though the engine is killed and the network freezes in the middle", async () => {
    const lineage = await evolve("ssh", "box", () => {
      host?.proxy.freeze();
      setTimeout(() => {
        host?.proxy.reset();
        host?.proxy.thaw();
      }, 3000);
    });
    assert.deepEqual(lineage, expected);
  });

  it("gives the same lineage on three Slurm nodes, though the engine is killed in the middle", async () => {
    assert.deepEqual(await evolve("slurm", "cluster"), expected);
  });
});
