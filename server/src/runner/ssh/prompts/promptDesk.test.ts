import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import type { SshPrompt } from "../../../../../shared/protocol/views/prompt.ts";
import { HarnessError } from "../../../base/errors.ts";
import { fuzzRuns } from "../../../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../../../test/support/base/skip.ts";
import { until } from "../../../../../test/support/runner/jobs.ts";
import { HostShell } from "../hostShell.ts";
import {
  hostProblem,
  passwordProblem,
  startTestHost,
  type TestHost,
} from "../../../../../test/support/ssh/host.ts";
import { upload } from "../transfer.ts";
import { PromptDesk, type PromptDeskOptions } from "./promptDesk.ts";
import { isUsable, readPrompt } from "./promptText.ts";
import { hidden } from "../../../../../test/support/base/hostileText.ts";
import { callSocket } from "./tokenSocket.ts";

const helper = join(import.meta.dirname, "askpass.cjs");
const secret = "correct horse 'battery' $(staple) ü";

type Answer = string | undefined | ((signal: AbortSignal) => Promise<string | undefined>);

/** A desk whose user answers by a function, and what was asked. */
function deskFor(answer: (prompt: SshPrompt) => Answer, more: Partial<PromptDeskOptions> = {}) {
  const asked: SshPrompt[] = [];
  let open = 0;
  let most = 0;
  const desk = new PromptDesk({
    helper,
    answerer: {
      canAsk: () => true,
      ask: async (prompt, signal) => {
        asked.push(prompt);
        most = Math.max(most, ++open);
        const given = answer(prompt);
        // Long enough for another question to come up beside it.
        await new Promise((resolve) => setImmediate(resolve));
        try {
          return await (typeof given === "function" ? given(signal) : given);
        } finally {
          open--;
        }
      },
    },
    ...more,
  });
  return { desk, asked, most: () => most };
}
const untilAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));

