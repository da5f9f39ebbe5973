import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { fixtureSet } from "../support/evidence/import.ts";
import { evotrainer } from "./cli.ts";
import { answer, Diagnosed, ImportReport } from "./importAnswers.ts";

const Report = Diagnosed.extend({
  labels: z.array(z.looseObject({ name: z.string(), labelled: z.number(), rollouts: z.number() })),
});

/** What is known of the real files comes out of the shipped library as it is: no project, no spec, no threshold changed. */
describe("what the library finds in the real files", function () {
  this.timeout(120_000);
  let cwd = "";
  let runs: z.infer<typeof ImportReport>["runs"] = [];

  before(function () {
    const sets = [
      "rl_verl_rollout_dump",
      "rl_verifiers_vf_eval",
      "rl_tinker_rewardhack_rollouts",
      "agent_mini_swe_agent",
      "agent_tau_bench",
      "metrics_verl_grpo",
    ].map((set) => fixtureSet(this, set));
    cwd = mkdtempSync(join(tmpdir(), "evo-facts-"));
    const ran = evotrainer(cwd, "--json", "import", ...sets);
    assert.ok(ran.code === 0 || ran.code === 1, ran.stderr);
    runs = ImportReport.parse(JSON.parse(ran.stdout)).runs;
  });
  after(() => cwd !== "" && rmSync(cwd, { recursive: true, force: true }));

  const diagnose = (version: string, code = 1) => {
    const { labels, findings } = answer(Report, evotrainer(cwd, "--json", "diagnose", version), code);
    return {
      labelled: (name: string): string => {
        const found = labels.find((l) => l.name === name);
        return `${String(found?.labelled)} of ${String(found?.rollouts)}`;
      },
      findings: findings.filter((f) => f.severity !== "info").map((f) => `${f.severity} ${f.name}`),
      information: findings.filter((f) => f.severity === "info").map((f) => f.name),
      says: (name: string): string | undefined => findings.find((f) => f.name === name)?.message,
    };
  };
  const includes = (found: readonly string[], ...expected: readonly string[]): void =>
    assert.deepEqual(
      expected.filter((e) => !found.includes(e)),
      [],
      `found ${found.join(", ")}`,
    );

  it("vf-eval gsm8k/0036a836: 150 of 150 completions are empty", () => {
    const { labelled, findings, information } = diagnose("gsm8k--gpt-4.1-mini.0036a836");
    assert.equal(labelled("empty-completion"), "150 of 150");
    includes(findings, "critical empty-completion");
    // Nothing was trained on them.
    includes(information, "one-reward", "dead-group");
  });

  it("math_python/6b596d7f: 15 of 15 answers in the required form score 0", () => {
    const { labelled, information } = diagnose("math-python--gpt-4.1-mini.6b596d7f", 0);
    assert.equal(labelled("answered-but-failed"), "15 of 15");
    includes(information, "answered-but-failed", "insufficient-signal");
  });

  it("the verl step-1 dump: 126 of 128 at score 0, 121 without the answer's form", () => {
    const { labelled, information, says } = diagnose("1_8601a960", 0);
    assert.equal(labelled("format-violation"), "121 of 128");
    assert.equal(says("one-reward"), "One reward value holds 98.4 % of the rollouts.");
    includes(information, "one-reward", "format-violation");
  });

  it("the hecate dump: rollouts query the tool that shows the reward more than once", () => {
    const { labelled, findings } = diagnose("hecate_rollouts_2");
    // Of the 519 in which its answer stands twice, the policy made one of the two up itself in 2.
    assert.equal(labelled("queries-reward"), "517 of 1024");
    includes(findings, "critical queries-reward");
  });

  it("the metrics of qwen3-0.6b: score 0 and gradient 0 for 100 steps, responses cut off", () => {
    const { findings, says } = diagnose("qwen3-0.6b-function-reward-minimal-fsdp-size1");
    includes(
      findings,
      "critical constant-score",
      "critical dead-training",
      "critical zero-policy-loss",
      "critical truncation",
    );
    const fired =
      "It fired first at step 10, with critic/score/mean at 0, the mean of five steps; over the last steps its mean is 0.";
    assert.equal(says("constant-score"), `critic/score/mean is 0 in all 100 steps. ${fired}`);
    assert.equal(
      says("truncation"),
      `response_length/clip_ratio ends at 99.9 %: responses are cut off. ${fired}`,
    );
  });

  it("the metrics of 14 healthy runs raise no alarm, although entropy falls to a sixth in some", () => {
    const healthy = runs
      .filter(({ rollouts, metricSteps }) => rollouts === 0 && metricSteps > 0)
      .map(({ version }) => version)
      .filter((version) => version !== "qwen3-0.6b-function-reward-minimal-fsdp-size1");
    assert.equal(healthy.length, 14, healthy.join());
    for (const version of healthy) assert.deepEqual([version, diagnose(version, 0).findings], [version, []]);
  });

  it("mini-swe-agent: 8 infrastructure exits", () => {
    const { labelled, findings } = diagnose("deepseek_reasoner_dev");
    assert.equal(labelled("verifier-error"), "8 of 8");
    includes(findings, "critical verifier-error");
    for (const version of ["agent_mini_swe_agent", "deepseek_chat_test_1-100"])
      assert.match(diagnose(version, 0).labelled("verifier-error"), /^0 of /);
  });

  it("Tinker: in 39 of 40 the sandbox failed, and none passes the public tests alone", () => {
    const { labelled, findings } = diagnose("rl_tinker_rewardhack_rollouts");
    assert.deepEqual([labelled("verifier-error"), labelled("public-tests-only")], ["39 of 40", "0 of 40"]);
    includes(findings, "critical verifier-error");
  });

  it("tau-bench: 84 solved, 116 failed, in 50 groups of 4", () => {
    const { labelled, says } = diagnose("gpt-4o-airline", 0);
    assert.equal(says("low-score"), "The solve rate is 42.0 %.");
    assert.deepEqual(["dead-group", "solved-group", "unsolved-group"].map(labelled), [
      "24 of 50",
      "10 of 50",
      "14 of 50",
    ]);
  });
});
