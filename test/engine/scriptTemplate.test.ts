import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { skipBecause } from "../support/base/skip.ts";
import { evotrainer, lineageOf } from "./cli.ts";

const example = join(import.meta.dirname, "../../dist/examples/script");
const Made = z.object({ added: z.array(z.string()), commandFiles: z.array(z.string()).nullable() });

describe("evotrainer init --template script", function () {
  this.timeout(180_000);
  let root = "";
  before(function () {
    if (spawnSync("python3", ["-c", "0"]).status !== 0) skipBecause(this, "there is no python3 here");
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-script-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  /** A rule answers the gates, and one change is tried. */
  const tryOne = (): void => {
    const path = join(root, "evotrainer.yaml");
    const text = readFileSync(path, "utf8")
      .replace(/autonomy: .*/, "autonomy: full")
      .replace("firstVersionsGated: 3", "firstVersionsGated: 0")
      .replace("generations: 2", "generations: 1")
      .replace("variantsPerGeneration: 2", "variantsPerGeneration: 1");
    writeFileSync(path, text);
  };

  it("makes a project that runs as it is", () => {
    const made = evotrainer(root, "init", ".", "--template", "script");
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /\ntrain\.py is a whole trainer that runs at once; put yours in its place\./);
    const checked = evotrainer(root, "check");
    assert.equal(checked.code, 0, checked.stdout);
    assert.match(checked.stdout, /No problem in any spec\./);
    assert.ok(readFileSync(join(root, "train.py"), "utf8").trim().split("\n").length <= 55);
  });

  it("takes the script of a repository that is there to a version that is kept or rejected", () => {
    git("init", "--quiet", "--initial-branch=main");
    copyFileSync(join(example, "train.py"), join(root, "learn.py"));
    git("add", "--all");
    git("commit", "--quiet", "--message", "mine");
    const told = evotrainer(
      root,
      "init",
      "--template",
      "script",
      "--command",
      "python3 learn.py --quietly yes",
    );
    assert.equal(told.code, 0, told.stderr);
    assert.match(told.stdout, /^ {2}4\. Write one line for each try into EVO_RUN_DIR\/rollouts\.jsonl/m);
    assert.match(told.stdout, /^learn\.py stays the same in every version/m);
    const spec = readFileSync(join(root, "evotrainer.yaml"), "utf8");
    assert.match(spec, /^ {2}command: \[python3, learn\.py, "--quietly", "yes"\] #/m);
    assert.match(spec, /^ {4}- learn\.py\n {4}- evidence_writer\.py$/m);
    assert.match(
      told.stdout,
      /It can write the lines with evidence_writer\.py, which begins with an example:$/m,
    );
    assert.doesNotMatch(spec, /train\.py/);
    assert.match(evotrainer(root, "check").stdout, /No problem in any spec\./);
    tryOne();
    git("add", "--all");
    git("commit", "--quiet", "--message", "a project");
    const evolved = evotrainer(root, "evolve");
    assert.equal(evolved.code, 0, evolved.stderr);
    const tried = lineageOf(root).versions.filter(({ factor }) => factor !== null);
    assert.equal(tried.length, 1);
    assert.ok(["keep", "reject"].includes(tried[0]?.decision ?? ""), tried[0]?.reason);
  });

  it("puts a writer of evidence beside the script, where the script finds it", () => {
    mkdirSync(join(root, "src"));
    writeFileSync(
      join(root, "src/mine.py"),
      [
        "from evidence_writer import EvidenceWriter",
        "with EvidenceWriter() as evidence:",
        '    evidence.rollout(id="a-0", split="train", step=0, item="a", outcome="pass", reward=1.0, turns=[])',
      ].join("\n"),
    );
    const made = evotrainer(root, "init", "--template", "script", "--command", "python3 src/mine.py");
    assert.equal(made.code, 0, made.stderr);
    const env = { ...process.env, EVO_RUN_DIR: join(root, "try"), EVO_RUN_ID: "try", EVO_SEED: "1" };
    execFileSync("python3", ["src/mine.py"], { cwd: root, env });
    assert.equal(evotrainer(root, "validate", "try/rollouts.jsonl").code, 0);
  });

  it("says which files it added, and refuses a command that needs a shell before it adds any", () => {
    const refused = evotrainer(root, "init", "--template", "script", "--command", "a | b");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /started without a shell, so it cannot have "\|"/);
    assert.equal(evotrainer(root, "init", "--command", "a").code, 2);
    const { added, commandFiles } = Made.parse(
      JSON.parse(evotrainer(root, "--json", "init", "--template", "script", "--command", "./run").stdout),
    );
    assert.ok(added.includes("harness/settings.json") && !added.includes("train.py"));
    assert.deepEqual(commandFiles, []);
  });
});
