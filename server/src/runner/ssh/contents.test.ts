import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
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
import { basename, delimiter, dirname, join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { until } from "../../../../test/support/runner/jobs.ts";
import { hostTool } from "../../../../test/support/runner/tools.ts";
import { Bandwidth } from "./bandwidth.ts";
import { fetchFiles } from "./fetchFiles.ts";
import { HostShell } from "./hostShell.ts";
import type { HostPlace } from "./hostWork.ts";
import { contentKey, fetchPolicy, sendContent, type TransferMeans } from "./contents.ts";
import { Room } from "./room.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";

const rsync = hostTool("rsync");
const unusable = (): string | undefined => {
  if (rsync === undefined) return "there is no rsync; run `node scripts/setup.mjs --hosts`";
  try {
    execFileSync(rsync, ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "rsync does not run here";
  }
};

/** A folder with all programs of this machine but rsync. */
function withoutRsync(folder: string): string {
  for (const from of ["/usr/bin", "/bin", "/usr/sbin"])
    for (const name of existsSync(from) ? readdirSync(from) : [])
      if (name !== "rsync" && !existsSync(join(folder, name)))
        symlinkSync(join(from, name), join(folder, name));
  return folder;
}

for (const way of ["tar", "rsync", "rsync behind a noisy profile"] as const)
  describe(`policies over ssh, sent with ${way}`, function () {
    this.timeout(60_000);
    let started: TestHost | undefined;
    let host: TestHost;
    let shell: HostShell;
    let here = "";
    let programs = "";
    let place: HostPlace;
    const path = process.env["PATH"];
    before(async function () {
      const problem = hostProblem() ?? (way === "tar" ? undefined : unusable());
      if (problem !== undefined) skipBecause(this, problem);
      const withRsync = `${dirname(rsync ?? "")}${delimiter}${path ?? ""}`;
      if (way !== "tar") process.env["PATH"] = withRsync;
      started = host = await startTestHost(
        way === "tar"
          ? { environment: { PATH: withoutRsync((programs = mkdtempSync(join(tmpdir(), "evo programs ")))) } }
          : {
              environment: { PATH: withRsync },
              ...(way === "rsync" ? {} : { shell: "/bin/bash", profile: { ".bashrc": "echo noise\n" } }),
            },
      );
      shell = new HostShell(host.route());
      here = realpathSync(mkdtempSync(join(tmpdir(), "evo it's policies ")));
      const at = (name: string): string => {
        mkdirSync(join(host.home, "work", name), { recursive: true });
        return join(host.home, "work", name);
      };
      place = {
        programs: { keeper: "", slurm: "" },
        runs: at("runs"),
        checkouts: at("checkouts"),
        policies: at("policies"),
        repository: at("repository"),
      };
    });
    after(async () => {
      process.env["PATH"] = path;
      if (started === undefined) return;
      shell.close();
      rmSync(here, { recursive: true, force: true });
      await started.stop();
      if (programs !== "") rmSync(programs, { recursive: true });
    });
    const means = (more: Partial<TransferMeans> = {}): TransferMeans => ({
      shell,
      bandwidth: new Bandwidth(undefined),
      room: new Room({ host: "testhost", runsDirectory: here, gigabytes: undefined }),
      ...more,
    });

    it("arrive once and complete, as a file and as a folder", async () => {
      const folder = join(here, "a folder");
      mkdirSync(join(folder, "deep er"), { recursive: true });
      const weights = randomBytes(300_000);
      writeFileSync(join(folder, "deep er/weights -x"), weights);
      symlinkSync("deep er/weights -x", join(folder, "latest"));
      writeFileSync(join(here, "a file"), "1 2 3");
      for (const name of ["a folder", "a file"]) {
        const key = await contentKey(join(here, name));
        for (let time = 0; time < 2; time++) await sendContent(means(), place, join(here, name), key);
        assert.equal(await contentKey(join(place.policies, key, "policy")), key);
      }
      assert.equal(readdirSync(place.policies).length, 2);
    });

    it("continue where a transfer to the host was cut off", async () => {
      const large = join(here, "large");
      writeFileSync(large, randomBytes(24_000_000));
      const key = await contentKey(large);
      const slow = means({
        bandwidth: new Bandwidth(12),
        onProgress: ({ bytes }) => {
          if (bytes > 8_000_000) host.proxy.reset();
        },
      });
      await assert.rejects(sendContent(slow, place, large, key), (e) =>
        HarnessError.is(e, "hostUnreachable"),
      );
      const folder = join(place.policies, `${key}.partial`);
      await until("what came is kept", () => existsSync(folder) && readdirSync(folder).length > 0);
      const left = Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size));
      assert.ok(left > 1_000_000 && left < 24_000_000, String(left));
      const before = host.proxy.bytes;
      await sendContent(means(), place, large, key);
      assert.ok(host.proxy.bytes - before < 24_000_000 - left / 2, "the rest alone is sent");
      assert.equal(await contentKey(join(place.policies, key, "policy")), key);
      assert.equal(existsSync(join(place.policies, `${key}.partial`)), false);
    });

    if (way === "tar")
      it("do not wait for an attempt that hangs on the host", async () => {
        const file = join(here, "held");
        writeFileSync(file, randomBytes(100_000));
        const key = await contentKey(file);
        const partial = join(place.policies, `${key}.partial`);
        mkdirSync(partial);
        const script = "exec 9>>lock; flock 9; echo $$ >pid; exec sleep 1000";
        const holder = spawn("setsid", ["sh", "-c", script], { cwd: partial, stdio: "ignore" });
        const over = once(holder, "exit");
        await until("it is held", () => existsSync(join(partial, "pid")));
        await sendContent(means(), place, file, key);
        assert.deepEqual(await over, [null, "SIGKILL"]);
        assert.equal(await contentKey(join(place.policies, key, "policy")), key);
        assert.deepEqual(readdirSync(join(place.policies, key)), ["policy"]);
      });

    it("come back complete, continuing where a transfer was cut off", async () => {
      const policy = join(place.runs, "r1/policy");
      mkdirSync(join(policy, "part"), { recursive: true });
      for (const name of ["a", "part/b", "part/it's c"])
        writeFileSync(join(policy, name), randomBytes(6_000_000));
      writeFileSync(join(policy, "empty"), "");
      const to = join(here, "r1");
      let most = 0;
      const cut = means({
        onProgress: ({ bytes }) => {
          most = bytes;
          if (bytes > 7_000_000) host.proxy.reset();
        },
      });
      await assert.rejects(fetchPolicy(cut, place, "r1", to), (e) => HarnessError.is(e, "hostUnreachable"));
      assert.equal(existsSync(to), false);
      const firsts: number[] = [];
      await fetchPolicy(means({ onProgress: ({ bytes }) => firsts.push(bytes) }), place, "r1", to);
      assert.ok((firsts[0] ?? 0) >= most, `${firsts[0] ?? 0} ${most}`);
      assert.equal(await contentKey(to), await contentKey(policy));
      assert.equal(existsSync(`${to}.partial`), false);
      await fetchPolicy(means(), place, "absent", join(here, "absent"));
      assert.equal(existsSync(join(here, "absent")), false);
    });

    it("bring what a link within the run's folder leads to, and nothing from behind one that leads out of it", async () => {
      const run = join(place.runs, "linked");
      mkdirSync(join(run, "policy"), { recursive: true });
      mkdirSync(join(run, "checkpoints/20"), { recursive: true });
      writeFileSync(join(run, "checkpoints/20/model"), "weights");
      symlinkSync("../checkpoints/20", join(run, "policy/latest"));
      const to = join(here, "linked");
      await fetchPolicy(means(), place, "linked", to);
      assert.equal(readFileSync(join(to, "latest/model"), "utf8"), "weights");
      rmSync(to, { recursive: true });
      const secret = join(host.home, "it's hidden");
      mkdirSync(secret);
      writeFileSync(join(secret, "key"), "not for jobs");
      const refused = async (): Promise<void> => {
        await assert.rejects(
          fetchPolicy(means(), place, "linked", to),
          (e) => HarnessError.is(e, "jobFailed") && /is a link that leads out of that folder/.test(e.message),
        );
        assert.equal(existsSync(to), false);
      };
      for (const [link, target] of [
        ["policy/stray", join(secret, "key")],
        ["policy/stray", secret],
        ["policy/stray", `../../linked/../../../${basename(secret)}`],
        ["checkpoints/20/stray", join(secret, "key")],
      ] as const) {
        symlinkSync(target, join(run, link));
        await refused();
        rmSync(join(run, link));
      }
      rmSync(join(run, "policy"), { recursive: true });
      symlinkSync(secret, join(run, "policy"));
      await refused();
      rmSync(secret, { recursive: true });
    });

    it("bring the files that a rule names, and none from elsewhere", async () => {
      const run = join(place.runs, "r2");
      mkdirSync(join(run, "tb/x"), { recursive: true });
      mkdirSync(join(run, "checkpoints/10"), { recursive: true });
      for (const name of [
        "tb/events.1",
        "tb/x/events.2",
        "checkpoints/10/config.json",
        "checkpoints/10/model",
      ])
        writeFileSync(join(run, name), name);
      const to = join(here, "r2");
      const fetched = (patterns: string[]) =>
        fetchFiles({ ...means(), from: run, patterns, to, limitBytes: 1000 });
      await fetched(["tb", "checkpoints/*/config.json", "none*"]);
      const files = readdirSync(to, { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => e.name);
      assert.deepEqual(files.sort(), ["config.json", "events.1", "events.2"]);
      assert.equal(readFileSync(join(to, "tb/x/events.2"), "utf8"), "tb/x/events.2");
      execFileSync("mkfifo", [join(run, "tb/pipe")]);
      await assert.rejects(fetched(["tb"]), (e) => HarnessError.is(e, "jobFailed") && /pipe/.test(e.message));
      rmSync(join(run, "tb/pipe"));
      writeFileSync(join(run, "tb/line\nbreak"), "x");
      await assert.rejects(fetched(["tb"]), (e) => HarnessError.is(e, "jobFailed"));
      rmSync(join(run, "tb/line\nbreak"));
      writeFileSync(join(run, "tb/large"), "x".repeat(2000));
      await assert.rejects(fetched(["tb"]), (e) => HarnessError.is(e, "diskFull"));
      // A link that lies in the way here is not written through.
      symlinkSync(join(here, "outside"), join(to, "tb/new"));
      writeFileSync(join(run, "tb/new"), "x");
      rmSync(join(run, "tb/large"));
      await assert.rejects(fetched(["tb"]), (e) => e instanceof Error && "code" in e && e.code === "ELOOP");
      assert.equal(existsSync(join(here, "outside")), false);
    });
  });
