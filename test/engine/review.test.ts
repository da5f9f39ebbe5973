import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  AnsweredProposal,
  MadeProposals,
  PromotedVersion,
  Proposal,
  RevertedVersion,
} from "../../shared/protocol/views/proposals.ts";
import { auditRuns, evotrainer, lineageOf, type Ran } from "./cli.ts";
import { copyProject, makeProjectAtPromotion, makeWaitingProject } from "./finishedProject.ts";
import { firstProposal } from "./reviewProject.ts";

const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

describe("the review of a proposal", function () {
  this.timeout(240_000);
  let waiting = "";
  const made: string[] = [];
  before(() => {
    waiting = makeWaitingProject();
  });
  after(() => {
    for (const root of [waiting, ...made]) rmSync(root, { recursive: true, force: true });
  });

  /** Adds work of the user to a project, which is nobody else's business. */
  const withWork = (root: string): string => {
    appendFileSync(join(root, "harness/toy.yaml"), "# mine\n");
    writeFileSync(join(root, "staged.txt"), "staged\n");
    writeFileSync(join(root, "untracked.txt"), "untracked\n");
    git(root, "add", "staged.txt");
    return root;
  };
  /** A project of its own that stands at the gate. */
  const atTheGate = (): string => {
    const root = copyProject(waiting);
    made.push(root);
    return withWork(root);
  };
  /** The evolution has done all that it may: a person opens the audit split. */
  const assertAtThePromotion = ({ code, stdout, stderr }: Ran, version = firstProposal): void => {
    assert.equal(code, 3, stderr);
    assert.match(
      stderr,
      new RegExp(`The promotion of ${version} .* waits for approval, because the project is human-gated`),
    );
    assert.match(stderr, new RegExp(`evotrainer promote ${version} --approve`));
    assert.match(stdout, new RegExp(version), "the lineage is shown");
  };
  /** The same after its proposal was approved, trained and kept. */
  const afterTheGate = (): string => {
    const root = makeProjectAtPromotion();
    made.push(root);
    return withWork(root);
  };
  const userWork = (root: string): unknown => [
    git(root, "status", "--porcelain=v2", "--branch"),
    git(root, "diff"),
    git(root, "diff", "--cached"),
    readFileSync(join(root, ".git/HEAD"), "utf8"),
    readFileSync(join(root, ".git/index")).toString("base64"),
    git(root, "stash", "list"),
  ];
  const json = (root: string, ...args: string[]): unknown => {
    const ran = evotrainer(root, "--json", ...args);
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout);
  };
  const show = (root: string, id = firstProposal): Proposal => Proposal.parse(json(root, "review", id));
  const versionOf = (root: string, name: string) => lineageOf(root).versions.find((v) => v.name === name);
  const changed = (root: string, commit: string): string[] =>
    git(root, "diff", "--unified=0", `${commit}^`, commit)
      .split("\n")
      .filter((line) => /^[-+][^-+]/.test(line));
  const hasBranch = (root: string, branch: string): boolean => git(root, "branch", "--list", branch) !== "";

  it("shows what a reviewer needs to decide", () => {
    const p = show(waiting);
    assert.deepEqual(
      [p.state, p.parent, p.factor, p.proposer, p.fixes, p.risks],
      ["waiting", "v1", "reward", "search", ["echo-trap"], ["leak"]],
    );
    assert.match(
      p.hypothesis,
      /Changing `shape`(?: from \w+ to \w+)? should lower the share of dead groups: most groups have one reward/,
    );
    assert.deepEqual(
      p.files.map((f) => [f.path, f.hunks.map((h) => [h.baseStart, h.removed, h.added])]),
      [
        [
          "harness/toy.yaml",
          [
            [1, ["shape: flat\n"], ["shape: linear\n"]],
            [4, ["bonus: 0\n"], ["bonus: 1\n"]],
          ],
        ],
      ],
    );
    assert.ok((p.backtest?.summary ?? "") !== "");
    assert.equal(p.cost?.versions, 1, "the baseline's training");
    assert.match(
      evotrainer(waiting, "review", "v2").stdout,
      /hunk [0-9a-f]{10}, line 2\n-shape: flat\n\+shape: linear/,
    );
    assert.deepEqual([hasBranch(waiting, `evo/toy/${firstProposal}`)], [false]);
    assert.equal(
      git(waiting, "rev-parse", `evo/proposals/toy/${firstProposal}`).trim(),
      versionOf(waiting, firstProposal)?.commit,
    );
  });

  it("takes one hunk: the version's branch has exactly that commit, and that commit is trained", () => {
    const root = atTheGate();
    const before = userWork(root);
    const proposed = show(root);
    const [shape] = proposed.files[0]?.hunks ?? [];
    assert.ok(shape);
    const answered = AnsweredProposal.parse(
      json(root, "review", firstProposal, "approve", "--hunks", shape.id, "--comment", "one at a time"),
    );
    assert.deepEqual([answered.state, answered.hunks], ["taken", { taken: 1, of: 2 }]);
    assert.equal(git(root, "rev-parse", `evo/toy/${firstProposal}`).trim(), answered.commit);
    assert.deepEqual(changed(root, answered.commit), ["-shape: flat", "+shape: linear"]);
    assert.equal(git(root, "rev-parse", `${answered.commit}^`).trim(), versionOf(root, "v1")?.commit);
    assert.equal(git(root, "rev-parse", `evo/proposals/toy/${firstProposal}`).trim(), proposed.commit);
    assert.equal(versionOf(root, firstProposal)?.commit, answered.commit);
    assert.deepEqual(userWork(root), before);
    assertAtThePromotion(evotrainer(root, "evolve"));
    const trained = versionOf(root, firstProposal);
    assert.deepEqual([trained?.commit, trained?.decision], [answered.commit, "keep"]);
    assert.deepEqual(userWork(root), before);
    assert.match(
      evotrainer(root, "review", firstProposal, "reject").stderr,
      /was already answered: approve by .+/,
    );
  });

  it("takes the whole proposal as it was made", () => {
    const root = atTheGate();
    const { commit } = show(root);
    const before = userWork(root);
    assert.equal(AnsweredProposal.parse(json(root, "review", firstProposal, "approve")).commit, commit);
    assert.equal(git(root, "rev-parse", `evo/toy/${firstProposal}`).trim(), commit);
    assert.deepEqual(userWork(root), before);
  });

  it("keeps a rejected proposal in the lineage, with the reason", () => {
    const root = atTheGate();
    const before = userWork(root);
    json(root, "review", firstProposal, "reject", "--comment", "it pays for length");
    const version = versionOf(root, firstProposal);
    assert.deepEqual(
      [version?.decision, version?.reason],
      ["prune", "Rejected at the design gate: it pays for length"],
    );
    assert.equal(hasBranch(root, `evo/toy/${firstProposal}`), false);
    assert.equal(hasBranch(root, `evo/proposals/toy/${firstProposal}`), true);
    assert.deepEqual(userWork(root), before);
    assert.equal(evotrainer(root, "evolve").code, 0, "the loop goes on without it");
    assert.equal(versionOf(root, firstProposal)?.score, null);
  });

  it("lets a changed text wait in place of the proposal, and takes the changed text", () => {
    const root = atTheGate();
    const before = userWork(root);
    const text = (show(root).files[0]?.proposed ?? "").replace("bonus: 1", "bonus: 2");
    const path = join(root, ".evotrainer", "changed.yaml");
    writeFileSync(path, text);
    const revise = ["review", firstProposal, "revise", "--comment", "twice the bonus"];
    const revised = AnsweredProposal.parse(json(root, ...revise, "--text", `harness/toy.yaml=${path}`));
    assert.equal(revised.state, "waiting");
    assert.match(
      versionOf(root, firstProposal)?.reason ?? "",
      /^Revised, waiting for its gate: twice the bonus/,
    );
    assert.match(evotrainer(root, "evolve").stderr, /Waiting for approval of v2-shape-and-bonus/);
    assert.deepEqual(
      show(root).answers.map((a) => [a.answer, a.comment]),
      [["revise", "twice the bonus"]],
    );
    const taken = AnsweredProposal.parse(json(root, "review", firstProposal, "approve"));
    assert.deepEqual(changed(root, taken.commit), [
      "-shape: flat",
      "+shape: linear",
      "-bonus: 0",
      "+bonus: 2",
    ]);
    assert.equal(taken.commit, revised.commit);
    assert.deepEqual(userWork(root), before);
  });

  it("continues without a proposal that was sent back, and does not make it again", () => {
    const root = atTheGate();
    assert.equal(
      AnsweredProposal.parse(json(root, "review", "v2", "revise", "--comment", "smaller")).state,
      "revising",
    );
    assert.equal(evotrainer(root, "evolve").code, 0);
    assert.equal(
      versionOf(root, firstProposal)?.reason,
      "Sent back at the design gate: smaller. The search has no other answer.",
    );
    const again = evotrainer(root, "propose", "--parent", "v1");
    assert.match(again.stdout + again.stderr, /v3-faster on v1|no intervention left for v1/);
  });

  const unsound: [string, (text: string) => string, RegExp][] = [
    ["two factors", (t) => t.replace("speed: slow", "speed: fast"), /2 factors would change/],
    [
      "a value on no surface",
      (t) => t.replace("fault: none", "fault: crash"),
      /fault in .* not on a declared surface/,
    ],
    ["no YAML", () => "shape: [\n", /not valid YAML/],
  ];
  for (const [what, edit, expected] of unsound)
    it(`refuses a changed text with ${what}, and changes nothing`, () => {
      const root = atTheGate();
      const path = join(root, ".evotrainer", "changed.yaml");
      writeFileSync(path, edit(show(root).files[0]?.proposed ?? ""));
      const ran = evotrainer(
        root,
        ...["review", "v2", "revise", "--comment", "x", "--text", `harness/toy.yaml=${path}`],
      );
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, expected);
      assert.equal(show(root).answers.length, 0);
    });

  it("refuses hunks that are not in the proposal, and invalid answers", () => {
    for (const [args, expected] of [
      [["approve", "--hunks", "0123456789"], /no hunk 0123456789; it has: [0-9a-f]{10}, [0-9a-f]{10}/],
      [["approve", "--hunks", ","], /No hunk is chosen/],
      [["reject", "--hunks", "x"], /use it with approve only/],
      [["maybe"], /approve, revise or reject, or say try, not maybe/],
      [["revise"], /Use --comment/],
    ] as const) {
      const ran = evotrainer(waiting, "review", "v2", ...args);
      assert.equal(ran.code, 2, args.join(" "));
      assert.match(ran.stderr, expected);
    }
    assert.match(evotrainer(waiting, "review", "v1", "approve").stderr, /v1 is not a proposal/);
  });

  it("proposes on a version outside the loop; the next generation trains an approved proposal", () => {
    const root = afterTheGate();
    const before = userWork(root);
    const { proposals } = MadeProposals.parse(json(root, "propose", "--intervention", "faster"));
    const [mine] = proposals;
    assert.deepEqual([mine?.id, mine?.parent], ["v3-faster", firstProposal]);
    assert.equal(show(root, "v3-faster").state, "waiting");
    assert.deepEqual(userWork(root), before);
    json(root, "review", "v3-faster", "approve");
    assert.equal(hasBranch(root, "evo/toy/v3-faster"), true);
    assertAtThePromotion(evotrainer(root, "evolve", "--generations", "2"));
    const trained = versionOf(root, "v3-faster");
    assert.equal(trained?.commit, mine?.commit);
    assert.notEqual(trained?.score, null);
    assert.match(
      evotrainer(root, "propose", "--proposer", "nobody").stderr,
      /There is no proposer nobody; there are: search\./,
    );
    assert.match(evotrainer(root, "propose", "--intervention", "fastr").stderr, /Did you mean/);
  });

  it("reverts a version with a new version, and reverts that one as well", () => {
    const root = afterTheGate();
    const before = userWork(root);
    const reverted = RevertedVersion.parse(json(root, "revert", "v2", "--comment", "it does not hold"));
    assert.deepEqual([reverted.reverts, reverted.filesOf], [firstProposal, "v1"]);
    const version = versionOf(root, reverted.version);
    assert.deepEqual(
      [version?.decision, version?.parent, version?.commit, version?.factor],
      ["revert", firstProposal, git(root, "rev-parse", reverted.branch).trim(), "reward"],
    );
    assert.match(version?.reason ?? "", /^Reverted by .+: it does not hold\.$/);
    const tree = (commit: string): string => git(root, "rev-parse", `${commit}^{tree}`);
    assert.equal(tree(reverted.commit), tree(versionOf(root, "v1")?.commit ?? ""));
    assert.equal(
      git(root, "rev-parse", `${reverted.commit}^`).trim(),
      versionOf(root, firstProposal)?.commit,
    );
    assert.match(evotrainer(root, "revert", firstProposal).stderr, /v3-revert\S* already reverts/);
    const back = RevertedVersion.parse(json(root, "revert", reverted.version));
    assert.equal(tree(back.commit), tree(versionOf(root, firstProposal)?.commit ?? ""));
    assert.deepEqual(userWork(root), before);
    assert.match(evotrainer(root, "revert", "v0").stderr, /v0 has no parent/);
  });

  it("continues from the parent of a champion that was reverted", () => {
    const root = afterTheGate();
    json(root, "revert", firstProposal);
    const ran = evotrainer(root, "evolve", "--generations", "2", "--approve");
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(lineageOf(root).versions.at(-1)?.parent, "v1");
  });

  it("promotes a kept version when its gate is approved", () => {
    const root = afterTheGate();
    const asked = evotrainer(root, "promote", firstProposal);
    assert.equal(asked.code, 3);
    assert.match(asked.stderr, /waits for approval, because the project is human-gated/);
    assert.equal(versionOf(root, firstProposal)?.promoted, false);
    assert.match(evotrainer(root, "promote", "v1", "--approve").stderr, /v1 is a baseline/);
    assert.deepEqual(auditRuns(root), []);
    const promoted = PromotedVersion.parse(json(root, "promote", firstProposal, "--approve"));
    assert.match(
      promoted.reason,
      /The best of 1 version tried\..*Sealed audit split: .*Generalisation gap: \S+ points \[\S+, \S+\], [a-z ']+\.$/,
    );
    const version = versionOf(root, firstProposal);
    assert.deepEqual([version?.promoted, version?.audit === null], [true, false]);
    assert.match(evotrainer(root, "promote", firstProposal).stderr, /is already promoted/);
    assert.equal(evotrainer(root, "evolve").code, 0, "nothing is left to do");
  });
});