describe("ssh questions", function () {
  this.timeout(60_000);
  const hosts: TestHost[] = [];
  const shells: HostShell[] = [];
  const desks: PromptDesk[] = [];
  const start = async (options: Parameters<typeof startTestHost>[0]): Promise<TestHost> => {
    const host = await startTestHost(options);
    hosts.push(host);
    return host;
  };
  const connect = (host: TestHost, desk: PromptDesk | undefined, patienceSeconds = 0): HostShell => {
    if (desk !== undefined && !desks.includes(desk)) desks.push(desk);
    const shell = new HostShell({
      ...host.route(),
      ...(desk === undefined ? {} : { prompts: desk }),
      patienceSeconds,
    });
    shells.push(shell);
    return shell;
  };
  before(function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
  });
  afterEach(async () => {
    for (const shell of shells.splice(0)) shell.close();
    for (const desk of desks.splice(0)) desk.close();
    for (const host of hosts.splice(0)) await host.stop();
  });

  it("reach the user once for all connections that share a question", async () => {
    const host = await start({ passphrase: secret });
    const { desk, asked } = deskFor(() => secret);
    const shell = connect(host, desk);
    const first = shell.run("echo in");
    await Promise.resolve();
    const sent = Array.from({ length: 4 }, (_, i) =>
      upload(shell.route, `cat >"$HOME/${i}" && echo && echo received`, Readable.from([String(i)])),
    );
    assert.equal(String(await first), "in\n");
    await Promise.all(sent);
    assert.deepEqual(
      asked.map(({ host: name, kind, text, repeated }) => [
        name,
        kind,
        /Enter passphrase for key/.test(text),
        repeated,
      ]),
      [["testhost", "secret", true, false]],
    );
  });

  it("are asked again after a wrong answer, no more often than the user's ssh would", async () => {
    const host = await start({ passphrase: secret });
    let answers = ["wrong", secret];
    const once = deskFor(() => answers.shift());
    const shell = connect(host, once.desk);
    assert.equal(String(await shell.run("echo in")), "in\n");
    shell.close();
    assert.deepEqual(
      once.asked.map(({ repeated }) => repeated),
      [false, true],
    );
    answers = Array.from({ length: 50 }, () => "wrong");
    const never = deskFor(() => answers.shift());
    await assert.rejects(connect(host, never.desk, 60).run("true"), (e) => HarnessError.is(e, "hostRefused"));
    assert.equal(never.asked.length, 3);
  });

  it("show an unknown host key as text, and accept it by yes or by its fingerprint", async () => {
    const host = await start({ unknown: true });
    const fingerprint =
      /SHA256:\S+/.exec(
        execFileSync("ssh-keygen", ["-lf", join(host.root, "host_key.pub")], { encoding: "utf8" }),
      )?.[0] ?? assert.fail("the key has a fingerprint");
    for (const answer of [fingerprint, "yes"]) {
      writeFileSync(join(host.root, "known_hosts"), "");
      const { desk, asked } = deskFor(() => answer);
      const shell = connect(host, desk);
      assert.equal(String(await shell.run("echo in")), "in\n");
      assert.deepEqual(
        asked.map(({ kind }) => kind),
        ["hostKey"],
      );
      assert.ok(asked[0]?.text.includes(fingerprint), asked[0]?.text);
      assert.match(readFileSync(join(host.root, "known_hosts"), "utf8"), /ssh-ed25519/);
      shell.close();
    }
  });

  for (const answer of ["no", "maybe", "", "SHA256:wrong+fingerprint"])
    it(`refuse an unknown key after ${JSON.stringify(answer)} without asking for ever`, async () => {
      const host = await start({ unknown: true });
      const { desk, asked } = deskFor(() => answer, { limit: 5 });
      await assert.rejects(connect(host, desk, 60).run("true"), (e) => HarnessError.is(e, "hostRefused"));
      assert.ok(asked.length <= 5, String(asked.length));
      assert.equal(readFileSync(join(host.root, "known_hosts"), "utf8"), "");
    });

  it("are limited: a connection that asks more than a login needs is ended", async () => {
    const host = await start({ passphrase: secret });
    const { desk, asked } = deskFor(() => "wrong", { limit: 1 });
    await assert.rejects(
      connect(host, desk, 60).run("true"),
      (e) => HarnessError.is(e, "hostRefused") && e.message.includes("asks more than a login needs"),
    );
    assert.equal(asked.length, 1);
  });

  it("end the connection if nobody answers, without another attempt", async () => {
    const host = await start({ passphrase: secret });
    const { desk, asked } = deskFor(() => undefined);
    const shell = connect(host, desk, 60);
    await assert.rejects(
      shell.run("true"),
      (e) => HarnessError.is(e, "hostRefused") && e.message.includes("not answered"),
    );
    assert.equal(asked.length, 1);
    assert.equal(shell.connects, 1);
    const late = deskFor(() => untilAborted, { answerSeconds: 0.2 });
    await assert.rejects(connect(host, late.desk, 60).run("true"), /not answered in time/);
  });

  it("are withdrawn when the connection ends in the meantime", async () => {
    const host = await start({ passphrase: secret });
    const aborted: string[] = [];
    const { desk, asked } = deskFor(() => async (signal) => {
      await untilAborted(signal);
      aborted.push("taken back");
      return undefined;
    });
    const shell = connect(host, desk);
    const run = shell.run("true");
    await until("it is asked", () => asked.length === 1);
    shell.close();
    await assert.rejects(run);
    await until("it is taken back", () => aborted.length === 1);
  });

  it("are asked one at a time, for any number of hosts and connections", async () => {
    const two = [await start({ passphrase: secret }), await start({ passphrase: secret })];
    const { desk, asked, most } = deskFor(() => secret);
    const replies = await Promise.all(two.map((host) => connect(host, desk).run("echo in")));
    assert.deepEqual(replies.map(String), ["in\n", "in\n"]);
    assert.equal(asked.length, 2);
    assert.equal(most(), 1);
  });

  it("pass codes on to a server that asks for them", async function () {
    const problem = passwordProblem();
    if (problem !== undefined) skipBecause(this, problem);
    const host = await start({ password: "734 221" });
    const answers = ["111 111", "734 221"];
    const { desk, asked } = deskFor(() => answers.shift());
    assert.equal(String(await connect(host, desk).run("echo in")), "in\n");
    assert.deepEqual(
      asked.map(({ kind, repeated }) => [kind, repeated]),
      [
        ["secret", false],
        ["secret", true],
      ],
    );
    assert.match(asked[0]?.text ?? "", /Password:/);
  });

  it("fail at once when nobody can answer, and say what to do", async () => {
    const host = await start({ passphrase: secret });
    await assert.rejects(
      connect(host, undefined, 60).run("true"),
      (e) =>
        HarnessError.is(e, "hostRefused") && /nobody was there.*doctor testhost.*ssh-add/.test(e.message),
    );
    const away = deskFor(() => secret, {
      answerer: { canAsk: () => false, ask: () => assert.fail("asked") },
    });
    await assert.rejects(connect(host, away.desk, 60).run("true"), /nobody was there/);
    const unknown = await start({ unknown: true });
    await assert.rejects(connect(unknown, undefined, 60).run("true"), /Host key verification failed.*nobody/);
  });

  it("leave no secret in arguments, environments or files, and nothing that others could use", async () => {
    const host = await start({ passphrase: secret });
    const seen = new Set<string>();
    const look = (): void => {
      for (const pid of readdirSync("/proc").filter(
        (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
      ))
        for (const file of ["cmdline", "environ"])
          try {
            const text = readFileSync(`/proc/${pid}/${file}`, "utf8");
            if (text.includes(secret)) seen.add(`${pid} ${file}`);
          } catch {
            // It ended meanwhile.
          }
    };
    let file = "";
    let token: unknown;
    const { desk } = deskFor(() => {
      const running = execFileSync("ps", ["-eo", "args="], { encoding: "utf8" });
      file = /\S+\/ask-\d+-\w+\/1(?= )/.exec(running)?.[0] ?? assert.fail("the helper is there");
      token = JSON.parse(readFileSync(file, "utf8"));
      look();
      return secret;
    });
    const shell = connect(host, desk);
    assert.equal(String(await shell.run("echo in")), "in\n");
    look();
    assert.deepEqual([...seen], []);
    const folder = dirname(file);
    const socket = join(folder, "socket");
    for (const [path, mode] of [
      [folder, 0o700],
      [socket, 0o600],
      [file, 0o600],
    ] as const)
      assert.equal(statSync(path).mode & 0o777, mode, path);
    // The token is of one connection; another one, or none, opens nothing.
    for (const message of [{}, { token: "x", text: "y", hint: "" }])
      assert.equal(await callSocket(socket, message), undefined);
    shell.close();
    await until("the program of the connection is removed", () => !existsSync(file));
    assert.equal(await callSocket(socket, { ...(token as object), text: "", hint: "" }), undefined);
    desk.close();
    assert.equal(existsSync(folder), false);
  });
});

