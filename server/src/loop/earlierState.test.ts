import assert from "node:assert/strict";
import { upgraded } from "./earlierState.ts";
import { LoopState } from "./state.ts";

/** As release 0.1.0 wrote it while it trained its first generation. */
const before = {
  schema: 1,
  domain: "toy",
  base: "a".repeat(40),
  startedAt: "2026-01-01T00:00:00.000Z",
  generations: 2,
  generation: 1,
  phase: "evolve",
  step: "verify",
  baseVersion: "v0",
  baseline: "v1",
  champion: "v1",
  nextNumber: 3,
  findings: [{ name: "low-score", severity: "info", message: "The score is low." }],
  candidates: [
    {
      ...{ version: "v2", parent: "v1", commit: "b".repeat(40), intervention: "linear", title: "t" },
      ...{ finding: "low-score", because: "The score is low.", pruned: null },
      job: { failure: null, message: "finished", seconds: 3 },
    },
  ],
  tried: [],
  answered: {},
  failuresInARow: 0,
  stopped: null,
};

describe("the state of the release before", () => {
  it("goes on at the training of its candidates, whose jobs are found again", () => {
    const state = LoopState.parse(upgraded(before));
    assert.deepEqual(
      [state.schema, state.phase, state.step, state.calibrated],
      [2, "evolve", "train", false],
    );
    const [candidate] = state.candidates;
    assert.deepEqual([candidate?.version, candidate?.job, candidate?.seeds], ["v2", null, []]);
    assert.deepEqual(
      state.grounds.map(({ parent, findings }) => [parent, findings.length]),
      [["v1", 1]],
    );
  });
  it("keeps its place before the training began", () => {
    const state = LoopState.parse(upgraded({ ...before, step: "approve" }));
    assert.equal(state.step, "approve");
  });
  it("is left alone where it is of this release, or none at all", () => {
    const state = LoopState.parse(upgraded(before));
    assert.deepEqual(upgraded(state), state);
    assert.equal(upgraded("nothing"), "nothing");
  });
});
