import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { shellWord } from "../../base/shellWord.ts";
import { hostTool } from "../../../../test/support/runner/tools.ts";
import { Bandwidth } from "./bandwidth.ts";
import { fetchFiles } from "./fetchFiles.ts";
import { HostShell } from "./hostShell.ts";
import { Room } from "./room.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";
import { upload } from "./transfer.ts";

const noise = "echo noise; echo 'evo begin 0'; printf 'half a line'; echo problem >&2\n";
const accounts = [
  { name: "sh", shell: "/bin/sh", profile: {} },
  { name: "bash with a noisy profile", shell: "/bin/bash", profile: { ".bashrc": noise, ".profile": noise } },
  {
    name: "tcsh with a noisy profile",
    shell: hostTool("tcsh"),
    profile: { ".cshrc": "echo noise; echo more\n" },
  },
  { name: "fish", shell: hostTool("fish"), profile: {} },
];

for (const account of accounts)
  describe(`a host shell under login shell ${account.name}`, function () {
    this.timeout(60_000);
    let started: TestHost | undefined;
    let host: TestHost;
    let shell: HostShell;
    before(async function () {
      const problem = hostProblem();
      if (problem !== undefined) skipBecause(this, problem);
      if (account.shell === undefined) skipBecause(this, `there is no ${account.name}`);
      started = host = await startTestHost({ shell: account.shell, profile: account.profile });
      shell = new HostShell({ ...host.route(), patienceSeconds: 20 });
    });
    after(async () => {
      if (started === undefined) return;
      shell.close();
      await started.stop();
    });

    it("answers scripts, whatever they contain", async () => {
      const text = `it's "$(touch /tmp/never)" \`x\` !! \\ * ~ -n \t ü`;
      const reply = await shell.run(`printf %s ${shellWord(text)}; echo; pwd; cat; echo err >&2`);
      assert.equal(reply.toString("utf8"), `${text}\n${host.home}\nerr\n`);
      const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => shell.run(`echo ${i}`)));
      assert.deepEqual(
        replies.map(String),
        Array.from({ length: 20 }, (_, i) => `${i}\n`),
      );
      assert.equal(String(await shell.run("true")), "");
      assert.equal(shell.connects, 1);
    });

    it("passes bytes both ways unchanged", async () => {
      const bytes = randomBytes(3_000_000);
      const hash = createHash("sha256").update(bytes).digest("hex");
      await upload(host.route(), 'cat >"$HOME/a file" && echo && echo received', Readable.from([bytes]));
      assert.match(String(await shell.run('sha256sum "$HOME/a file"')), new RegExp(`^${hash} `));
      const to = mkdtempSync(join(tmpdir(), "evo back "));
      try {
        const back = (limitBytes: number) =>
          fetchFiles({
            shell,
            bandwidth: new Bandwidth(undefined),
            room: new Room({ host: "testhost", runsDirectory: to, gigabytes: undefined }),
            from: host.home,
            patterns: ["a fil?"],
            to,
            limitBytes,
          });
        await assert.rejects(back(1_000_000), (e) => HarnessError.is(e, "diskFull"));
        await back(4_000_000);
        assert.ok(readFileSync(join(to, "a file")).equals(bytes));
      } finally {
        rmSync(to, { recursive: true });
      }
      assert.ok((await shell.run('cat "$HOME/a file"')).equals(bytes));
    });

    it("replaces a connection that was cut, killed or frozen", async () => {
      const before = shell.connects;
      host.killSessions();
      assert.equal(String(await shell.run("echo 1")), "1\n");
      host.proxy.reset();
      assert.equal(String(await shell.run("echo 2")), "2\n");
      host.proxy.freeze();
      const answer = shell.run("echo 3");
      // The old connection stays dead, as after a change of networks; a new one works.
      setTimeout(() => {
        host.proxy.reset();
        host.proxy.thaw();
      }, 1500);
      assert.equal(String(await answer), "3\n");
      assert.ok(shell.connects > before);
    });

    it("notices a link that died silently", async () => {
      assert.equal(String(await shell.run("echo up")), "up\n");
      host.proxy.freeze();
      const impatient = new HostShell({ ...host.route() });
      await assert.rejects(shell.run("echo x", { patience: 0 }), (e) =>
        HarnessError.is(e, "hostUnreachable"),
      );
      impatient.close();
      host.proxy.reset();
      host.proxy.thaw();
      assert.equal(String(await shell.run("echo back")), "back\n");
    });

    it("stops a host that never stops sending", async () => {
      await assert.rejects(shell.run("cat /dev/zero", { patience: 0 }), /answer is too large/);
      assert.equal(String(await shell.run("echo fine")), "fine\n");
    });
  });

describe("a refused host shell", function () {
  this.timeout(60_000);
  it("reports a refused login at once, and waits for a host that is away", async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    const host = await startTestHost();
    const stranger = new HostShell({ ...host.route({ user: "nobody-here" }), patienceSeconds: 60 });
    await assert.rejects(
      stranger.run("true"),
      (e) => HarnessError.is(e, "hostRefused") && /doctor testhost/.test(e.message),
    );
    await host.stop();
    const away = new HostShell({
      name: "away",
      spec: HostSpec.parse({ ssh: "127.0.0.1", port: host.proxy.port }),
      patienceSeconds: 0,
    });
    await assert.rejects(away.run("true"), (e) => HarnessError.is(e, "hostUnreachable"));
  });
});

describe("shell words", () => {
  it("arrive unchanged", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: "grapheme" }).filter((s) => !s.includes("\0")),
          { minLength: 1, maxLength: 5 },
        ),
        (words) => {
          const script = `printf '%s\\0' ${words.map(shellWord).join(" ")}`;
          assert.equal(
            execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }),
            words.map((w) => `${w}\0`).join(""),
          );
        },
      ),
      { numRuns: 50 },
    );
  });
});
