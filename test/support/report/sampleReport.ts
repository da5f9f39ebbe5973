import { EvolutionReport } from "../../../shared/report/evolutionReport.ts";

const at = "2026-01-02T03:04:05.000Z";
const score = {
  ...{ metric: "solve_rate", value: 0.4, low: 0.3, high: 0.5, items: 40, rollouts: 320, unknown: 2 },
  bounds: [0.39, 0.41],
};

/** A report in which every text that somebody else could have written is `text`. */
export function sampleReport(text: string): EvolutionReport {
  const version = (name: string, parent: string | null, more: object): unknown => ({
    ...{ name, parent, alias: text, commit: "a".repeat(40), merges: null, without: null, generation: 1, at },
    ...{ title: text, factor: "reward", author: text, hypothesis: text, score, cleanScore: 0.2 },
    ...{ cleanBy: null, measured: null, seeds: [1, 2], labels: [], looks: [], pending: null, jobs: [] },
    ...{ decisions: [], approvals: [], audit: null, promotion: null, claims: [], tags: [], notes: [] },
    ...{ origin: null, ...more },
  });
  const comparison = {
    ...{ against: "v0", difference: 0.1, low: 0.05, high: 0.15, confidence: 0.975, verdict: "improved" },
    ...{ items: 40, itemsNeeded: null, method: text, seeds: [1, 2] },
  };
  const decision = {
    ...{ at, decision: "keep", reason: text, stage: "one_seed", comparison, confidence: 0.95, candidates: 2 },
    ...{ hypothesis: null, evidence: [{ rollout: text, turns: [1, 2], label: text }] },
  };
  const job = {
    ...{ at, job: text, failure: "crash", message: text, seconds: 90, trainSeconds: null },
    ...{ evaluationSeconds: null, host: text, gpus: 2, price: { amount: 1.5, currency: text } },
  };
  const label = {
    ...{ name: "leak", severity: "critical", labelled: 3, rollouts: 320, alert: "critical" },
    invalidates: true,
  };
  return EvolutionReport.parse({
    ...{ schema: 1, tool: { name: "EvoTrainer", release: "0.0.0" }, made: at, project: text, domain: text },
    ledger: "b".repeat(40),
    specs: {
      commit: "c".repeat(40),
      apiVersion: "evotrainer/v1",
      diagnostics: [{ name: text, revision: text }],
    },
    versions: [
      version("v0", null, { decisions: [{ ...decision, decision: "base", comparison: null }] }),
      version("v1", "v0", {
        ...{
          decisions: [decision],
          labels: [label],
          jobs: [job],
          claims: [text],
          tags: [text],
          audit: score,
          auditGap: { difference: -0.073, low: -0.193, high: 0.046, verdict: "overfits" },
        },
        approvals: [
          { at, gate: "design", answer: "approve", by: text, comment: text },
          { at, gate: "completion", answer: "reject", by: "rule: autonomy full", comment: null },
        ],
        looks: [{ at, seeds: [1], verdict: "screened", reason: text }],
        notes: [{ at, by: text, text }],
        promotion: { at, gap: 0.01, reason: text },
      }),
      version("v2", "v0", {
        pending: text,
        measured: { metric: text, value: 2, direction: null, unit: text },
      }),
      version("v3", "v0", {
        decisions: [{ ...decision, decision: "reject" }],
        jobs: [{ ...job, failure: null }],
      }),
    ],
    selection: { looks: 1, comparisons: [{ at, version: "v1", against: "v0", purpose: "decision" }] },
    sealed: [{ at, version: "v1", what: "promoted", says: text }],
    calibration: [],
    procedure: [{ at, failures: 3, step: "roll-back", reason: text }],
    costs: {
      ...{ jobs: 2, seconds: 180, withoutSeconds: 0, gpuHours: 0.1 },
      prices: [{ amount: 3, currency: text }],
      machines: [{ host: text, jobs: 2, hours: 1, cost: { amount: 3, currency: text } }],
    },
    proposers: [{ proposer: text, proposed: 3, kept: 1, rejected: 1, invalid: 0, refused: 0, open: 1 }],
    evidence: [
      {
        ...{ at, version: "v1", run: "v1.train.s1" },
        files: [{ name: "rollouts.jsonl", bytes: 10, sha256: "d".repeat(64), copy: null }],
      },
    ],
    warnings: [text],
  });
}
