import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { HostFinding } from "../../../../shared/protocol/views/hosts.ts";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { keeperPath } from "../../../../test/support/runner/jobs.ts";
import { PromptDesk } from "../ssh/prompts/promptDesk.ts";
import { examineHost } from "./doctor.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";

const programs = {
  keeper: keeperPath,
  slurm: join(import.meta.dirname, "../slurm/slurm.sh"),
};
const state = (findings: readonly HostFinding[], about: string): string =>
  findings
    .filter((f) => f.about === about)
    .map((f) => f.state)
    .join();
const found = (findings: readonly HostFinding[], about: string): HostFinding =>
  findings.find((f) => f.about === about) ?? assert.fail(`${about} in ${JSON.stringify(findings)}`);

/** Programs of a machine in one folder: all that a host needs but `without`, and others in their place. */
function machine(
  folder: string,
  programs: Readonly<Record<string, string>>,
  without: readonly string[] = [],
): string {
  const bin = mkdtempSync(join(folder, "bin-"));
  for (const from of ["/usr/bin", "/bin", "/usr/sbin"])
    for (const name of readdirSync(from))
      if (!without.includes(name) && !(name in programs) && !existsSync(join(bin, name)))
        try {
          symlinkSync(join(from, name), join(bin, name));
        } catch {
          // Broken links of the system.
        }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

const python = (torch: string): string => `case $2 in *torch*) ${torch} ;; *) echo 3.11.4 ;; esac`;
const smi = `case $1 in
--query*) echo 'NVIDIA H100, 81559 MiB, 550.54'; echo 'NVIDIA H100, 81559 MiB, 550.54' ;;
*) echo '| NVIDIA-SMI 550.54   Driver Version: 550.54   CUDA Version: 12.4 |' ;;
esac`;

describe("the doctor", function () {
  this.timeout(120_000);
  let folder = "";
  const hosts: TestHost[] = [];
  before(function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    folder = mkdtempSync(join(tmpdir(), "evotrainer-doctor-"));
    chmodSync(folder, 0o755);
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) await host.stop();
  });
  after(() => folder !== "" && rmSync(folder, { recursive: true, force: true }));
  const start = async (options: Parameters<typeof startTestHost>[0] = {}): Promise<TestHost> => {
    const host = await startTestHost(options);
    hosts.push(host);
    return host;
  };
  const withPath = (bin: string): Promise<TestHost> => start({ environment: { PATH: bin } });

  it("finds nothing wrong with a good host, runs a job on it, and leaves nothing behind", async () => {
    const bin = machine(folder, { python3: python("echo 2.4.0 12.4 2"), "nvidia-smi": smi }, ["busctl"]);
    const host = await withPath(bin);
    const findings = await examineHost(host.route({ gpus: 1 }), { programs });
    assert.deepEqual(
      findings.filter((f) => f.state !== "good" && f.about !== "disk"),
      [],
    );
    assert.deepEqual(
      findings.map((f) => f.about),
      ["login", "shell", "keeper", "confine", "disk", "clock", "python", "torch", "cuda", "gpus"],
    );
    assert.match(found(findings, "keeper").found, /^ran a job in /);
    assert.match(found(findings, "login").found, new RegExp(`^${userInfo().username}@`));
    assert.equal(found(findings, "cuda").found, "12.4, the driver supports 12.4");
    assert.equal(
      found(findings, "gpus").found,
      "2 (NVIDIA H100, 81559 MiB, 550.54), of which each job gets 1",
    );
    assert.deepEqual(readdirSync(join(host.home, ".evotrainer/work")), []);
  });

  const cases: readonly {
    name: string;
    programs: Readonly<Record<string, string>>;
    without?: readonly string[];
    about: string;
    state: HostFinding["state"];
    found: RegExp;
    mend: RegExp;
    spec?: Partial<HostSpec>;
  }[] = [
    {
      name: "missing programs that the keeper needs",
      programs: {},
      without: ["flock", "git"],
      about: "keeper",
      state: "bad",
      found: /^flock, git missing$/,
      mend: /util-linux/,
    },
    {
      name: "an unsupported system",
      programs: { uname: "echo Darwin" },
      about: "keeper",
      state: "bad",
      found: /Darwin/,
      mend: /Linux machine/,
    },
    {
      name: "a folder where files cannot be locked",
      programs: { flock: "exit 1" },
      about: "keeper",
      state: "bad",
      found: /cannot be locked/,
      mend: /lock service/,
    },
    {
      name: "a job that cannot be run",
      programs: { setsid: "echo 'setsid: not permitted' >&2; exit 1" },
      about: "keeper",
      state: "bad",
      found: /a job that does nothing failed/,
      mend: /jobs\.md/,
    },
    {
      name: "sessions that end their processes",
      programs: { busctl: "echo 'b true'", loginctl: "echo no" },
      about: "logout",
      state: "bad",
      found: /KillUserProcesses/,
      mend: /enable-linger/,
    },
    {
      name: "a disk that is nearly full",
      programs: { df: "[ $1 = -Pi ] || { echo h; echo 'x 100 1 2048 1% /'; }" },
      about: "disk",
      state: "note",
      found: /^2 MiB free/,
      mend: /Free some space/,
    },
    {
      name: "a disk without room for files",
      programs: {
        df: "case $1 in -Pi) echo h; echo 'x 1000 900 100 90% /' ;; *) echo h; echo 'x 1 1 99999999 1% /' ;; esac",
      },
      about: "disk",
      state: "note",
      found: /room for 100 more files/,
      mend: /Remove files/,
    },
    {
      name: "a clock that is off",
      programs: { date: "echo 1000" },
      about: "clock",
      state: "note",
      found: /^\d{5,} h \d+ min away from this machine's/,
      mend: /timedatectl/,
    },
    {
      name: "a missing Python",
      programs: {},
      about: "python",
      state: "note",
      found: /no-such-python does not run/,
      mend: /hosts\.testhost\.python/,
      spec: { python: "no-such-python" },
    },
    {
      name: "a Python without torch",
      programs: { python3: python("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1") },
      about: "torch",
      state: "note",
      found: /No module named/,
      mend: /Install torch for python3/,
    },
    {
      name: "a torch without CUDA on a host with GPUs",
      programs: { python3: python("echo 2.4.0+cpu None 0"), "nvidia-smi": smi },
      about: "cuda",
      state: "note",
      found: /built without CUDA, and there are 2 GPUs/,
      mend: /built for CUDA 12\.4/,
    },
    {
      name: "a driver older than torch's CUDA",
      programs: { python3: python("echo 2.8.0 12.9 0"), "nvidia-smi": smi },
      about: "cuda",
      state: "note",
      found: /sees 0 of 2 GPUs; it was built for CUDA 12\.9, the driver supports 12\.4/,
      mend: /newer driver/,
    },
    {
      name: "a driver that fails",
      programs: {
        python3: python("echo 2.8.0 12.9 0"),
        "nvidia-smi": "echo 'NVIDIA-SMI has failed'; exit 9",
      },
      about: "cuda",
      state: "note",
      found: /nvidia-smi fails: NVIDIA-SMI has failed/,
      mend: /reboot/,
    },
    {
      name: "fewer GPUs than a job wants",
      programs: { "nvidia-smi": smi },
      about: "gpus",
      state: "bad",
      found: /^2, and each job wants 4$/,
      mend: /hosts\.testhost\.gpus/,
      spec: { gpus: 4 },
    },
  ];
  for (const one of cases)
    it(`says what to do about ${one.name}`, async () => {
      const busctl = "busctl" in one.programs ? [] : ["busctl"];
      const host = await withPath(machine(folder, one.programs, [...(one.without ?? []), ...busctl]));
      const findings = await examineHost(host.route(one.spec ?? {}), { programs });
      const finding = found(findings, one.about);
      assert.equal(finding.state, one.state, JSON.stringify(finding));
      assert.match(finding.found, one.found);
      assert.match(finding.mend ?? "", one.mend);
      assert.equal(state(findings, "login"), "good");
    });

  it("says what to do about a folder of somebody else", async () => {
    const host = await start();
    const findings = await examineHost(host.route({ directory: "/proc/nowhere" }), { programs });
    assert.match(found(findings, "disk").mend ?? "", /hosts\.testhost\.directory/);
  });

  it("says what to do about a login shell that prints, and one that ends", async () => {
    const noisy = await start({ shell: "/bin/bash", profile: { ".bashrc": "echo hello; echo there\n" } });
    const shell = found(await examineHost(noisy.route()), "shell");
    assert.deepEqual([shell.state, /bash, prints \d+ bytes/.test(shell.found)], ["note", true]);
    for (const profile of [{ ".bashrc": "exit\n" }, { ".bashrc": "echo no >&2; exec false\n" }]) {
      const ends = await start({ shell: "/bin/bash", profile });
      const [only, ...others] = await examineHost(ends.route());
      assert.deepEqual([only?.about, only?.state, others.length], ["shell", "bad", 0]);
      assert.match(only?.mend ?? "", /chsh/);
    }
  });

  it("says what to do about a failed login", async () => {
    const host = await start();
    const login = async (route: Parameters<typeof examineHost>[0]): Promise<HostFinding> => {
      const [only, ...others] = await examineHost(route);
      assert.deepEqual([only?.about, only?.state, others.length], ["login", "bad", 0], JSON.stringify(only));
      return only ?? assert.fail();
    };
    const to = (spec: Partial<HostSpec>) => ({ name: "away", spec: HostSpec.parse(spec) });
    assert.match((await login(host.route({ user: "nobody-here" }))).mend ?? "", /ssh-add/);
    assert.match((await login(to({ ssh: "no-such-host.invalid" }))).mend ?? "", /HostName/);
    assert.match((await login(to({ ssh: "127.0.0.1", port: 1 }))).mend ?? "", /machine is up/);
    assert.match(
      (await login({ ...host.route(), program: join(folder, "no-ssh") })).mend ?? "",
      /EVOTRAINER_SSH/,
    );
    const other = execFileSync("sh", [
      "-c",
      `ssh-keygen -q -t ed25519 -N '' -f '${host.root}/other' && cut -d' ' -f1,2 '${host.root}/other.pub'`,
    ]);
    writeFileSync(join(host.root, "known_hosts"), `testhost ${other.toString()}`);
    assert.match((await login(host.route())).mend ?? "", /ssh-keygen -R/);
    writeFileSync(join(host.root, "known_hosts"), "");
    assert.match((await login(host.route())).mend ?? "", /accept it/);
    writeFileSync(join(host.root, "ssh_config"), "Nonsense yes\n");
    assert.match((await login(host.route())).mend ?? "", /ssh\/config/);
  });

  it("says what to do about an unanswered question, and stops on request", async () => {
    const host = await start({ passphrase: "x y z" });
    const helper = join(import.meta.dirname, "../ssh/prompts/askpass.cjs");
    let asked = (): void => undefined;
    const question = new Promise<void>((resolve) => (asked = resolve));
    const left = new PromptDesk({
      helper,
      answerer: { canAsk: () => true, ask: () => Promise.resolve(undefined) },
    });
    const [only] = await examineHost({ ...host.route(), prompts: left });
    assert.deepEqual([only?.about, only?.state], ["login", "bad"]);
    assert.match(only?.mend ?? "", /answer what ssh asks/);
    const waits = new PromptDesk({
      helper,
      answerer: {
        canAsk: () => true,
        ask: () => {
          asked();
          return new Promise(() => undefined);
        },
      },
    });
    const stop = new AbortController();
    const examined = examineHost({ ...host.route(), prompts: waits }, { signal: stop.signal });
    await question;
    stop.abort();
    await assert.rejects(examined, (e) => HarnessError.is(e, "cancelled"));
    for (const desk of [left, waits]) desk.close();
  });
});
