import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { evotrainer, lineageOf, startEvotrainer, stateOf } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";
import { makeToyProject, oneChange, testedOnce, toyFiles, toyHarness } from "./toyProject.ts";

const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });

describe("evolve", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const project = (changes?: Parameters<typeof makeToyProject>[0]): string => {
    const root = makeToyProject(changes);
    made.push(root);
    return root;
  };
  let evolved = "";
  before(() => {
    evolved = makeEvolvedProject();
    made.push(evolved);
  });
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  it("keeps, rejects and invalidates versions, and promotes the best sound one", () => {
    const { versions } = lineageOf(evolved);
    assert.deepEqual(
      versions.map((v) => [v.name, v.parent, v.decision, v.promoted]),
      [
        ["v0", null, "base", false],
        ["v1", "v0", "keep", false],
        ["v2-linear-shape", "v1", "keep", true],
        ["v3-bonus", "v1", "reject", false],
        ["v4-faster", "v1", "reject", false],
        ["v5-visible-history", "v2-linear-shape", "invalid", false],
      ],
    );
    const [leaking, best] = [versions.at(-1), versions[2]];
    assert.ok((leaking?.score ?? 0) > (best?.score ?? 1), "the leaking version scores highest");
    assert.equal(leaking?.cleanBy, "reevaluated");
    assert.ok((leaking.score ?? 0) - (leaking.cleanScore ?? 1) > 0.2, "and scores less without the leak");
    assert.match(
      leaking.reason,
      /It scored \d+\.\d %; the same policy scores \d+\.\d % in its parent's environment, where the leak is closed\./,
    );
    assert.ok((best?.comparison?.low ?? 0) > 0);
    assert.notEqual(best?.audit, null);
    assert.equal(leaking.audit, null, "the audit split stays sealed for what is not promoted");
  });

  it("leaves uncommitted work, a staged change and a detached head as they are, says what is not part of the run, and trains each version from the policy that the project names", () => {
    const fromParent = project({
      "evotrainer.yaml": oneChange(testedOnce(toyFiles["evotrainer.yaml"] ?? "")).replace(
        "budgetSeconds: 60",
        "budgetSeconds: 60, start: parent",
      ),
    });
    git(fromParent, "checkout", "--quiet", "--detach");
    appendFileSync(join(fromParent, "harness/toy.yaml"), "# mine\n");
    writeFileSync(join(fromParent, "staged.txt"), "staged\n");
    writeFileSync(join(fromParent, "untracked.txt"), "untracked\n");
    git(fromParent, "add", "staged.txt");
    const look = (): unknown => [
      git(fromParent, "status", "--porcelain=v2", "--branch"),
      git(fromParent, "diff"),
      git(fromParent, "diff", "--cached"),
      readFileSync(join(fromParent, ".git/HEAD"), "utf8"),
      git(fromParent, "stash", "list"),
    ];
    const before = look();
    const ran = evotrainer(fromParent, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stderr, /2 changed files are not committed and not part of this evolution/);
    assert.deepEqual(look(), before);
    assert.equal(git(fromParent, "show", "evo/toy/v1:harness/toy.yaml").includes("# mine"), false);
    const skill = (root: string, run: string): number => {
      const text = readFileSync(join(root, ".evotrainer/runs", run, "policy"), "utf8");
      return z.object({ skill: z.number() }).parse(JSON.parse(text)).skill;
    };
    // The toy trainer adds a version's gain to the skill of the policy that it starts from.
    const gain = (root: string, from: string): number =>
      Number((skill(root, "v2-linear-shape.train.s1") - skill(root, from)).toFixed(6));
    const alone = gain(evolved, "v0.selection.s1");
    assert.equal(gain(fromParent, "v1.train.s1"), alone);
    assert.ok(skill(fromParent, "v1.train.s1") > skill(fromParent, "v0.selection.s1"));
  });

  it("shows the turns on which a decision rests", () => {
    const pointer = lineageOf(evolved).versions.at(-1)?.evidence[0];
    assert.ok(pointer);
    const ran = evotrainer(evolved, "--json", "rollouts", "show", pointer.rollout);
    const shown = JSON.parse(ran.stdout) as { rollout: { outcome: string; turns: { tool?: string }[] } };
    assert.equal(shown.rollout.outcome, "pass");
    assert.deepEqual(
      pointer.turns.map((t) => shown.rollout.turns[t]?.tool),
      ["history"],
    );
  });

  it("makes each version one factor away from its parent, as a commit on a separate branch", () => {
    for (const v of lineageOf(evolved).versions) {
      assert.equal(git(evolved, "rev-parse", `evo/toy/${v.name}`).trim(), v.commit);
      const changed = git(evolved, "diff", "--stat", "--numstat", `${v.commit}^`, v.commit)
        .trim()
        .split("\n")
        .filter(Boolean);
      assert.ok(
        v.factor === null ? changed.length === 0 : changed[0]?.startsWith("1\t1\tharness/toy.yaml"),
        `${v.name}: ${changed.join()}`,
      );
    }
  });

  it("seals the audit split against the command line", () => {
    const ran = evotrainer(evolved, "rollouts", "show", "v5-visible-history.audit.s1/audit-audit-0-4-0");
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, /no rollout/i);
    assert.equal(evotrainer(evolved, "rollouts", "--split", "audit").code, 2);
  });

  it("continues with more generations when asked, and otherwise stops", () => {
    const before = lineageOf(evolved);
    const ran = evotrainer(evolved, "evolve");
    assert.equal(ran.code, 0);
    assert.deepEqual(lineageOf(evolved), before);
  });

  it("lets one engine at a time work on a project, and says which one", async () => {
    const root = project({ "harness/toy.yaml": toyHarness({ step_ms: 200 }) });
    const first = startEvotrainer(root, "evolve");
    const over = once(first, "exit");
    while (!existsSync(join(root, ".evotrainer/runs/v0.selection.s1/job"))) await delay(20);
    const second = evotrainer(root, "evolve");
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`\\(pid ${first.pid ?? 0}\\)`));
    assert.equal(evotrainer(root, "lineage").code, 0, "the lineage can be read all the same");
    first.kill("SIGKILL");
    await over;
  });

  it("answers a second terminal while it works, and leaves the archive to it after being killed", async () => {
    const root = project({ "harness/toy.yaml": toyHarness({ step_ms: 400 }) });
    const first = startEvotrainer(root, "evolve");
    const over = once(first, "exit");
    while (!stateOf(root).startsWith("baseline")) await delay(20);
    const page = z.object({
      version: z.string(),
      total: z.number(),
      rollouts: z.array(z.object({ id: z.string() })),
    });
    const list = (): z.infer<typeof page> => {
      const ran = evotrainer(root, "--json", "rollouts", "v0", "--where", "reward >= 0.0", "--limit", "2");
      assert.equal(ran.code, 0, ran.stderr);
      return page.parse(JSON.parse(ran.stdout));
    };
    const during = list();
    assert.ok(during.total > 0 && during.rollouts.length === 2);
    const id = `v0.selection.s1/${during.rollouts[0]?.id ?? ""}`;
    for (const args of [["rollouts", "show", id], ["jobs", "--quarantine"], ["lineage"]])
      assert.equal(evotrainer(root, ...args).code, 0, args.join(" "));
    assert.match(evotrainer(root, "diagnose", "v0").stdout, /v0, selection split\nsolve rate/);
    assert.match(
      evotrainer(root, "rollouts", "v0", "--where", "reward >").stderr,
      /The filter cannot be used: /,
    );
    assert.equal(first.exitCode, null, "the evolution works all the while");
    first.kill("SIGKILL");
    await over;
    assert.deepEqual(list(), during, "the next caller owns the archive");
  });
});
