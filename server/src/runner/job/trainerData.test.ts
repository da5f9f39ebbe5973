import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import type { Executor } from "./executor.ts";
import { LocalExecutor } from "../local.ts";
import { runJob } from "../runVersion.ts";
import type { JobOutcome } from "./outcome.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { HostWork } from "../ssh/hostWork.ts";
import { SshExecutor } from "../ssh/sshExecutor.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";
import { hostPrograms, keeperPath } from "../../../../test/support/runner/jobs.ts";
import { testProject, testProjectFiles } from "../../../../test/support/runner/project.ts";

const folder = "large/it's a corpus";
const body = `cat "${folder}/part/text" "model.bin" >"$EVO_RUN_DIR/read"
printf '%s' "$EVO_DATA" >"$EVO_RUN_DIR/stdin.told"
cat "$EVO_RUN_DIR/read" "$EVO_RUN_DIR/stdin.told"`;

describe("data that is not in git", function () {
  this.timeout(60_000);
  let made: TestRepository;
  let repository: Repository;
  before(function () {
    if (process.platform !== "linux") skipBecause(this, "the keeper reads /proc, which only Linux has");
  });
  beforeEach(async () => {
    made = makeTestRepository(testProjectFiles(body));
    made.write(".gitignore", "large\nmodel.bin\n");
    mkdirSync(join(made.root, folder, "part"), { recursive: true });
    writeFileSync(join(made.root, folder, "part/text"), "corpus ");
    writeFileSync(join(made.root, "large/elsewhere"), "model");
    symlinkSync(join(made.root, "large/elsewhere"), join(made.root, "model.bin"));
    made.commit();
    repository = await openRepository(made.root);
  });
  afterEach(() => made.dispose());

  const withData = (data: string[], confine: "auto" | "off"): ProjectSpec => {
    const project = testProject({ confine });
    return { ...project, trainer: { ...project.trainer, data } };
  };
  const runs = (): string => statePath(repository, "runs");
  const run = (
    executor: Executor,
    id: string,
    data = [folder, "model.bin"],
    detach?: AbortSignal,
  ): Promise<JobOutcome> =>
    runJob({
      repository,
      commit: made.git("rev-parse", "HEAD"),
      // A confined job could not change it.
      project: withData(data, id === "changing" ? "off" : "auto"),
      version: "v1",
      seed: 1,
      splits: ["train", "selection"],
      budgetSeconds: 60,
      executor,
      run: id,
      ...(detach === undefined ? {} : { detach }),
    });
  const printed = (id: string): string => readFileSync(join(runs(), id, "stdout.log"), "utf8");
  const local = (): LocalExecutor => new LocalExecutor({ runsDirectory: runs(), keeper: keeperPath });

  it("is available in the checkout of a local run, and stays when the checkout is removed", async () => {
    const outcome = await run(local(), "here");
    assert.ok(outcome.ok, outcome.message);
    const told = JSON.stringify({
      [folder]: join(made.root, folder),
      "model.bin": join(made.root, "model.bin"),
    });
    assert.equal(printed("here"), `corpus model${told}`);
    assert.equal(readFileSync(join(made.root, folder, "part/text"), "utf8"), "corpus ");
    assert.ok(lstatSync(join(made.root, "model.bin")).isSymbolicLink());
    assert.equal(made.git("worktree", "list").split("\n").length, 1);
  });

  for (const [what, change] of [
    ["changes it", `echo easy >"${folder}/part/text"`],
    ["adds to it", `echo easy >"${folder}/part/more"`],
    ["removes it", `rm -r "${folder}/part"`],
  ] as const)
    it(`disqualifies a job that ${what}, and names it`, async () => {
      made.write("train.sh", testProjectFiles(change)["train.sh"] ?? "");
      made.commit();
      const outcome = await run(local(), "changing");
      assert.equal(outcome.failure, "disqualified", outcome.message);
      assert.match(
        outcome.message,
        /^The job changed the evaluation file large\/it's a corpus, so its scores/,
      );
    });

  for (const [what, path, expected] of [
    ["is missing", "no/such", /no\/such, which does not exist: put it, or a link to it, at/],
    ["is committed", "harness", /harness, which is committed as well/],
    [
      "is data that versions are measured on",
      "data",
      /data, which contains or is part of data\/audit\.jsonl/,
    ],
    ["is part of the evaluation", "eval/deep", /eval\/deep, which contains or is part of eval/],
  ] as const)
    it(`is refused when it ${what}`, async () => {
      await assert.rejects(
        run(local(), "refused", [path]),
        (e) => HarnessError.is(e, "projectInvalid") && expected.test(e.message),
      );
      assert.equal(existsSync(join(runs(), "refused/host.json")), false);
      assert.equal(made.git("worktree", "list").split("\n").length, 1);
    });

  describe("on a host", () => {
    let host: TestHost | undefined;
    before(async function () {
      const problem = hostProblem();
      if (problem !== undefined) skipBecause(this, problem);
      host = await startTestHost();
    });
    after(() => host?.stop());

    it("is sent once for the same content, and again after a change", async () => {
      assert.ok(host);
      const shell = new HostShell(host.route());
      try {
        const work = new HostWork(shell, repository, hostPrograms);
        const executor = new SshExecutor({ shell, work, runsDirectory: runs(), pollMilliseconds: 50 });
        const { policies } = await work.place();
        for (const id of ["first", "second"]) {
          const outcome = await run(executor, id);
          assert.ok(outcome.ok, outcome.message);
          assert.match(printed(id), /^corpus model\{.*policies\/[0-9a-f]{32}\/policy/);
          assert.equal(readdirSync(policies).length, 2);
        }
        const gone = AbortSignal.abort();
        await assert.rejects(run(executor, "left", [folder, "model.bin"], gone), (e) =>
          HarnessError.is(e, "cancelled"),
        );
        await executor.wait("left");
        // An engine that comes back finds the run, whatever became of the data meanwhile.
        writeFileSync(join(made.root, folder, "part/text"), "CORPUS ");
        const found = await run(executor, "left");
        assert.ok(found.ok, found.message);
        assert.match(printed("left"), /^corpus model/);
        assert.ok((await run(executor, "third")).ok);
        assert.match(printed("third"), /^CORPUS model/);
        assert.equal(readdirSync(policies).length, 3);
      } finally {
        shell.close();
      }
    });
  });
});
