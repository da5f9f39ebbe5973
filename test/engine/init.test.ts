import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { evotrainer, lineageOf } from "./cli.ts";

/** What the lines of the README find in the example that it tells of; other lines are tried by tests of their verbs. */
const found: Readonly<Record<string, RegExp>> = {
  "rollouts v3 --label":
    /^v3-visible-history, selection split: \d+ rollouts, 0 pass, .*, [1-9]\d* not valid$/m,
  "rollouts v2 --search": /»expected 0«/,
  "compare v1 v2 --flips": /improved, \d+ paired items\.[^]* (?:fixed|solved more often) /,
  "compare v1 v3 --labels": /^history-leak .* appeared$/m,
  "gaps v3 --without": /^ {2}A new way to pass: .*history/m,
  "cases v2": /^ +0\.\d\d +v3-visible-history on v1 .* invalid/m,
};

function readmeLinesSayWhatTheySay(project: string): void {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  for (const [start, says] of Object.entries(found)) {
    const line = readme.split("\n").find((one) => one.startsWith(`evotrainer ${start}`));
    assert.ok(line !== undefined, `README.md has no line that begins with: evotrainer ${start}`);
    const args = line.replace(/\s+#.*$/, "").match(/"[^"]*"|\S+/g) ?? [];
    const { stdout, stderr } = evotrainer(project, ...args.slice(1).map((arg) => arg.replaceAll('"', "")));
    assert.match(stdout, says, `${line}\n${stdout.slice(0, 2000)}\n${stderr}`);
  }
}

const Made = z.object({ added: z.array(z.string()), kept: z.array(z.string()), committed: z.boolean() });

describe("evotrainer init", function () {
  this.timeout(60_000);
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-init-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" });

  it("makes a repository with one commit of a folder that is empty", () => {
    const { committed, kept } = Made.parse(JSON.parse(evotrainer(root, "--json", "init", ".").stdout));
    assert.deepEqual([committed, kept], [true, []]);
    assert.match(git("log", "--format=%s"), /^Start from the swe-gym template\n$/);
    assert.equal(git("status", "--porcelain"), "");
  });

  it("adds its files to a repository that is there, overwrites none, and says which", () => {
    git("init", "--quiet");
    writeFileSync(join(root, "README.md"), "mine\n");
    mkdirSync(join(root, "harness"));
    writeFileSync(join(root, "harness/train.yaml"), "my: own\n");
    const { code, stdout, stderr } = evotrainer(root, "init", ".");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Added to .*:\n(?: {2}.*\n)* {2}evotrainer\.yaml\n/);
    assert.match(stdout, /^Not overwritten.*:\n {2}README\.md\n {2}harness\/train\.yaml\n/m);
    assert.match(
      stdout,
      /^Put your own keys into `surfaces` and `frozen` of evotrainer\.yaml:\n {2}harness\/train\.yaml has no \S+, so no version can change it\.\n/m,
    );
    assert.match(stdout, /^Nothing was committed\. /m);
    assert.equal(readFileSync(join(root, "README.md"), "utf8"), "mine\n");
    assert.equal(readFileSync(join(root, "harness/train.yaml"), "utf8"), "my: own\n");
    assert.ok(existsSync(join(root, "data/train.jsonl")));
    assert.match(git("status", "--porcelain"), /^\?\? README\.md$/m);
    const again = evotrainer(root, "init", ".");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /has an evotrainer\.yaml already/);
  });

  it("adds all of them to a repository without a file", () => {
    git("init", "--quiet");
    const { added, kept, committed } = Made.parse(JSON.parse(evotrainer(root, "--json", "init").stdout));
    assert.ok(added.includes("evotrainer.yaml") && added.includes("harness/train.yaml"));
    assert.deepEqual([kept, committed], [[], false]);
  });

  it("lays out the finished example: decided versions, jobs, rollouts, and a ledger that counts", function () {
    this.timeout(240_000);
    const keys = process.env["EVOTRAINER_KEYS"];
    process.env["EVOTRAINER_KEYS"] = join(root, "keys");
    try {
      const project = join(root, "finished");
      const made = evotrainer(root, "init", "finished", "--finished");
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stdout, /^Made finished in .*, as an evolution left it\. You trust the key/);
      assert.equal(execFileSync("git", ["status", "--porcelain"], { cwd: project, encoding: "utf8" }), "");
      const { versions } = lineageOf(project);
      assert.deepEqual([...new Set(versions.map(({ decision }) => decision))].sort(), [
        ...["base", "invalid", "keep", "pending", "reject"],
      ]);
      assert.match(
        evotrainer(project, "lineage").stdout,
        /^(?!.*(?:is a claim|this version counts|does not count))/s,
      );
      assert.match(evotrainer(project, "jobs").stdout, /v1\.train\.s1 +finished +80\/80/);
      readmeLinesSayWhatTheySay(project);
      assert.match(evotrainer(project, "items", "--limit", "1").stdout, /⊘ v3-visible-history .*changes/);
      // The loop labels the selection split alone; a backtest has to look at the training rollouts itself.
      const explained = evotrainer(project, "propose", "--explain", "--parent", "v1").stdout;
      assert.match(explained, /dead groups \d+ → \d+ of \d+; (less|more): \S+/);
      assert.match(explained, /`efficiency` would pay for failing: of the \d+ archived/);
      const again = evotrainer(root, "init", "finished", "--finished");
      assert.match(again.stderr, /has an evotrainer\.yaml already/);
      const other = evotrainer(root, "init", "other", "--template", "math", "--finished");
      assert.match(other.stderr, /only that example is finished/);
    } finally {
      if (keys === undefined) delete process.env["EVOTRAINER_KEYS"];
      else process.env["EVOTRAINER_KEYS"] = keys;
    }
  });
});
