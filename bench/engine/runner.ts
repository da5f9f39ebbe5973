import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { shellWord } from "../../server/src/base/shellWord.ts";
import { HostShell } from "../../server/src/runner/ssh/hostShell.ts";
import { HostWork } from "../../server/src/runner/ssh/hostWork.ts";
import { sshArguments } from "../../server/src/runner/ssh/sshArguments.ts";
import { SshExecutor } from "../../server/src/runner/ssh/sshExecutor.ts";
import { hostProblem } from "../../test/support/ssh/host.ts";
import { hostPrograms, until } from "../../test/support/runner/jobs.ts";
import { least, median, type BenchRow, type SkippedRow } from "../row.ts";
import { benchFollowing, benchLine, benchResume } from "./runnerFollow.ts";
import { startBenchHost, timed, type BenchHost } from "./runnerHost.ts";

const jobs = 50;

/** Jobs on a host over ssh, against what plain ssh and git take for the same, on a private server on this machine. */
export async function benchRunner({
  rounds,
}: {
  readonly rounds: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const problem = hostProblem();
  if (problem !== undefined) return [{ name: "runner", skipped: problem }];
  const rows: BenchRow[] = [];
  const bench = await startBenchHost({ proxy: false });
  try {
    rows.push(await benchFollowing(bench, { rounds: Math.min(rounds, 7) }));
    rows.push(await benchLine(bench, { lines: 10 * rounds }));
    rows.push(await benchPush(bench, { rounds }));
  } finally {
    await bench.stop();
  }
  const far = await startBenchHost({ proxy: true });
  try {
    rows.push(await benchResume(far, { cuts: rounds }));
    rows.push(await benchStatus(far, { rounds: 3 * rounds }));
  } finally {
    await far.stop();
  }
  return rows;
}

/** A one-line change of a project of 1,000 files: our pack, and `git push` over the same connection. */
async function benchPush(bench: BenchHost, { rounds }: { rounds: number }): Promise<BenchRow> {
  const root = bench.folder("project");
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", root, "-c", "user.name=b", "-c", "user.email=b@example.invalid", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "--quiet");
  for (let i = 0; i < 1000; i++) {
    mkdirSync(join(root, `part${i % 25}`), { recursive: true });
    writeFileSync(join(root, `part${i % 25}`, `file${i}.py`), `# file ${i}\n${"value = 1\n".repeat(40)}`);
  }
  const commit = (): string => {
    git("add", "--all");
    git("commit", "--quiet", "--message", "c");
    return git("rev-parse", "HEAD");
  };
  const first = commit();
  const work = new HostWork(bench.shell, await openRepository(root), hostPrograms);
  await work.push(first);
  const bare = join(bench.host.home, "plain.git");
  execFileSync("git", ["init", "--quiet", "--bare", bare]);
  const words = sshArguments(bench.route, "", { isMaster: false });
  const ssh = [bench.route.program ?? "ssh", ...words.slice(0, words.indexOf("--"))].map(shellWord).join(" ");
  const push = (): string =>
    git("-c", `core.sshCommand=${ssh}`, "push", "--quiet", `testhost:${bare}`, "HEAD:refs/heads/main");
  push();
  const [ours, gits]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    writeFileSync(join(root, "part3", "file3.py"), `# round ${round}\n${"value = 1\n".repeat(40)}`);
    const head = commit();
    // In turns, so that neither is always the one that finds things in memory.
    const steps = [
      async () => ours.push(await timed(() => work.push(head))),
      async () => gits.push(await timed(() => Promise.resolve(push()))),
    ];
    for (const step of round % 2 === 0 ? steps : steps.toReversed()) await step();
    if (round === 0) ours.length = gits.length = 0;
  }
  rmSync(root, { recursive: true });
  return {
    name: "runner: push of one line to a project of 1,000 files / `git push`",
    measured: median(ours) / median(gits),
    target: 1.5,
    unit: "ratio",
    detail: `${median(ours).toFixed(0)} / ${median(gits).toFixed(0)} ms; least ${least(ours).toFixed(0)} / ${least(gits).toFixed(0)} ms`,
  };
}

/** The status of many jobs that run, against one exec on the open connection. */
async function benchStatus(bench: BenchHost, { rounds }: { rounds: number }): Promise<BenchRow> {
  const root = bench.folder("jobs");
  execFileSync("git", ["init", "--quiet", root]);
  // Past the proxy, which takes time of this process.
  const near = new HostShell(bench.host.route({ port: bench.host.port }));
  execFileSync("git", [
    ...["-C", root, "-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "--quiet"],
    ...["--allow-empty", "--message", "c"],
  ]);
  const work = new HostWork(near, await openRepository(root), hostPrograms);
  const executor = new SshExecutor({ shell: near, work, runsDirectory: join(root, "runs") });
  const ids = Array.from({ length: jobs }, (_, i) => `job-${i}`);
  for (const id of ids)
    await executor.submit({
      id,
      command: ["sh", "-c", 'echo {} >>"$EVO_RUN_DIR/rollouts.jsonl"; exec sleep 3600'],
      cwd: bench.host.home,
      environment: {},
      budgetSeconds: 7200,
      graceSeconds: 1,
    });
  const ask = () => Promise.all(ids.map((id) => executor.status(id)));
  await until("all run", async () => (await ask()).every(({ state }) => state === "running"));
  const [all, exec, question]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= rounds; round++) {
    exec.push(await timed(() => bench.exec("true", "ignore", near.route)));
    question.push(await timed(() => near.run("/bin/true")));
    all.push(await timed(ask));
    if (round === 0) all.length = exec.length = question.length = 0;
  }
  for (const id of ids) await executor.cancel(id);
  await until("all are over", async () => (await ask()).every(({ state }) => state === "exited"), 60);
  near.close();
  rmSync(root, { recursive: true });
  return {
    name: `runner: status of ${jobs} running jobs / an exec over the open connection`,
    measured: median(all) / median(exec),
    target: 1.5,
    unit: "ratio",
    detail: `${median(all).toFixed(1)} / ${median(exec).toFixed(1)} ms, least ${least(all).toFixed(1)} / ${least(exec).toFixed(1)}; a program in the open shell ${median(question).toFixed(1)} ms`,
  };
}
