import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { skipBecause } from "../support/base/skip.ts";
import { evotrainer } from "./cli.ts";
import { makeToyProject } from "./toyProject.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** The command as a shell finds it: here as a function, since nothing is on the path. */
const asFunction = `evotrainer() { ${JSON.stringify(process.execPath)} ${JSON.stringify(cli)} "$@"; }\n`;

/** What bash offers behind the words, the last of which is being typed. */
function offeredByBash(cwd: string, ...words: string[]): string[] {
  const quoted = ["evotrainer", ...words].map((word) => `'${word}'`).join(" ");
  const script = `${asFunction}eval "$(evotrainer completion bash)"
COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _evotrainer; printf '%s\\n' "\${COMPREPLY[@]}"
complete -p evotrainer >&2\n`;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { cwd, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /-F _evotrainer evotrainer/);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completion in a shell", function () {
  this.timeout(60_000);
  let root = "";
  before(() => {
    root = makeToyProject();
    for (const job of ["v1.train.s1", "v1.audit.s1", "$(touch pwned)"])
      mkdirSync(join(root, ".evotrainer/runs", job), { recursive: true });
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("offers verbs, options, choices and names in bash", function () {
    if (!has("bash")) skipBecause(this, "bash is not installed");
    assert.deepEqual(offeredByBash(root, "comp"), ["compare", "completion"]);
    assert.deepEqual(offeredByBash(root, "check", "--fo"), ["--format"]);
    assert.deepEqual(offeredByBash(root, "check", "--format", "=", "g"), ["github"]);
    assert.deepEqual(offeredByBash(root, "rollouts", "--label", "leak-c"), ["leak-cherry-pick"]);
    // A job's name that is a command stays out.
    assert.deepEqual(offeredByBash(root, "logs", ""), ["v1.audit.s1", "v1.train.s1"]);
    assert.deepEqual(offeredByBash("/", "logs", ""), [], "there is no project");
  });

  it("offers the same in zsh", function () {
    if (!has("zsh")) skipBecause(this, "zsh is not installed");
    const script = `${asFunction}_describe() { print -l -- "\${(@P)2}" }
compdef() { print -- "compdef $*" }
eval "$(evotrainer completion zsh)"
words=(evotrainer check --fo); CURRENT=3; _evotrainer\n`;
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { cwd: root, encoding: "utf8" });
    assert.match(stdout, /^compdef _evotrainer evotrainer\n--format:how to print$/m, stderr);
  });

  it("starts the completion of zsh where the start file has not", function () {
    if (!has("zsh")) skipBecause(this, "zsh is not installed");
    const script = `${asFunction}eval "$(evotrainer completion zsh)" && print -r -- "$_comps[evotrainer]"`;
    // zsh keeps a list of what it found in this folder.
    const env = { ...process.env, ZDOTDIR: root };
    const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", script], { cwd: root, env, encoding: "utf8" });
    assert.deepEqual([stdout, stderr], ["_evotrainer\n", ""]);
  });

  it("offers the same in fish", function () {
    if (!has("fish")) skipBecause(this, "fish is not installed");
    const script = `function evotrainer; ${process.execPath} ${cli} $argv; end
evotrainer completion fish | source
complete -C "evotrainer check --fo"`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], {
      cwd: root,
      encoding: "utf8",
    });
    assert.match(stdout, /^--format\thow to print$/m, stderr);
  });

  it("refuses a shell that it has no script for, and names those that it has", () => {
    const ran = evotrainer(root, "completion", "tcsh");
    assert.equal(ran.code, 2);
    assert.match(evotrainer(root, "completion", "--help").stdout, /bash .*\n.*zsh .*\n.*fish /);
  });
});
