import assert from "node:assert/strict";
import type { ResultOf } from "../../engine/services/services.ts";
import { proposalText } from "./renderProposal.ts";

const long = "Dead groups (one reward for all rollouts) fall from 58.9 % to 12.7 % of 1,056 groups. ".repeat(
  4,
);
const line = `weight: 0.3 # ${"w".repeat(120)}`;
const proposal: ResultOf<"proposals.show"> = {
  id: "v4-shape",
  parent: "v3",
  title: "shape: flat → linear",
  proposer: "search",
  state: "waiting",
  reason: null,
  hypothesis: `shape should increase solve_rate because ${long}`,
  because: long,
  fixes: [],
  risks: [],
  backtest: { summary: long, figures: {} },
  cost: null,
  record: null,
  answers: [],
  claims: [long],
  files: [
    {
      path: "harness/main.reward.yaml",
      hunks: [{ id: "1", baseStart: 3, removed: [], added: [line] }],
    },
  ],
} as unknown as ResultOf<"proposals.show">;

describe("a proposal in a terminal", () => {
  const io = { terminal: true, columns: 80, json: false, color: false, live: false, out() {}, err() {} };

  it("fits the columns, and leaves the lines of its diff as they are", () => {
    const lines = proposalText(io, proposal).split("\n");
    assert.ok(lines.includes(`+${line}`));
    for (const one of lines) assert.ok(one.length <= 80 || one === `+${line}`, one);
    assert.match(lines.join(" "), /Backtest: Dead groups/);
  });

  it("is a line each in a pipe", () => {
    const lines = proposalText({ ...io, terminal: false }, proposal).split("\n");
    assert.ok(lines.some((one) => one.startsWith("Backtest: ") && one.length > 300));
  });
});
