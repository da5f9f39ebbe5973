import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { readJobFacts } from "../job/jobDirectory.ts";
import { processesOf, until } from "../../../../test/support/runner/jobs.ts";
import { posixChecksum } from "./payload.ts";
import { parseStatusReport } from "./statusReport.ts";
import { Host, shells } from "../../../../test/support/runner/keeper.ts";

const stubborn = `trap 'echo TERM >>"$EVO_RUN_DIR/terms"' TERM; : >$EVO_RUN_DIR/ready; while :; do sleep 0.05; done`;
const untilGo = `: >$EVO_RUN_DIR/ready; while [ ! -e "$EVO_RUN_DIR/go" ]; do sleep 0.05; done`;

for (const shell of shells)
  describe(`the keeper under ${shell.name}`, function () {
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

    it("accepts a payload completely or not at all", async () => {
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

    it("reports on many jobs at once, in whole lines only, and not on missing jobs", async () => {
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
      // Few are told in another way than many, and the same.
      const lines = (...asked: string[]): string[] =>
        host
          .ask(["status", host.runs, ...asked])
          .split("\n")
          .slice(1, -1)
          .sort();
      assert.deepEqual(lines(...ids), ids.flatMap((id) => lines(id)).sort());
      assert.equal(
        parseStatusReport(host.ask(["status", host.runs]).replace(/evotrainer-end$/, "")),
        undefined,
      );
    });

    it("records the exit code when keepers are killed, even if none is alive at the end", async () => {
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

    it("distinguishes a lost job, a job that we killed and a job that killed itself", async () => {
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

    it("sends one TERM, even when the keeper that sent it is killed, and KILL after the grace period", async () => {
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

    it("enforces the job's limits on time and evidence", async () => {
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

    it("kills processes that left the process group", async function () {
      if (!shell.findsEscapees) skipBecause(this, "the environment of processes cannot be read there");
      host.start(
        "daemon",
        `setsid sleep 600 & while [ "$(ps -o sid= -p $!)" = "$(ps -o sid= -p $$)" ]; do sleep 0.02; done; exit 3`,
      );
      assert.equal((await host.end("daemon")).exitCode, 3);
      await until("nothing of it is left", () => processesOf(host.directory("daemon")).length === 0);
    });

    it("notices that the machine restarted, and leaves processes that now have the old numbers alone", async () => {
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

    it("uses the files of a job to measure how long it ran before a restart, and never counts more than its budget", async () => {
      const rebooted = (id: string, lived: number): void => {
        process.kill(host.keeper(id), "SIGKILL");
        process.kill(-host.leader(id), "SIGKILL");
        for (const name of ["pid", "keeper"]) {
          const text = host.text(id, name);
          const boot = text.trim().split(" ")[name === "pid" ? 2 : 3] ?? "";
          writeFileSync(join(host.directory(id), name), text.replace(boot, "00000000-dead-beef"));
        }
        const now = Date.now() / 1000;
        utimesSync(join(host.directory(id), "pid"), now - lived, now - lived);
        utimesSync(join(host.directory(id), "heartbeat"), now, now);
      };
      for (const [id, lived, told] of [
        ["hour", 100, 100],
        // A clock that was set meanwhile.
        ["day", 86_400, 300.5],
        ["back", -500, 0],
      ] as const) {
        host.start(id, untilGo);
        await host.reached(id);
        rebooted(id, lived);
        const end = await host.end(id);
        assert.equal(end.reason, "the machine was restarted", id);
        // Times of files are told in whole seconds.
        assert.ok(Math.abs(end.seconds - told) <= 1, `${id}: ${end.seconds} s, not ${told}`);
      }
    });

    it("keeps its files private, and passes on no secret", async () => {
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
  });
