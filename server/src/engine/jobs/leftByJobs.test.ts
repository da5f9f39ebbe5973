import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { patience } from "../../../../test/support/base/patience.ts";
import { readPiece } from "./jobLog.ts";
import { openEvidence } from "../../evidence/contract/readLines.ts";
import { openFile } from "../../reading/bytes.ts";
import { summariseEvidence, readTail } from "../../runner/job/evidenceSummary.ts";
import { readJobFacts } from "../../runner/job/jobDirectory.ts";
import { readPlace } from "../../runner/job/runPlace.ts";
import { HarnessError } from "../../base/errors.ts";
import { digestFile } from "../../base/fileDigest.ts";
import { openPlainFile, readPlainHead } from "../../base/plainFile.ts";

describe("what a job leaves in the place of a file", () => {
  let folder = "";
  const at = (name: string): string => join(folder, name);
  beforeEach(function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no such pipes");
    folder = mkdtempSync(join(tmpdir(), "evo-plain-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** What reading comes to while nobody writes into the pipe; whoever waits for that is let go in the end. */
  async function unkept<T>(pipe: string, reading: () => Promise<T>): Promise<T | "kept waiting"> {
    const came = reading();
    const found = await Promise.race([came, delay(3000 * patience, "kept waiting" as const, { ref: false })]);
    if (found === "kept waiting") {
      closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
      await came;
    }
    return found;
  }

  it("keeps nobody waiting who opens it, if it is a pipe", async () => {
    const pipe = at("rollouts.jsonl");
    execFileSync("mkfifo", [pipe]);
    const isRefused = (e: unknown): string => (HarnessError.is(e, "badInput") ? "refused" : String(e));
    assert.equal(await unkept(pipe, () => openPlainFile(pipe)), undefined);
    assert.equal(await unkept(pipe, () => digestFile(pipe)), undefined);
    assert.equal(await unkept(pipe, () => readTail(pipe, 100)), "");
    assert.equal(await unkept(pipe, () => openFile(pipe).catch(isRefused)), "refused");
    assert.equal(await unkept(pipe, () => openEvidence(pipe).catch(isRefused)), "refused");
    execFileSync("mkfifo", [at("host.json")]);
    assert.equal(await unkept(at("host.json"), () => readPlace(folder)), undefined);
    const summary = await unkept(pipe, () => summariseEvidence(folder));
    assert.ok(summary !== "kept waiting" && summary.bytes === 0);
  });

  it("is not read as what the keeper wrote, if it is a pipe or a link", () => {
    writeFileSync(at("job"), "#evotrainer-job 2 a\n");
    execFileSync("mkfifo", [at("waiting")]);
    const pipe = openSync(at("waiting"), constants.O_RDWR);
    writeSync(pipe, "2 1 0\n");
    try {
      assert.equal(readJobFacts(folder)?.waitsFor, null);
    } finally {
      closeSync(pipe);
    }
    rmSync(at("waiting"));
    writeFileSync(at("elsewhere"), "2 1 0\n");
    symlinkSync("elsewhere", at("waiting"));
    assert.equal(readJobFacts(folder)?.waitsFor, null);
    rmSync(at("waiting"));
    writeFileSync(at("waiting"), "2 1 0\n");
    assert.equal(readJobFacts(folder)?.waitsFor, "it wants 2 GPUs and the machine has 1");
  });

  it("is not read as a log, if it is a link to what the job was not to see", async () => {
    writeFileSync(at("sealed"), "the audit split\n");
    symlinkSync("sealed", at("stdout.log"));
    assert.equal(await readTail(at("stdout.log"), 100), "");
    assert.deepEqual(await readPiece(at("stdout.log"), undefined, 100), {
      text: "",
      next: 0,
      size: 0,
      restarted: false,
    });
    assert.equal(readPlainHead(at("stdout.log"), 100), undefined);
    assert.equal(await readTail(at("sealed"), 100), "the audit split\n");
    assert.equal(String(readPlainHead(at("sealed"), 9)?.bytes), "the audit");
  });

  it("is read to no end, if it is a device or a folder", async () => {
    symlinkSync("/dev/zero", at("rollouts.jsonl"));
    mkdirSync(at("metrics.jsonl"));
    for (const name of ["rollouts.jsonl", "metrics.jsonl"])
      assert.equal(await openPlainFile(at(name), { links: "followed" }), undefined, name);
    assert.equal(await openPlainFile(at("none/x")), undefined);
  });
});
