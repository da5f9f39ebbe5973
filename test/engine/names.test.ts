import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VersionReport } from "../../shared/ledger/lineage.ts";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

describe("names on the command line", function () {
  this.timeout(120_000);
  let root = "";
  before(() => {
    root = makeEvolvedProject();
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  for (const words of [
    ["lineage", "v2"],
    ["lineage", "tag", "v2", "good"],
    ["hint", "--version", "v2", "look at its shape"],
    ["rollouts", "v2"],
    ["compare", "v1", "v2"],
    ["cases", "v2"],
    ["items", "v2"],
    ["diagnose", "v5"],
    ["backtest", "leak", "--against", "v2,v5"],
    ["archive", "trim", "v2"],
  ])
    it(`may be the start of one: ${words.join(" ")}`, () => {
      const { code, stdout, stderr } = evotrainer(root, ...words);
      assert.ok(code === 0 || (code === 1 && words[0] === "diagnose"), stderr);
      assert.match(stdout, /v2-linear-shape|v5-visible-history|Dropped the text/);
    });

  it("shows one version, with what was decided and what it comes from", () => {
    const { stdout } = evotrainer(root, "lineage", "v5");
    assert.match(stdout, /^v5-visible-history: history: hidden → visible\n {2}decision {4}invalid\n/);
    assert.match(stdout, /^ {2}parent {6}v2-linear-shape$/m);
    assert.match(stdout, /^ {2}labels {6}.*leak 9\d/m);
    const report = VersionReport.parse(JSON.parse(evotrainer(root, "--json", "lineage", "v5").stdout));
    assert.deepEqual([report.name, report.decision], ["v5-visible-history", "invalid"]);
  });

  for (const [words, meant] of [
    [["lineage", "v2-liner-shape"], "v2-linear-shape"],
    [["compare", "v1", "v3-bonsu"], "v3-bonus"],
    [["lineage", "note", "v4-fastr", "slow"], "v4-faster"],
    [["rollouts", "v1", "--label", "lek"], "leak"],
    [["logs", "v1.tran.s1"], "v1.train.s1"],
    [["propose", "--proposer", "serch"], "search"],
    [["backtest", "leek"], "leak"],
    [["replay", "--without", "leek"], "leak"],
    [["linage"], "lineage"],
  ] as const)
    it(`suggests ${meant} for ${words.join(" ")}`, () => {
      const { code, stderr } = evotrainer(root, ...words);
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(`Did you mean [^?]*${meant}`));
    });

  it("lists the jobs of a version where one was named as a job", () => {
    const { code, stderr } = evotrainer(root, "logs", "v1");
    assert.equal(code, 2);
    assert.match(stderr, /^v1 matches several jobs: v1\.\S+, v1\.[^]*; write the whole name\.$/m);
    assert.equal(evotrainer(root, "logs", "v1.train.s1").code, 0);
  });

  it("says that no rollout has the text, instead of printing only the header", () => {
    const { code, stdout } = evotrainer(root, "rollouts", "v2", "--search", "no such text");
    assert.equal(code, 0);
    assert.match(stdout, /rollouts searched,[^\n]*\nNone of them has this text\.\n$/);
  });

  it("takes an intervention by its file, and says how one is backtested", () => {
    const own = readFileSync(join(root, "harness/interventions/bonus.intervention.yaml"), "utf8");
    writeFileSync(join(root, "mine.intervention.yaml"), own.replace("name: bonus", "name: mine"));
    const { code, stdout, stderr } = evotrainer(root, "propose", "--intervention", "mine.intervention.yaml");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^v\d+-mine on /);
    const gone = evotrainer(root, "propose", "--intervention", "gone.yaml");
    assert.deepEqual(
      [gone.code, gone.stderr],
      [2, "There is no file gone.yaml; give the path of a *.intervention.yaml.\n"],
    );
    assert.match(
      evotrainer(root, "propose", "--intervention", "Not A Name").stderr,
      /^"Not A Name" is no name of an intervention; give one of the project's, or the path of /,
    );
    assert.match(
      evotrainer(root, "backtest", "mine.intervention.yaml").stderr,
      /run `evotrainer propose --intervention 'mine\.intervention\.yaml'`/,
    );
  });

  it("accepts no name of a proposer that does not exist", () => {
    const { code, stderr } = evotrainer(root, "propose", "--proposer", "zonk", "--intervention", "bonus");
    assert.equal(code, 2);
    assert.equal(stderr, "There is no proposer zonk; there are: search.\n");
  });
});
