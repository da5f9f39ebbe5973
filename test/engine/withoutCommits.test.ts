import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { testEnvironment } from "../support/lineage/repository.ts";
import { evotrainer } from "./cli.ts";
import { verlSample } from "./importAnswers.ts";

const project = `apiVersion: evotrainer/v1
kind: Project
name: toy
domain: toy
trainer: { command: [node, trainer.mjs] }
evaluation:
  splits: { train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }
surfaces: [{ factor: reward, file: harness/toy.yaml }]
`;

describe("a git repository without commits", function () {
  this.timeout(120_000);
  let root = "";
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: testEnvironment, encoding: "utf8" });
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "evo-no-commits-")));
    git("init", "--quiet");
    write("outputs/v0.jsonl", verlSample() + verlSample({ score: 0 }));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const saysHow = (): string =>
    `The git repository ${root} has no commits yet, and every version starts from one; run \`git add --all && git commit --message "first commit"\` there first.\n`;

  it("takes evidence of a project, and shows it; what makes versions says how to make the first commit", () => {
    write("evotrainer.yaml", project);
    // Nobody has imported anything: there is nothing to look at, and no archive is made for it.
    assert.equal(evotrainer(root, "diagnose").stderr, saysHow());
    write("later/v0.jsonl", verlSample() + verlSample({ score: 1 }));
    for (const [folder, run] of [
      ["outputs", "v0"],
      ["later", "x.audit.s1"],
    ] as const) {
      const imported = evotrainer(root, "import", folder, "--run", run, "--version", run);
      assert.equal(imported.code, 0, imported.stderr);
    }
    for (const [args, says] of [
      [["rollouts", "v0"], /^v0, train split: 2 rollouts/],
      [["rollouts", "show", "x.audit.s1/v0-1"], /^x\.audit\.s1\/v0-1\n/],
      [["diagnose", "v0"], /^v0, train split\n/],
      [["gaps", "v0"], /^v0, train split, 2 rollouts/],
      [["compare", "v0", "x.audit.s1", "--labels"], /^Labels from v0 to x/],
      [["items"], /^Rollouts that passed/],
      [["attach", "outputs", "--once"], /^Version v0, train split: 2 rollouts/],
    ] as const) {
      const ran = evotrainer(root, ...args);
      assert.match(ran.stdout, says, `${args.join(" ")}: ${ran.stderr}`);
    }
    assert.doesNotMatch(git("status", "--short", "--untracked-files=all"), /\.evotrainer/);
    for (const verb of ["lineage", "propose", "review", "export", "evolve"]) {
      const ran = evotrainer(root, verb);
      assert.equal(ran.stderr, saysHow(), verb);
      assert.equal(ran.stdout, "");
    }
  });

  it("is told the same by init --from, which writes nothing then; its plan needs no commit", () => {
    write(
      "run.sh",
      'python3 -m verl.trainer.main_ppo trainer.nnodes=1 actor_rollout_ref.rollout.temperature=0.2 "$@"\n',
    );
    const from = ["init", "--from", "run.sh", "outputs"] as const;
    const plan = evotrainer(root, ...from, "--dry-run");
    assert.match(plan.stdout, /rollout\.temperature = 0\.2/, plan.stderr);
    assert.equal(evotrainer(root, ...from, "--yes").stderr, saysHow());
    assert.equal(git("status", "--short"), "?? outputs/\n?? run.sh\n");
    git("add", "--all");
    git("-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-m", "first commit");
    const made = evotrainer(root, ...from, "--yes");
    assert.equal(made.code, 0, made.stderr);
  });
});
