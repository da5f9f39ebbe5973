import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipBecause } from "../../base/testSkip.ts";
import type { JobStatus } from "../executor.ts";
import { readJobFacts, statusOf } from "../jobDirectory.ts";
import { JobSpec, type JobRequest } from "../jobSpec.ts";
import { keeperPath, processesOf, until } from "../testJobs.ts";
import { hostTool } from "../testTools.ts";
import { posixChecksum, renderJob } from "./payload.ts";
import { parseStatusReport, type StatusReport } from "./statusReport.ts";

const stubborn = `trap 'echo TERM >>"$EVO_RUN_DIR/terms"' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`;
const untilGo = `: >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done`;
const started = `echo "$CUDA_VISIBLE_DEVICES" >"$EVO_RUN_DIR/ready"; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done`;

/** A machine for jobs: its shell, its programs, its GPUs. */
class Host {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "evotrainer keeper ")));
  readonly runs = join(this.root, "runs");
  readonly environment: NodeJS.ProcessEnv;
  readonly #bin = join(this.root, "bin");

  constructor(shell: (bin: string) => NodeJS.ProcessEnv) {
    mkdirSync(this.#bin);
    mkdirSync(this.runs);
    this.environment = {
      PATH: `${this.#bin}:${process.env["PATH"] ?? ""}`,
      HOME: this.root,
      EVO_LOCKS: join(this.root, "locks"),
      ...shell(this.#bin),
    };
  }

  /** A fake nvidia-smi: so many GPUs, and processes of others on some of them. */
  gpus(count: number, foreign: readonly number[] = []): void {
    const lines = (indices: readonly number[], line: (i: number) => string): string =>
      indices.map((i) => `echo '${line(i)}'`).join("\n");
    const all = Array.from({ length: count }, (_, i) => i);
    writeFileSync(
      join(this.#bin, "nvidia-smi"),
      `#!/bin/sh\ncase $1 in\n--query-gpu=*)\n:\n${lines(all, (i) => `${i}, GPU-${i}`)}\n;;\n*)\n:\n${lines(foreign, (i) => `GPU-${i}`)}\n;;\nesac\n`,
    );
    chmodSync(join(this.#bin, "nvidia-smi"), 0o700);
  }

  ask(args: readonly string[], input: Buffer = Buffer.alloc(0)): string {
    try {
      return execFileSync(join(this.#bin, "sh"), [keeperPath, ...args], {
        env: this.environment,
        input,
        encoding: "utf8",
        cwd: "/",
        stdio: ["pipe", "pipe", "inherit"],
      }).trim();
    } catch (e) {
      if (e instanceof Error && "stdout" in e && typeof e.stdout === "string" && e.stdout !== "")
        return e.stdout.trim();
      throw e;
    }
  }

  /** Starts a verb whose input the test controls. */
  begin(args: readonly string[]): ReturnType<typeof spawn> {
    return spawn(join(this.#bin, "sh"), [keeperPath, ...args], {
      env: this.environment,
      stdio: ["pipe", "pipe", "ignore"],
    });
  }

  payload(id: string, script: string, more: Partial<JobRequest> = {}): Buffer {
    return renderJob(
      JobSpec.parse({
        id,
        command: ["sh", "-c", script],
        cwd: this.root,
        environment: {},
        budgetSeconds: 300,
        graceSeconds: 0.5,
        ...more,
      }),
    );
  }

  submitPayload(id: string, payload: Buffer): string {
    return this.ask(
      ["submit", this.directory(id), String(payload.length), String(posixChecksum(payload))],
      payload,
    );
  }

  /** Submits and has a keeper started. */
  start(id: string, script: string, more: Partial<JobRequest> = {}): void {
    assert.equal(this.submitPayload(id, this.payload(id, script, more)), "submitted new");
    this.report(id);
  }

  report(...ids: string[]): StatusReport {
    return parseStatusReport(this.ask(["status", this.runs, ...ids])) ?? assert.fail("no whole report");
  }

  status(id: string): JobStatus | undefined {
    const report = this.report(id);
    const facts = report.jobs.get(id);
    return facts && statusOf(id, facts, report.now);
  }

  async end(id: string): Promise<JobStatus> {
    return until(`${id} is over`, () => {
      const status = this.status(id);
      return status?.state === "exited" || status?.state === "lost" ? status : undefined;
    });
  }

  reached(id: string, name = "ready"): Promise<true> {
    return until(`${id} wrote ${name}`, () => existsSync(join(this.directory(id), name)) || undefined);
  }

  go(id: string): void {
    writeFileSync(join(this.directory(id), "go"), "");
  }

  cancel(id: string): void {
    assert.equal(this.ask(["cancel", this.directory(id)]), "cancelling");
  }

  directory(id: string): string {
    return join(this.runs, id);
  }

  text(id: string, name: string): string {
    return readFileSync(join(this.directory(id), name), "utf8");
  }

  keeper(id: string): number {
    return readJobFacts(this.directory(id))?.keeper?.pid ?? assert.fail("no keeper");
  }

  leader(id: string): number {
    return readJobFacts(this.directory(id))?.leader?.pid ?? assert.fail("no pid");
  }

  async dispose(): Promise<void> {
    const left = await until("nothing is left", () => processesOf(this.root).length === 0, 10).then(
      () => [],
      () => processesOf(this.root),
    );
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
    assert.deepEqual(left, []);
  }
}

const link = (bin: string, name: string, to: string): void => symlinkSync(to, join(bin, name));
const which = (name: string): string | undefined => {
  try {
    return execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
};
const applets =
  "sh head cksum flock setsid stat grep sed cut cat mv ln rm mkdir touch date sleep cmp env ls tr find uname timeout cp sync".split(
    " ",
  );

interface Shell {
  readonly name: string;
  /** Why it cannot be tried here. */
  readonly missing: () => string | undefined;
  readonly install: (bin: string) => NodeJS.ProcessEnv;
  readonly canGpus: boolean;
  readonly findsEscapees: boolean;
}
const linked = (name: string): Shell => ({
  name,
  missing: () => (which(name) === undefined ? `there is no ${name}` : undefined),
  install: (bin) => {
    link(bin, "sh", which(name) ?? "");
    return {};
  },
  canGpus: true,
  findsEscapees: true,
});
const shells: readonly Shell[] = [
  linked("dash"),
  linked("bash"),
  {
    name: "BusyBox",
    missing: () => (hostTool("busybox") === undefined ? "there is no busybox" : undefined),
    install: (bin) => {
      const busybox = hostTool("busybox") ?? "";
      const known = execFileSync(busybox, ["--list"], { encoding: "utf8" }).split("\n");
      for (const name of applets) if (known.includes(name)) link(bin, name, busybox);
      return {};
    },
    canGpus: true,
    findsEscapees: true,
  },
  {
    name: "a system without /proc, flock and setsid",
    missing: () =>
      which("perl") === undefined || which("ps") === undefined ? "perl and ps are needed" : undefined,
    install: (bin) => {
      const hidden = new Set(["flock", "setsid", "sh"]);
      for (const folder of ["/usr/bin", "/bin"])
        for (const name of readdirSync(folder))
          if (!hidden.has(name) && !existsSync(join(bin, name))) link(bin, name, join(folder, name));
      link(bin, "sh", "/bin/sh");
      return { PATH: bin, EVO_KEEPER_PS: "1" };
    },
    canGpus: false,
    findsEscapees: false,
  },
];

for (const shell of shells)
  describe(`keeper under ${shell.name}`, function () {
    this.timeout(60_000);
    let host: Host;
    before(function () {
      if (process.platform !== "linux") skipBecause(this, "the test looks into /proc, which only Linux has");
      const missing = shell.missing();
      if (missing !== undefined) skipBecause(this, missing);
    });
    beforeEach(() => {
      host = new Host(shell.install);
    });
    afterEach(() => host.dispose());

    it("commits a payload whole or not at all", async () => {
      const payload = host.payload("cut", "", {
        command: ["sh", "-c", "echo ran >>$EVO_RUN_DIR/ran", ...Array<string>(4).fill("x".repeat(50_000))],
      });
      const args = ["submit", host.directory("cut"), String(payload.length), String(posixChecksum(payload))];
      for (const length of [0, 1, 1000, 100_000, payload.length - 1])
        assert.match(host.ask(args, payload.subarray(0, length)), /^error short/, String(length));
      const wrong = Buffer.from(payload);
      wrong[100] = 35;
      assert.match(host.ask(args, wrong), /^error short/);
      const cut = host.begin(args);
      cut.stdin?.write(payload.subarray(0, 100_000));
      await until(
        "it reads",
        () => existsSync(host.directory("cut")) && readdirSync(host.directory("cut")).length > 0,
      );
      cut.stdin?.end();
      await once(cut, "exit");
      assert.deepEqual(readdirSync(host.directory("cut")), []);
      assert.equal(host.status("cut"), undefined);
      // The answer may get lost: the same again is no error and runs nothing twice.
      assert.equal(host.submitPayload("cut", payload), "submitted new");
      assert.equal(host.submitPayload("cut", payload), "submitted known");
      assert.equal((await host.end("cut")).exitCode, 0);
      assert.equal(host.submitPayload("cut", payload), "submitted known");
      host.report("cut");
      assert.equal(host.text("cut", "ran"), "ran\n");
    });

    it("starts once when many submit, and refuses another payload and another place", async () => {
      const payload = host.payload("one", "echo started >>$EVO_RUN_DIR/starts; sleep 0.2");
      const answers = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const child = host.begin([
            "submit",
            host.directory("one"),
            String(payload.length),
            String(posixChecksum(payload)),
          ]);
          let answer = "";
          child.stdout?.on("data", (d: Buffer) => (answer += d.toString()));
          child.stdin?.end(payload);
          await once(child, "close");
          host.report("one");
          return answer.trim();
        }),
      );
      assert.deepEqual(
        [
          answers.filter((a) => a === "submitted new").length,
          answers.filter((a) => a === "submitted known").length,
        ],
        [1, 11],
      );
      await host.end("one");
      assert.equal(host.text("one", "starts"), "started\n");
      assert.equal(host.submitPayload("one", host.payload("one", "echo other")), "error conflict");
      for (const bad of ["relative/x", `${host.runs}/a\nb`])
        assert.match(
          host.ask(["submit", bad, String(payload.length), String(posixChecksum(payload))], payload),
          /^error directory/,
        );
    });

    it("answers for many jobs at once, whole lines only, and for none that is not there", async () => {
      const ids = Array.from({ length: 8 }, (_, i) => `job-${i}`);
      for (const id of ids)
        host.start(id, `echo ${id}; echo {} >$EVO_RUN_DIR/rollouts.jsonl; exit ${id.slice(4)}`);
      for (const id of ids) await host.end(id);
      const report = host.report(...ids, "absent", "../x", "-x");
      assert.deepEqual([...report.jobs.keys()], ids);
      assert.deepEqual(
        ids.map((id) => report.jobs.get(id)?.end?.exitCode),
        [0, 1, 2, 3, 4, 5, 6, 7],
      );
      assert.equal(report.files.get("job-3")?.get("rollouts.jsonl")?.size, 3);
      assert.deepEqual(host.report().jobs.size, 8);
      assert.equal(
        parseStatusReport(host.ask(["status", host.runs]).replace(/evotrainer-end$/, "")),
        undefined,
      );
    });

    it("keeps the code when keepers are killed, and when none is alive at the end", async () => {
      host.start("healed", `${untilGo}; exit 5`);
      host.start("alone", `${untilGo}; exit 6`);
      for (const id of ["healed", "alone"]) await host.reached(id);
      for (const id of ["healed", "alone"]) process.kill(host.keeper(id), "SIGKILL");
      await until(
        "a second keeper",
        () => host.status("healed") && readJobFacts(host.directory("healed"))?.keepers === 2,
      );
      assert.equal(host.status("healed")?.state, "running");
      host.go("alone");
      await until("the code is recorded", () => existsSync(join(host.directory("alone"), "code.6")));
      host.go("healed");
      assert.deepEqual([(await host.end("healed")).exitCode, (await host.end("alone")).exitCode], [5, 6]);
    });

    it("tells a loss from a kill of ours and of the job's own", async () => {
      host.start("lost", untilGo);
      host.start("group", "kill -KILL 0");
      host.start("segv", "kill -SEGV $$");
      await host.reached("lost");
      const leader = host.leader("lost");
      process.kill(host.keeper("lost"), "SIGKILL");
      process.kill(-leader, "SIGKILL");
      const ends = [await host.end("lost"), await host.end("group"), await host.end("segv")];
      assert.deepEqual(
        ends.map((e) => [e.state, e.exitCode, e.signal]),
        [
          ["lost", null, null],
          ["exited", null, "SIGKILL"],
          ["exited", null, "SIGSEGV"],
        ],
      );
    });

    it("sends one TERM, also when the keeper that sent it is killed, and KILL after the grace", async () => {
      host.start("a", stubborn);
      host.start("b", stubborn, { graceSeconds: 2 });
      host.start(
        "c",
        `trap 'sleep 0.2; echo saved; exit 0' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`,
        { graceSeconds: 30 },
      );
      for (const id of ["a", "b", "c"]) await host.reached(id);
      for (const id of ["a", "b", "c", "a"]) host.cancel(id);
      await host.reached("b", "terms");
      process.kill(host.keeper("b"), "SIGKILL");
      const [a, b, c] = [await host.end("a"), await host.end("b"), await host.end("c")];
      assert.deepEqual(
        [a.signal, a.cancelled, b.signal, c.exitCode, c.cancelled],
        ["SIGKILL", true, "SIGKILL", 0, true],
      );
      assert.deepEqual(
        [host.text("a", "terms"), host.text("b", "terms"), host.text("c", "stdout.log")],
        ["TERM\n", "TERM\n", "saved\n"],
      );
    });

    it("holds a job to its time and to its evidence", async () => {
      host.start("slow", stubborn, { budgetSeconds: 0.5 });
      host.start(
        "big",
        "while :; do head -c 1000 /dev/zero >>$EVO_RUN_DIR/rollouts.jsonl; sleep 0.01; done",
        { evidenceLimitBytes: 5000 },
      );
      const [slow, big] = [await host.end("slow"), await host.end("big")];
      assert.deepEqual(
        [slow.timedOut, slow.signal, big.oversize, big.signal],
        [true, "SIGKILL", true, "SIGTERM"],
      );
      assert.ok(slow.seconds >= 1 && slow.seconds < 30, String(slow.seconds));
    });

    it("kills what left the process group", async function () {
      if (!shell.findsEscapees) skipBecause(this, "the environment of processes cannot be read there");
      host.start(
        "daemon",
        `setsid sleep 600 & while [ "$(ps -o sid= -p $!)" = "$(ps -o sid= -p $$)" ]; do sleep 0.02; done; exit 3`,
      );
      assert.equal((await host.end("daemon")).exitCode, 3);
      await until("nothing of it is left", () => processesOf(host.directory("daemon")).length === 0);
    });

    it("notices a restart of the machine, and leaves whoever has the numbers now alone", async () => {
      host.start("r", untilGo);
      await host.reached("r");
      const leader = host.leader("r");
      process.kill(host.keeper("r"), "SIGKILL");
      process.kill(-leader, "SIGKILL");
      const bystander = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
      for (const name of ["pid", "keeper"]) {
        const text = host.text("r", name);
        const boot = text.trim().split(" ")[name === "pid" ? 2 : 3] ?? "";
        writeFileSync(
          join(host.directory("r"), name),
          text.replace(String(leader), String(bystander.pid)).replace(boot, "00000000-dead-beef"),
        );
      }
      try {
        const end = await host.end("r");
        assert.deepEqual([end.state, end.reason], ["lost", "the machine was restarted"]);
        assert.equal(bystander.exitCode ?? bystander.signalCode, null);
      } finally {
        bystander.kill("SIGKILL");
      }
    });

    it("lets nobody else read, and hands on no secret", async () => {
      host.environment["SECRET_TOKEN"] = "s3cret";
      host.start("quiet", `env; umask; cat /proc/$PPID/environ /proc/$PPID/cmdline 2>/dev/null`, {
        environment: { DECLARED: "d3clared 'x'\n$(y)" },
      });
      await host.end("quiet");
      assert.ok(!host.text("quiet", "stdout.log").includes("s3cret"));
      assert.ok(host.text("quiet", "stdout.log").includes("DECLARED=d3clared 'x'\n$(y)"));
      assert.match(host.text("quiet", "stdout.log"), /^0077$/m);
      for (const name of [".", ...readdirSync(host.directory("quiet"))])
        assert.equal(statSync(join(host.directory("quiet"), name)).mode & 0o077, 0, name);
      assert.equal(host.text("quiet", "keeper.log"), "");
    });

    describe("with GPUs", () => {
      before(function () {
        if (!shell.canGpus) skipBecause(this, "GPUs need flock of util-linux");
      });
      const gpuOf = async (id: string): Promise<string> => {
        await until(
          `${id} has its GPUs`,
          () => existsSync(join(host.directory(id), "ready")) && host.text(id, "ready") !== "",
        );
        return host.text(id, "ready").trim();
      };

      it("gives each job its own, in the order of submission, and passes over those of others", async () => {
        host.gpus(3, [1]);
        for (const id of ["g1", "g2", "g3", "g4"]) host.start(id, started, { gpus: id === "g3" ? 2 : 1 });
        assert.deepEqual([await gpuOf("g1"), await gpuOf("g2")], ["0", "2"]);
        await until("g4 waits", () => host.status("g4")?.reason === "it waits for a GPU");
        host.go("g1");
        await host.end("g1");
        // g4 could have the GPU, but g3 came before and would wait for ever.
        await until("g3 has seen the free GPU", () => host.text("g3", "waiting") === "2 3 1\n");
        assert.equal(existsSync(join(host.directory("g4"), "ready")), false);
        host.go("g2");
        assert.equal(await gpuOf("g3"), "0,2");
        host.go("g3");
        assert.match(await gpuOf("g4"), /^[02]$/);
        host.go("g4");
        for (const id of ["g2", "g3", "g4"]) assert.equal((await host.end(id)).exitCode, 0);
      });

      it("holds them as long as the job lives, whoever is killed", async () => {
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

      it("says when a job wants more than there are, lets others pass it, and cancels it", async () => {
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

      it("keeps the place of a job whose keeper was killed while it waited", async () => {
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
    });
  });