describe("the texts of questions", () => {
  it("are recognised as ssh writes them", () => {
    const key = "Are you sure you want to continue connecting (yes/no/[fingerprint])? ";
    const cases: [string, string, SshPrompt["kind"]][] = [
      [
        `The authenticity of host 'a (1.2.3.4)' can't be established.\nED25519 key fingerprint is SHA256:x.\n${key}`,
        "",
        "hostKey",
      ],
      ["Please type 'yes', 'no' or the fingerprint: ", "", "hostKey"],
      ["Enter passphrase for key '/home/a b/.ssh/id': ", "", "secret"],
      ["(ada@host) Verification code: ", "", "secret"],
      ["Confirm user presence for key ED25519-SK SHA256:x", "none", "notice"],
      ["Allow shared connection to host?", "confirm", "confirm"],
    ];
    for (const [text, hint, kind] of cases) assert.equal(readPrompt(text, hint).kind, kind, text);
  });

  it("contain nothing that a terminal or an editor would act on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const shown = readPrompt(text, "").text;
        assert.doesNotMatch(shown, hidden);
        assert.ok(shown.length <= 4000);
      }),
      { numRuns: fuzzRuns() },
    );
    assert.equal(
      readPrompt("a\u001b[31mb\u0007\u202ec\r\nd\u200b", "").text,
      String.raw`a\x1b[31mb\x07\u202ec` + "\nd\\u200b",
    );
  });

  it("accept only answers that ssh accepts", () => {
    for (const good of ["yes", "no", "SHA256:ab+/c="]) assert.ok(isUsable("hostKey", good));
    for (const bad of ["", "y", "YES\n", "yes no", "SHA256:"]) assert.ok(!isUsable("hostKey", bad), bad);
    for (const bad of ["a\nb", "a\0", "x".repeat(1001)]) assert.ok(!isUsable("secret", bad));
    assert.ok(isUsable("secret", ""));
  });
});
