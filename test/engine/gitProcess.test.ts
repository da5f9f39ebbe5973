import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { HarnessError } from "../../server/src/base/errors.ts";
import { gitEnvironment } from "../../server/src/lineage/gitProcess/direct.ts";
import { GitError } from "../../server/src/lineage/gitProcess/gitError.ts";
import { SmallProcess } from "../../server/src/lineage/gitProcess/smallProcess.ts";
import { makeTestRepository } from "../support/lineage/repository.ts";
import { eventually } from "../support/owner/ownerProcess.ts";

const program = resolve(import.meta.dirname, "../../dist/git.cjs");

describe("the small process that starts git", () => {
  const made = makeTestRepository();
  let ended = 0;
  const small = new SmallProcess(program, () => (ended += 1));
  after(() => made.dispose());

  const command = (...args: string[]) => ({
    ...{ directory: made.root, config: [], base: gitEnvironment(), args },
  });

  it("answers as git does, byte for byte", async () => {
    const head = made.git("rev-parse", "HEAD");
    assert.equal(await small.text(command("rev-parse", "HEAD")), head);
    const bytes = Buffer.from([0, 255, 10, 13, 0x1b, 10]);
    const input = { input: bytes };
    const id = await small.text({ ...command("hash-object", "-w", "--stdin"), ...input });
    assert.deepEqual(await small.bytes(command("cat-file", "blob", id)), bytes);
  });

  it("tells failures from each other as git itself would", async () => {
    await assert.rejects(small.text(command("cat-file", "-t", "nope")), (e) => {
      assert.ok(e instanceof GitError);
      assert.equal(e.exitCode, 128);
      assert.match(e.stderr, /nope/);
      return true;
    });
    const elsewhere = { ...command("rev-parse", "HEAD"), directory: `${made.root}/none` };
    await assert.rejects(small.text(elsewhere), (e) => HarnessError.is(e, "notFound"));
  });

  it("keeps questions apart that were asked at the same time", async () => {
    const asked = Array.from({ length: 20 }, (_, i) =>
      small.text(command("rev-parse", `HEAD^{${i % 2 ? "tree" : "commit"}}`)),
    );
    const [commit, tree] = [made.git("rev-parse", "HEAD"), made.git("rev-parse", "HEAD^{tree}")];
    assert.deepEqual(
      await Promise.all(asked),
      asked.map((_, i) => (i % 2 ? tree : commit)),
    );
  });

  it("hands over a long answer piece by piece, and goes on after a reader that broke off", async () => {
    const long = randomBytes(3_000_000);
    const id = await small.text({ ...command("hash-object", "-w", "--stdin"), input: long });
    const pieces: Buffer[] = [];
    await small.stream(command("cat-file", "blob", id), (piece) => void pieces.push(piece));
    assert.ok(pieces.length > 1);
    assert.ok(Buffer.concat(pieces).equals(long));
    const breaksOff = small.stream(command("cat-file", "blob", id), () => {
      throw new Error("enough");
    });
    await assert.rejects(breaksOff, /^Error: enough$/);
    assert.equal(await small.text(command("cat-file", "-s", id)), "3000000");
  });

  it("starts another program, which gets its input and is told of with what it said and how it ended", async () => {
    const started: (number | undefined)[] = [];
    const script = "cat; echo problem >&2; echo $$; exit 7";
    const end = await small.program(
      { program: "/bin/sh", args: ["-c", script], cwd: made.root, env: {}, input: "in\n" },
      ({ pid }) => started.push(pid),
    );
    assert.deepEqual(end, { code: 7, out: `in\n${started[0] ?? ""}\n`, err: "problem\n" });
    const none = await small.program({ program: "/no/program", args: [], cwd: made.root, env: {} });
    assert.equal(none.code, null);
    assert.match(none.err, /ENOENT/);
  });

  it("starts a program with a log that outlives it, and keeps nobody who waits for that from ending", async () => {
    const [log, go] = ["program.log", "go"].map((name) => join(made.root, ".git", name));
    assert.ok(log !== undefined && go !== undefined);
    const script = `echo begun >&2; until [ -e '${go}' ]; do sleep 0.1; done; echo done >&2`;
    const code = `
      import { SmallProcess } from ${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, "../../server/src/lineage/gitProcess/smallProcess.ts")).href)};
      const small = new SmallProcess(${JSON.stringify(program)}, () => undefined);
      void small.program({ program: "/bin/sh", args: ["-c", ${JSON.stringify(script)}], cwd: "/", env: process.env, log: ${JSON.stringify(log)} }, () => {
        console.log("started");
        clearInterval(stay);
      });
      const stay = setInterval(() => undefined, 1000);`;
    const run = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    run.stdout.on("data", (text: Buffer) => (said += text.toString()));
    const [status] = (await once(run, "close")) as [number | null];
    assert.deepEqual([status, said], [0, "started\n"]);
    // The program still waits, so that the process above ended before it.
    await eventually("the program runs", () => readFileSync(log, "utf8") === "begun\n");
    writeFileSync(go, "");
    await eventually("the program goes on", () => readFileSync(log, "utf8") === "begun\ndone\n");
  });

  it("says so when it is gone, and is no answer of git's", async () => {
    const waits = { ...command("wait"), config: ["alias.wait=!sleep 3"] };
    const gone = assert.rejects(
      small.bytes(waits),
      (e) => HarnessError.is(e, "gitFailed") && !(e instanceof GitError),
    );
    assert.ok(small.pid !== undefined);
    process.kill(small.pid, "SIGKILL");
    await gone;
    assert.equal(ended, 1);
    await assert.rejects(small.text(command("rev-parse", "HEAD")), /has ended; try again/);
  });

  it("ends with the process that started it", async () => {
    const starts = `const c = require("node:child_process").fork(${JSON.stringify(program)}, [], { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] }); console.log(c.pid);`;
    const parent = spawn(process.execPath, ["-e", starts], { stdio: ["ignore", "pipe", "inherit"] });
    const [said] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(said.toString());
    process.kill(pid, 0);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await eventually("it ends as well", () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  });
});
