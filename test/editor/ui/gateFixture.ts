import { gateProtocol, type GateState } from "../../../shared/protocol/views/gate.ts";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";

/** A proposal with two hunks in two files, and everything that a card can show. */
export const proposalFixture: Proposal = {
  id: "v7-continuous-reward",
  parent: "v5-longer-horizon",
  commit: "a".repeat(40),
  title: "components.correctness.shape: binary → linear, components.format.weight: 0 → 0.1",
  factor: "reward",
  intervention: "continuous-reward",
  proposer: "catalogue",
  at: "2026-01-02T03:04:05.000Z",
  state: "waiting",
  reason: null,
  answers: [
    {
      answer: "revise",
      by: "ada",
      at: "2026-01-02T03:00:00.000Z",
      comment: "half the weight of the format",
      hunks: null,
    },
  ],
  files: [
    {
      path: "harness/main.reward.yaml",
      base: `${Array.from({ length: 11 }, (_, i) => `line ${i + 1}`).join("\n")}\n    shape: binary\nafter it\n`,
      proposed: "shape: linear\n",
      hunks: [
        {
          id: "0123456789",
          baseStart: 11,
          proposedStart: 11,
          removed: ["    shape: binary\n"],
          added: ["    shape: linear\n"],
        },
        {
          id: "abcdef0123",
          baseStart: 17,
          proposedStart: 17,
          removed: ["  format: { weight: 0 }\n"],
          added: ["  # pays for a well-formed answer\n", "  format: { weight: 0.1 }\n"],
        },
      ],
    },
  ],
  hypothesis:
    "Changing `components.correctness.shape` from binary to linear should lower the share of dead groups: 63 % of groups have one reward value",
  because: "63 % of groups have one reward value",
  tried: [
    {
      version: "v6-continuous-reward",
      on: "v5-longer-horizon",
      how: "same change",
      edits: ["components.correctness.shape in harness/main.reward.yaml: binary → linear"],
      ended: "worse",
      difference: -0.565,
      reason: "Worse: −56.5 points against v5-longer-horizon.",
    },
    {
      version: "v3-visible-history",
      on: "v1",
      how: "same factor",
      edits: ["history in harness/environment.yaml: hidden → visible"],
      ended: "invalid",
      difference: null,
      reason: "Quarantined for history-leak in 480 of 480 rollouts.",
    },
  ],
  answersTo: [{ name: "echo-trap", labelled: 5, rollouts: 480 }],
  targets: ["insufficient-signal"],
  fixes: ["insufficient-signal", "echo-trap"],
  risks: ["length-gaming"],
  success: { metric: "solve_rate", atLeast: 0.02, confidence: 0.95 },
  guardrails: [{ metric: "leak_rate", atMost: 0 }],
  backtest: {
    summary: "Of 320 archived groups 201 are dead before and 44 after; 157 would be trained on again.",
    figures: { groups: 320, dead_before: 201, dead_after: 44, order_violations: 0, saturation_format: null },
  },
  cost: { median: 5400, low: 4800, high: 7200, versions: 5 },
  record: null,
};

const tally = {
  predicted: 6,
  hits: 4,
  withinNoise: 1,
  opposite: 1,
  notMeasured: 0,
  unforeseen: 2,
  precision: 4 / 6,
  recall: 4 / 6,
  byChance: 1.2,
};
export const recordFixture: Proposal["record"] = {
  proposer: "catalogue",
  versions: 6,
  measured: 5,
  fixes: tally,
  risks: { ...tally, predicted: 0 },
};

/** The message that the extension sends with a proposal. */
export const gateMessage = (
  proposal: Proposal,
  more: Partial<Extract<GateState, { type: "proposal" }>> = {},
): unknown => ({
  protocol: gateProtocol,
  type: "state",
  key: { root: "/project", id: proposal.id },
  state: {
    type: "proposal",
    proposal,
    left: [],
    recordPending: false,
    why: "the project is human-gated",
    who: "person",
    notice: null,
    isBusy: false,
    ...more,
  },
});
