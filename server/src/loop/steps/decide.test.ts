import assert from "node:assert/strict";
import { planOf } from "../../../../test/support/loop/plan.ts";
import { projectOf } from "../../../../test/support/loop/project.ts";
import { plainComparison, portsOver, World } from "../../../../test/support/loop/world.ts";
import { initialState, type Candidate } from "../state.ts";
import { endGeneration } from "./decide.ts";

describe("the decision about a version that is about to be kept", () => {
  const item = {
    item: "a",
    pass: 1,
    fail: 1,
    unknown: 0,
    bySeed: [{ seed: 1, pass: 1, fail: 1, unknown: 0 }],
  };
  const better = { ...item, pass: 2, fail: 0, bySeed: [{ seed: 1, pass: 2, fail: 0, unknown: 0 }] };
  const comparison = plainComparison("v0", [[item], [better]]);
  const candidate = {
    ...{ version: "v1", parent: "v0", commit: "c", place: 1, keptBefore: 0, seeds: [1], pruned: null },
    ...{ harness: false, without: null, finding: null, intervention: null, spec: null },
    job: { failure: null, message: "finished", seconds: 1 },
    look: { verdict: "keep", reason: "Better.", comparison, parentSeeds: [1] },
  } as unknown as Candidate;

  /** How often it was diagnosed, where fresh jobs then find this. */
  async function diagnoses(again: Candidate | null): Promise<number> {
    const plan = planOf(1);
    const world = new World(plan);
    let count = 0;
    const ports = portsOver(world, async (act) => act());
    const state = {
      ...initialState({
        ...{ domain: "toy", base: "base", startedAt: "2026-01-01T00:00:00.000Z" },
        ...{ generations: 1, firstNumber: 0 },
      }),
      ...{ phase: "baseline" as const, candidates: [candidate] },
    };
    await endGeneration(state, await projectOf(plan), {
      ports: {
        ...ports,
        diagnose: () => {
          count++;
          const value = { metric: "solve_rate", value: 1, low: 1, high: 1, items: 1 };
          const score = { ...value, rollouts: 2, unknown: 0, bounds: [1, 1] } as never;
          return Promise.resolve({ score, cleanScore: score, labels: [], signals: {}, findings: [] });
        },
      },
      signal: new AbortController().signal,
      measureAgain: () => Promise.resolve(again),
    });
    return count;
  }

  it("is made once where fresh jobs find nothing that was not known", async () => {
    assert.equal(await diagnoses(null), 1);
    assert.equal(await diagnoses(structuredClone(candidate)), 1);
  });

  it("is made anew of what they find", async () => {
    const look = { verdict: "reject" as const, reason: "It is not.", comparison, parentSeeds: [1] };
    assert.equal(await diagnoses({ ...candidate, look }), 2);
  });
});
