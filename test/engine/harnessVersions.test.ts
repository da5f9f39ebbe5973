import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evotrainer, lineageOf, type Ran } from "./cli.ts";
import { oneByOne } from "./finishedProject.ts";
import { makeToyProject } from "./toyProject.ts";

const diagnostic = (name: string, label: string): string =>
  `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${name}\ndescription: It says what happened.\nlabel: ${label}\n`;
const leakWhen = `'outcome == "pass" && turns.exists(t, t.tool == "history" && t.ok)'`;

describe("a change of how evidence is read", function () {
  this.timeout(600_000);
  let root = "";
  after(() => rmSync(root, { recursive: true, force: true }));

  const ok = (ran: Ran): string => {
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  const run = (...args: string[]): string => ok(evotrainer(root, ...args));
  const versionOf = (name: string) => {
    const found = lineageOf(root).versions.find((v) => v.name === name);
    assert.ok(found, name);
    return found;
  };
  const jobsOf = (name: string): string[] =>
    readdirSync(join(root, ".evotrainer/runs")).filter((folder) => folder.startsWith(`${name}.`));
  /** Proposes a diagnostic that lies outside the project. */
  const propose = (name: string, label: string): string => {
    writeFileSync(join(root, "..", `${name}.diagnostic.yaml`), diagnostic(name, label));
    return run("propose", "--diagnostic", join("..", `${name}.diagnostic.yaml`));
  };

  it("by an intervention is admitted by the evolution without a training job", () => {
    root = makeToyProject({
      "evotrainer.yaml": oneByOne.replace("generations: 2", "generations: 1"),
      "harness/interventions/later-echo.intervention.yaml": `apiVersion: evotrainer/v1
kind: Intervention
name: later-echo
hypothesis: { change: alert.above, metric: solve_rate, direction: increase, because: it alerts too early }
targets: [low-score]
factor: diagnostics
edit: [{ file: harness/diagnostics/echo-trap.diagnostic.yaml, path: alert.above, from: 0.1, to: 0.2 }]
success: { atLeast: 0.5 }
`,
      ...Object.fromEntries(
        ["linear-shape", "bonus", "faster"].map((name) => [
          `harness/interventions/${name}.intervention.yaml`,
          null,
        ]),
      ),
    });
    run("evolve");
    const version = versionOf("v2-later-echo");
    assert.deepEqual([version.decision, version.factor, version.score], ["keep", "diagnostics", null]);
    assert.equal(version.title, "alert.above: 0.1 → 0.2");
    assert.match(version.reason, /^Admitted\. echo-trap labels the same rollouts as before/);
    assert.equal(version.admission?.verdict, "admitted");
    assert.deepEqual(jobsOf("v2-later-echo"), []);
  });

  it("by a person waits at the gate, is taken up between generations, and is in force on trial", () => {
    const said = propose(
      "searches",
      `{ when: 'outcome == "fail" && turns.exists(t, t.tool == "search")', severity: critical, invalidates: true }`,
    );
    assert.match(
      said,
      /v3-searches on v2-later-echo: harness\/diagnostics\/searches\.diagnostic\.yaml: added/,
    );
    assert.match(
      said,
      /As things stand: Admitted on trial\. Nobody can tell yet .*makes no version invalid.*nothing is trained/,
    );
    assert.equal(versionOf("v3-searches").decision, "pending");
    run("evolve", "--generations", "2");
    const version = versionOf("v3-searches");
    assert.deepEqual([version.decision, version.admission?.verdict], ["keep", "on_trial"]);
    assert.deepEqual(jobsOf("v3-searches"), []);
    // It labels what is trained from now on, and what it labels is not invalid for that.
    const trained = versionOf("v4-visible-history");
    assert.ok(trained.labels.some(({ name }) => name === "searches"));
    assert.match(trained.reason, /^Quarantined for leak in \d+ of \d+ rollouts/);
  });

  it("is refused as a repeat of another label, whoever approves it", () => {
    propose("old-tools", `{ when: 'turns.exists(t, t.tool == "history")' }`);
    const said = run("review", "v5-old-tools", "approve");
    assert.match(said, /Not admitted\. old-tools repeats leak: .* at most 80 % may\./);
    assert.equal(versionOf("v5-old-tools").decision, "reject");
  });

  it("lets a quarantined version through with a waiver only, and lists what would be decided otherwise", () => {
    const label = `{ when: ${leakWhen}, evidence: 'turn.tool == "history"', severity: critical, invalidates: false }`;
    propose("leak", label);
    assert.match(
      run("review", "v6-leak", "approve"),
      /Not admitted\. v4-visible-history was quarantined for leak and would be let through: leak no longer invalidates\./,
    );
    run("backtest", join("..", "leak.diagnostic.yaml"), "--approve", "the history was part of the task");
    propose("leak", label);
    assert.match(
      run("review", "v7-leak", "approve"),
      /With it, 1 earlier decision would be different \(v4-visible-history\)/,
    );
    const { wouldDiffer } = versionOf("v7-leak");
    assert.deepEqual(
      wouldDiffer?.map(({ version, was }) => [version, was]),
      [["v4-visible-history", "invalid"]],
    );
    assert.match(run("lineage", "--differences"), /v4-visible-history: \S+, would be /);
    // Nothing is changed silently.
    assert.equal(versionOf("v4-visible-history").decision, "invalid");
  });

  it("is taken back by a revert, and never promoted or trained", () => {
    run("revert", "v7-leak");
    const later = evotrainer(root, "revert", "v2-later-echo");
    assert.notEqual(later.code, 0);
    assert.match(later.stderr, /v3-searches was made of v2-later-echo; revert v3-searches first/);
    assert.match(
      evotrainer(root, "promote", "v3-searches", "--approve").stderr,
      /v3-searches changes only how evidence is read, so there is no policy to promote/,
    );
  });

  it("on trial makes no version invalid in the work tree either, once it was brought there", () => {
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
        cwd: root,
      });
    git("cherry-pick", "evo/toy/v3-searches");
    const said = evotrainer(root, "diagnose", "v1").stdout;
    assert.match(said, /searches .*on trial/);
    assert.doesNotMatch(said, /searches .*invalidates/);
  });
});
