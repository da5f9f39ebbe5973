import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AnsweredProposal,
  MadeProposals,
  Proposal,
  TriedProposal,
} from "../../shared/protocol/views/proposals.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { copyProject } from "./finishedProject.ts";
import { makePatchProject, rewardCode } from "./patchProject.ts";
import { commitChanges } from "./toyProject.ts";
import { Window } from "./window.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
const json = (root: string, ...args: string[]): unknown => {
  const ran = evotrainer(root, "--json", ...args);
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout);
};
const show = (root: string, id: string): Proposal => Proposal.parse(json(root, "review", id));
const versionOf = (root: string, name: string) => lineageOf(root).versions.find((v) => v.name === name);
const runs = (root: string): string[] => readdirSync(join(root, ".evotrainer/runs")).sort();
const graded = "v2-graded";

describe("a version that changes reward code", function () {
  this.timeout(240_000);
  let waiting = "";
  let tried = "";
  const made: string[] = [];
  before(() => {
    tried = join(mkdtempSync(join(tmpdir(), "evo-tried-")), "tried");
    waiting = makePatchProject({ tried });
    made.push(waiting, join(tried, ".."));
    symlinkSync("score.mjs", join(waiting, "reward/link.mjs"));
    git(waiting, "add", "--all");
    const head = git(waiting, "rev-parse", "HEAD").trim();
    git(waiting, "update-index", "--add", "--cacheinfo", `160000,${head},vendor/lib`);
    git(waiting, "commit", "--quiet", "--message", "links");
    const ran = evotrainer(waiting, "evolve");
    assert.match(ran.stderr, /Waiting for approval of v2-graded, because the project is human-gated/);
  });
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const atTheGate = (): string => {
    const root = copyProject(waiting);
    made.push(root);
    rmSync(tried, { force: true });
    return root;
  };
  const trials = (): number => (existsSync(tried) ? readFileSync(tried, "utf8").split("\n").length - 1 : 0);

  it("is shown with its lines, a title of what it changes, and that nothing has tried it", () => {
    const p = show(waiting, graded);
    assert.deepEqual(
      [p.title, p.factor, p.state],
      ["reward/score.mjs: +3 -3 lines (score, bonus)", "reward", "waiting"],
    );
    assert.equal(
      p.hypothesis,
      "The change `reward/score.mjs: +3 -3 lines (score, bonus)` should raise the solve rate: half an answer teaches something",
    );
    assert.deepEqual(
      p.files.flatMap((f) => f.hunks.map((h) => h.added)),
      [["  // Each part counts.\n", "  return passed / of;\n"], ["  return 0.5;\n"]],
    );
    assert.match(
      p.trial ?? "",
      /^Not tried yet\. If you approve it, EvoTrainer first runs `node smoke\.mjs`/,
    );
    const { stdout } = evotrainer(waiting, "review", graded);
    assert.match(stdout, /Trial: Not tried yet\./);
    assert.match(
      stdout,
      /-  return passed === of \? 1 : 0\.4;\n\+  \/\/ Each part counts\.\n\+  return passed \/ of;/,
    );
    assert.equal(trials(), 0, "looking at it runs nothing");
    assert.match(
      git(waiting, "log", "-1", "--format=%s", `evo/proposals/toy/${graded}`),
      /^reward\/score\.mjs: \+3 -3 lines/,
    );
  });

  it("is tried when a person approves it, trained, and decided", () => {
    const root = atTheGate();
    const before = git(root, "status", "--porcelain");
    assert.equal(AnsweredProposal.parse(json(root, "review", graded, "approve")).state, "taken");
    assert.equal(trials(), 1);
    assert.deepEqual(
      runs(root).filter((run) => run.includes(".smoke.")),
      [`${graded}.smoke.${show(root, graded).commit.slice(0, 12)}`],
    );
    assert.match(show(root, graded).trial ?? "", /^Tried: `node smoke\.mjs` succeeded after [\d.]+ s\.$/);
    const ran = evotrainer(root, "evolve");
    assert.match(ran.stderr, /The promotion of v2-graded .* waits for approval/);
    const version = versionOf(root, graded);
    assert.deepEqual([version?.decision, version?.factor], ["keep", "reward"]);
    assert.match(git(root, "show", `evo/toy/${graded}:reward/score.mjs`), /return passed \/ of;/);
    assert.equal(git(root, "status", "--porcelain"), before);
    const reverted = evotrainer(root, "revert", graded);
    assert.equal(reverted.code, 0, reverted.stderr);
    const [name = ""] = lineageOf(root).versions.flatMap((v) => (v.name.includes("revert") ? [v.name] : []));
    assert.equal(git(root, "show", `evo/toy/${name}:reward/score.mjs`), rewardCode);
  });

  it("may be accepted in part: only that part is tried and trained", () => {
    const root = atTheGate();
    const [first] = show(root, graded).files[0]?.hunks ?? [];
    assert.ok(first);
    const { commit, hunks } = AnsweredProposal.parse(
      json(root, "review", graded, "approve", "--hunks", first.id),
    );
    assert.deepEqual([trials(), hunks], [1, { taken: 1, of: 2 }]);
    assert.equal(
      git(root, "show", `${commit}:reward/score.mjs`),
      rewardCode
        .replace("All or nothing", "Each part counts")
        .replace("passed === of ? 1 : 0.4", "passed / of"),
    );
    assert.equal(versionOf(root, graded)?.title, "reward/score.mjs: +2 -2 lines (score)");
  });

  it("may be revised with another text, which is held against the same checks", () => {
    const root = atTheGate();
    const path = join(root, ".evotrainer", "other.mjs");
    writeFileSync(path, rewardCode.replace("0.4", "0.4 * passed / of"));
    const revise = ["review", graded, "revise", "--comment", "keep the rest"];
    json(root, ...revise, "--text", `reward/score.mjs=${path}`);
    const p = show(root, graded);
    assert.deepEqual([p.title, p.state], ["reward/score.mjs: +1 -1 lines (score)", "waiting"]);
    assert.match(p.hypothesis, /^Proposed for another change/);
    const refused = evotrainer(root, ...revise, "--text", `train.mjs=${path}`);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Not accepted: train\.mjs is frozen/);
  });

  it("is not approved if its code does not work; the last lines say why, and it is tried once", async () => {
    const root = atTheGate();
    const { proposals } = MadeProposals.parse(
      json(root, "propose", "--parent", "v1", "--intervention", "broken"),
    );
    const id = proposals[0]?.id ?? "";
    const before = git(root, "for-each-ref", "refs/heads/evo");
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = evotrainer(root, "review", id, "approve");
      assert.equal(code, 1);
      assert.match(
        stderr,
        /Not approved: Tried: `node smoke\.mjs` failed after [\d.]+ s\. Its last output: .*ReferenceError: nowhere is not defined.* Revise or reject it; if the command failed for another reason, run `evotrainer review v3-broken try`/,
      );
    }
    assert.equal(trials(), 1, "the same code is not tried again unasked");
    assert.equal(git(root, "for-each-ref", "refs/heads/evo"), before, "no branch begins");
    assert.deepEqual([show(root, id).state, show(root, id).answers], ["waiting", []]);
    const window = new Window(root);
    try {
      const again = TriedProposal.parse(await window.ask("proposals.try", { id }));
      assert.deepEqual([again.ok, trials()], [false, 2]);
    } finally {
      await window.end();
    }
    assert.equal(evotrainer(root, "review", id, "reject", "--comment", "it fails").code, 0);
  });

  describe("by the rule in force", () => {
    it("waits until a person has had it tried, and is trained then", () => {
      const root = atTheGate();
      const spec = readFileSync(join(root, "evotrainer.yaml"), "utf8");
      commitChanges(root, { "evotrainer.yaml": spec.replace("autonomy: human_gated", "autonomy: full") });
      const ran = evotrainer(root, "evolve");
      assert.match(
        ran.stderr,
        /Waiting for approval of v2-graded, because v2-graded changes code that nobody has tried \(`evotrainer review v2-graded try` tries it\)/,
      );
      assert.deepEqual(
        runs(root).filter((run) => run.startsWith("v2")),
        [],
      );
      assert.match(
        evotrainer(root, "review", graded, "try").stdout,
        /^v2-graded: Tried: `node smoke\.mjs` succeeded/,
      );
      const { stderr, code } = evotrainer(root, "evolve");
      assert.equal(code, 0, stderr);
      assert.equal(versionOf(root, graded)?.decision, "keep");
    });

    it("waits for a person where no command tries it, and the gate says so", () => {
      const root = makePatchProject({ autonomy: "full", smoke: false });
      made.push(root);
      const { stderr } = evotrainer(root, "evolve");
      assert.match(
        stderr,
        /because v2-graded changes code, and evotrainer\.yaml has no trainer\.smoke that tries it/,
      );
      assert.match(
        show(root, graded).trial ?? "",
        /^Nothing tries this patch, because evotrainer\.yaml has no trainer\.smoke\. Only a person can approve it\.$/,
      );
      assert.equal(evotrainer(root, "review", graded, "approve").code, 0);
    });
  });

  describe("is refused before anything is committed, if it touches", () => {
    const added = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;
    const cases: Readonly<Record<string, readonly [patch: string, why: RegExp]>> = {
      "the evaluator": [
        "--- a/train.mjs\n+++ b/train.mjs\n@@ -1 +1 @@\n-x\n+y\n",
        /train\.mjs must stay as it is in the parent, because it belongs to the evaluation/,
      ],
      "the audit split": [added("data/audit.jsonl"), /data\/audit\.jsonl must stay as it is/],
      "the ledger": [
        added(".git/refs/heads/evotrainer/ledger"),
        /must stay as it is .* git reads files with such names/,
      ],
      "git's settings": [
        added("reward/.git/config"),
        /must stay as it is .* git reads files with such names/,
      ],
      "git's attributes": [added("prompts/.gitattributes"), /prompts\/\.gitattributes must stay as it is/],
      "a path outside": [
        added("../outside.mjs"),
        /"\.\.\/outside\.mjs", which is not a file inside the project/,
      ],
      "a symbolic link": [
        "--- a/reward/link.mjs\n+++ b/reward/link.mjs\n@@ -1 +1 @@\n-score.mjs\n\\ No newline at end of file\n+../train.mjs\n\\ No newline at end of file\n",
        /reward\/link\.mjs is a symbolic link; name the file that it leads to/,
      ],
      "a new symbolic link": [
        "diff --git a/reward/l.mjs b/reward/l.mjs\nnew file mode 120000\n--- /dev/null\n+++ b/reward/l.mjs\n@@ -0,0 +1 @@\n+../train.mjs\n",
        /reward\/l\.mjs is a symbolic link; a patch changes regular files only/,
      ],
      "a submodule": [
        added("vendor/lib/x.txt"),
        /vendor\/lib\/x\.txt must stay .* it lies in the submodule vendor\/lib/,
      ],
      "the smoke command": [
        added("smoke.mjs"),
        /smoke\.mjs must stay as it is in the parent, because trainer\.smoke runs it/,
      ],
    };
    let root = "";
    let window: Window;
    before(() => {
      root = atTheGate();
      window = new Window(root);
    });
    after(() => window.end());
    for (const [name, [patch, why]] of Object.entries(cases))
      it(name, async () => {
        const state = (): unknown => [
          git(root, "for-each-ref"),
          git(root, "status", "--porcelain"),
          runs(root),
        ];
        const before = state();
        const intervention = {
          ...{ apiVersion: "evotrainer/v1", kind: "Intervention", name: "hostile", targets: ["low-score"] },
          hypothesis: {
            change: "reward/score.mjs",
            metric: "solve_rate",
            direction: "increase",
            because: "x",
          },
          ...{ factor: "reward", edit: [{ patch }], success: { atLeast: 0.02 } },
        };
        const reply = await window.reply("proposals.make", {
          parent: "v1",
          proposer: "assistant",
          intervention,
        });
        assert.equal(reply.type, "refused", JSON.stringify(reply));
        assert.match(JSON.stringify(reply).replaceAll('\\"', '"'), why);
        assert.deepEqual(state(), before);
      });
  });
});
