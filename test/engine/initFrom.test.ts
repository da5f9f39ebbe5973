import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { fixtureSet } from "../support/evidence/import.ts";
import { evotrainer, lineageOf } from "./cli.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/from-your-runs.md"), "utf8");
/** A block of the page whose first line is a comment with the path. */
function blockOf(path: string): string {
  const [, text] = new RegExp(`^\`\`\`\\w+\\n# ${path}\\n([^]*?)^\`\`\`$`, "m").exec(page) ?? [];
  return text ?? assert.fail(`docs/from-your-runs.md has no ${path}`);
}
const Proposals = z.object({ proposals: z.array(z.looseObject({ id: z.string(), parent: z.string() })) });

describe("evotrainer init --from", function () {
  this.timeout(120_000);
  let root = "";
  let fixtures = "";
  before(function () {
    fixtures = fixtureSet(this, "rl_verl_rollout_dump");
  });
  beforeEach(() => {
    root = join(mkdtempSync(join(tmpdir(), "evo-from-")), "gsm8k");
    mkdirSync(root);
  });
  afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  /** The repository of the page: a launch script of verl, and two runs with real dumps. */
  function arrange(): void {
    const files = {
      "run_grpo.sh": blockOf("run_grpo.sh"),
      ".gitignore": "outputs\n",
      "outputs/run1/.hydra/overrides.yaml": blockOf("outputs/run1/.hydra/overrides.yaml"),
      "outputs/run2/.hydra/overrides.yaml": blockOf("outputs/run2/.hydra/overrides.yaml"),
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    for (const [run, name, as] of [
      ["run1", "1_8601a960.jsonl", "1.jsonl"],
      ["run2", "hecate_rollouts_2.jsonl", "2.jsonl"],
    ] as const) {
      mkdirSync(join(root, "outputs", run, "rollouts"));
      copyFileSync(join(fixtures, name), join(root, "outputs", run, "rollouts", as));
    }
    git("init", "--quiet", "--initial-branch=main");
    git("add", "--all");
    git("commit", "--quiet", "--message", "mine");
  }

  it("takes the page's launch script and two runs to a proposal, which is a diff to that script", () => {
    arrange();
    const shown = evotrainer(
      root,
      "init",
      "--from",
      "run_grpo.sh",
      "outputs/run1",
      "outputs/run2",
      "--dry-run",
    );
    assert.equal(shown.code, 0, shown.stderr);
    assert.equal(existsSync(join(root, "evotrainer.yaml")), false);
    assert.match(
      shown.stdout,
      /optim\.lr = 0\.000001: it says how the policy is updated \(run_grpo\.sh:8\), optimisation/,
    );
    assert.match(shown.stdout, /counts as solved what has reward >= 1\.0: all 628 rewards .* are 0 or 1/);
    assert.match(shown.stdout, /run2: actor_rollout_ref\.rollout\.temperature 0\.7 → 1 \(sampling\)/);

    const made = evotrainer(root, "init", "--from", "run_grpo.sh", "outputs/run1", "outputs/run2", "--yes");
    assert.equal(made.code, 0, made.stderr);
    assert.match(
      made.stdout,
      /^Added to .*:\n {2}evotrainer\.yaml\n {2}trainer\/verl_launch\.py\n {2}trainer\/evidence_writer\.py\nImported run1: 128 rollouts.*\nImported run2: 1,024 rollouts/m,
    );
    assert.equal(git("status", "--porcelain"), "?? evotrainer.yaml\n?? trainer/\n");
    assert.equal(readFileSync(join(root, "run_grpo.sh"), "utf8"), blockOf("run_grpo.sh"));
    const checked = evotrainer(root, "check");
    assert.doesNotMatch(checked.stdout, /error/);
    assert.deepEqual(
      lineageOf(root).versions.map(({ name, parent, factor, title }) => [name, parent, factor, title]),
      [
        ["run1", null, null, "imported run run1"],
        ["run2", "run1", "sampling", "actor_rollout_ref.rollout.temperature: 0.7 → 1"],
      ],
    );

    const answered = evotrainer(root, "--json", "propose");
    assert.equal(answered.code, 0, answered.stderr);
    const [first] = Proposals.parse(JSON.parse(answered.stdout)).proposals;
    assert.equal(first?.parent, "run2");
    const review = evotrainer(root, "review", first.id).stdout;
    assert.match(review, /^run_grpo\.sh\nhunk .*\n- {4}(\S+=)\S+ \\\n\+ {4}\1\S+ \\\n/m);
    // What it answers is what diagnose finds.
    assert.match(evotrainer(root, "diagnose", "run2").stdout, /critical: queries-reward/);
  });

  it("asks on a terminal only, and refuses what it cannot use before it writes anything", () => {
    arrange();
    const from = ["init", "--from", "run_grpo.sh", "outputs"];
    const asked = evotrainer(root, ...from);
    assert.equal(asked.code, 2);
    assert.match(
      asked.stderr,
      /Without a terminal, nobody can answer questions: look at the plan with --dry-run/,
    );
    assert.equal(evotrainer(root, ...from, "--yes", "--pass-when", "reward >").code, 2);
    assert.equal(existsSync(join(root, "evotrainer.yaml")), false);
    rmSync(join(root, ".git"), { recursive: true });
    assert.match(evotrainer(root, ...from, "--yes").stderr, /git/);
    assert.equal(existsSync(join(root, "evotrainer.yaml")), false);
  });

  it("refuses its options without it, so that a dry run never writes", () => {
    for (const option of [["--dry-run"], ["--yes"], ["--pass-when", "true"]])
      assert.equal(evotrainer(root, "init", ...option).code, 2);
    assert.equal(evotrainer(root, "init", "--from", "run.sh", "--command", "x").code, 2);
    assert.equal(existsSync(join(root, "evotrainer.yaml")), false);
  });

  it("refuses a folder that is a project already", () => {
    arrange();
    writeFileSync(join(root, "evotrainer.yaml"), "mine\n");
    const again = evotrainer(root, "init", "--from", "run_grpo.sh", "--yes");
    assert.deepEqual([again.code, again.stdout], [2, ""]);
    assert.match(again.stderr, /has an evotrainer\.yaml already/);
    assert.equal(readFileSync(join(root, "evotrainer.yaml"), "utf8"), "mine\n");
  });
});
