import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { skipBecause } from "../support/base/skip.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
const preload = resolve(import.meta.dirname, "../support/base/asWindows.cjs");

/** What can be seen of Windows on another system; docs/releasing.md says what has to be tried there. */
describe("the command line that takes itself to be on Windows", function () {
  this.timeout(120_000);
  let root = "";
  const evotrainer = (folder: string, ...args: string[]) =>
    spawnSync(process.execPath, ["--require", preload, cli, ...args], {
      cwd: join(root, folder),
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        ...{ HOME: join(root, "home"), APPDATA: join(root, "roaming"), TEMP: join(root, "temp") },
      },
    });
  before(function () {
    if (process.platform === "win32") skipBecause(this, "there is no need to pretend");
    root = mkdtempSync(join(tmpdir(), "evo-windows-"));
    for (const name of ["home", "roaming", "temp", "plain/outputs"])
      mkdirSync(join(root, name), { recursive: true });
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("imports and labels rollouts, and answers over a named pipe that nobody can guess", () => {
    const lines = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({ input: `Question ${i}`, output: "I do not know.", score: 0, step: 1 }),
    );
    writeFileSync(join(root, "plain/outputs/1.jsonl"), lines.join("\r\n"));
    const imported = evotrainer("plain", "import", "outputs", "--pass-when", "reward >= 1.0");
    assert.equal(imported.status, 0, imported.stderr);
    assert.match(imported.stdout, /^40 rollouts/);
    const owner = readFileSync(join(root, "plain/.evotrainer/owner.json"), "utf8");
    assert.match(owner, /\\\\\\\\\.\\\\pipe\\\\evotrainer-[\da-f]{12}-[\da-f]{32}"/);
    const diagnosed = evotrainer("plain", "diagnose");
    assert.equal(diagnosed.status, 1, diagnosed.stderr);
    assert.match(diagnosed.stdout, /nothing-solved/);
  });

  it("makes a project and checks it, and says where its jobs can run", () => {
    const made = evotrainer(".", "init", "swe");
    assert.equal(made.status, 0, made.stderr);
    assert.equal(evotrainer("swe", "check").status, 0);
    const evolved = evotrainer("swe", "evolve", "--approve");
    assert.equal(evolved.status, 2);
    assert.match(evolved.stderr, /Jobs on this machine need Linux or macOS; open the folder in WSL/);
    const doctor = evotrainer("swe", "doctor");
    assert.match(
      doctor.stdout,
      /note jobs +jobs on this machine need Linux or macOS\n +Open the folder in WSL/,
    );
    assert.equal(doctor.status, 0, doctor.stderr);
  });

  it("keeps the user's key where programs keep what is theirs", () => {
    assert.ok(existsSync(join(root, "roaming/evotrainer/keys/engine.key")));
    assert.deepEqual(readdirSync(join(root, "home")), []);
  });
});
