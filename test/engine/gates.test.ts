import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { auditRuns, evotrainer, lineageOf, type Ran } from "./cli.ts";
import { makeCalibratedProject, makeWaitingProject, oneByOne } from "./finishedProject.ts";
import { firstProposal } from "./reviewProject.ts";
import { commitChanges, makeToyProject, measuredOnce, toyFiles } from "./toyProject.ts";

const full = "autonomy: full, firstVersionsGated: 0, escalateAfterFailures: 99";
const spec = (gates: string, budgets = "generations: 1, variantsPerGeneration: 1"): string =>
  measuredOnce(toyFiles["evotrainer.yaml"] ?? "")
    .replace("generations: 2, variantsPerGeneration: 3", budgets)
    .replace(full, `${full}${gates}`);
const Gates = z.object({
  gates: z.array(z.object({ version: z.string(), gate: z.string(), why: z.string().nullable() })),
});

describe("the gates", function () {
  this.timeout(600_000);
  const made: string[] = [];
  const keep = (root: string): string => {
    made.push(root);
    return root;
  };
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const ok = (ran: Ran): Ran => {
    assert.equal(ran.code, 0, ran.stderr);
    return ran;
  };
  const waits = (root: string, says: RegExp, code = 3): void => {
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, code, ran.stderr);
    assert.match(ran.stderr, says);
  };
  const listed = (root: string): [string, string][] =>
    Gates.parse(JSON.parse(ok(evotrainer(root, "--json", "review")).stdout)).gates.map((g) => [
      g.version,
      g.gate,
    ]);
  const trained = (root: string): string[] =>
    lineageOf(root).versions.flatMap((v) => (v.score === null ? [] : [v.name]));

  it("are answered one after the other, and review lists what is waiting, and at which gate", () => {
    const root = keep(
      makeToyProject({ "evotrainer.yaml": spec(", diagnosis: human, backtest: human, completion: human") }),
    );
    waits(
      root,
      /The diagnosis of v1 waits for approval, because `gates\.diagnosis` in evotrainer\.yaml asks a person/,
    );
    assert.deepEqual(listed(root), [["v1", "diagnosis"]]);
    assert.match(
      evotrainer(root, "review").stdout,
      /v1 waits at the diagnosis gate[\s\S]*evotrainer review v1 approve\|revise\|reject --gate diagnosis/,
    );
    ok(evotrainer(root, "review", "v1", "revise", "--comment", "look again"));
    waits(root, /Sent back at the diagnosis gate: look again\. Change a diagnostic/);
    ok(evotrainer(root, "review", "v1", "approve"));

    waits(root, /Waiting for approval of v2-\S+, because `gates\.backtest`/);
    const first = listed(root)[0]?.[0] ?? "";
    assert.deepEqual(listed(root), [[first, "backtest"]]);
    assert.deepEqual(trained(root), ["v0", "v1"]);
    const other = first === "v2-linear-shape" ? "bonus" : "linear-shape";
    ok(evotrainer(root, "review", first, "revise", "--comment", `try ${other} instead`));
    waits(root, new RegExp(`Waiting for approval of v3-${other}, because \`gates\\.backtest\``));
    const sentBack = lineageOf(root).versions.find(({ name }) => name === first);
    assert.equal(sentBack?.decision, "prune");
    assert.match(
      sentBack.reason,
      new RegExp(`Sent back at the backtest gate: try ${other} instead\\. v3-${other} answers it\\.`),
    );
    assert.deepEqual(listed(root), [[`v3-${other}`, "backtest"]]);
    assert.match(
      evotrainer(root, "review", `v3-${other}`, "revise", "--comment", "x", "--gate", "completion").stderr,
      /does not wait at the completion gate/,
    );
    ok(evotrainer(root, "review", `v3-${other}`, "approve", "--gate", "backtest"));
    const ran = evotrainer(root, "evolve");
    assert.ok(trained(root).includes(`v3-${other}`), ran.stderr);
    assert.equal(trained(root).includes(first), false);
    if (other !== "linear-shape") return;
    assert.deepEqual(listed(root), [["v3-linear-shape", "completion"]]);
    ok(evotrainer(root, "review", "v3-linear-shape", "approve", "--gate", "completion"));
    ok(evotrainer(root, "evolve"));
    assert.equal(lineageOf(root).versions.find(({ promoted }) => promoted)?.name, "v3-linear-shape");
  });

  it("end with a plain sentence where the catalogue has no other answer", () => {
    const root = keep(makeWaitingProject());
    ok(evotrainer(root, "review", firstProposal, "revise", "--comment", "something gentler"));
    assert.match(evotrainer(root, "review").stdout, /was sent back/);
    const ran = evotrainer(root, "evolve");
    const sent = lineageOf(root).versions.find(({ name }) => name === firstProposal);
    assert.equal(sent?.decision, "prune", ran.stderr);
    assert.match(
      sent.reason,
      /Sent back at the design gate: something gentler\. (The search has no other answer|v3-\S+ answers it)\./,
    );
    assert.deepEqual(auditRuns(root), []);
  });

  it("that nobody can answer are one sentence, from check and from evolve, before anything is trained", () => {
    const root = keep(makeToyProject({ "evotrainer.yaml": spec(", design: proposer-of-another-kind") }));
    const sentence =
      /Nobody can answer the design gate: `gates\.design` asks a proposer of another kind than the author, and search is the only proposer of this project; write human or rule there, and commit\./;
    const check = evotrainer(root, "check");
    assert.equal(check.code, 1);
    assert.match(check.stdout, sentence);
    waits(root, sentence, 1);
    assert.equal(existsSync(join(root, ".evotrainer/runs/v0.selection.s1")), false);
  });

  it("are followed by another procedure after failures in a row, and the ledger says which and why", () => {
    const bonus = toyFiles["harness/interventions/bonus.intervention.yaml"] ?? "";
    const root = keep(makeCalibratedProject());
    commitChanges(root, {
      "evotrainer.yaml": oneByOne.replace(full, `${full}, questionAfterFailures: 1`),
      "harness/interventions/linear-shape.intervention.yaml": null,
      "harness/interventions/visible-history.intervention.yaml": null,
      "harness/interventions/bonus-two.intervention.yaml": bonus
        .replace("name: bonus", "name: bonus-two")
        .replace("to: 1", "to: 2"),
    });
    const ran = ok(evotrainer(root, "evolve"));
    assert.match(
      ran.stderr,
      /EvoTrainer now looks for the next version in another way\. 1 version since the last kept one failed \(v2-bonus\), and all of them changed the reward\. The next change is to another factor: optimisation\./,
    );
    const report = lineageOf(root);
    assert.deepEqual(
      report.versions.map((v) => v.name),
      ["v0", "v1", "v2-bonus", "v3-faster"],
    );
    assert.deepEqual(
      report.procedure?.map(({ version, generation, step, target }) => [version, generation, step, target]),
      [["v1", 2, "another-factor", "optimisation"]],
    );
  });
});
