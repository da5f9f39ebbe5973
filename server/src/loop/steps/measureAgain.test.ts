import assert from "node:assert/strict";
import { planOf } from "../../../../test/support/loop/plan.ts";
import { projectOf } from "../../../../test/support/loop/project.ts";
import { checkSchedule } from "../../../../test/support/loop/schedule.ts";
import type { TrainResult } from "../ports.ts";
import { measureAgain } from "./replicate.ts";

describe("what is about to be kept", function () {
  this.timeout(120_000);

  const candidate = { version: "v2", commit: "c", parent: "v0", seeds: [1, 2], look: null, job: null };
  /** What becomes of the candidate where its second evaluation ends so, and what was asked for. */
  const again = async (rerun: "always" | "kept" | "never", result: TrainResult | null) => {
    const { spec } = await projectOf(planOf(1));
    const asked: unknown[] = [];
    const ports = {
      remeasure: (...what: unknown[]) => {
        asked.push(what);
        return Promise.resolve(result);
      },
    };
    const evaluation = { ...spec.evaluation, rerun };
    const replication = { spec: { ...spec, evaluation }, ports, signal: new AbortController().signal };
    // It is not looked at again, so that nothing else is asked for.
    return { found: await measureAgain({} as never, candidate as never, replication as never), asked };
  };

  it("is measured by a fresh job of every seed, which decides", async () => {
    const { found, asked } = await again("kept", { failure: "crash", message: "exit 3", seconds: 1 });
    assert.deepEqual(asked, [["v2", "c", [1, 2]]]);
    assert.equal(found?.job?.failure, "crash");
  });

  it("is not measured again where the project has every training measured, or none", async () => {
    for (const rerun of ["always", "never"] as const)
      assert.deepEqual(await again(rerun, null), { found: null, asked: [] });
  });

  it("is looked at again on its first seed where the budget left it no other", async () => {
    const { spec } = await projectOf(planOf(1));
    const look = { verdict: "screened", reason: "It looked better.", comparison: null, parentSeeds: [1] };
    const told: unknown[] = [];
    const ports = {
      remeasure: () => Promise.resolve({ failure: null, message: "finished", seconds: 1 }),
      trained: () => Promise.resolve([{ seed: 1, seconds: 1 }]),
      outcomes: () => Promise.resolve([]),
      replicated: () => Promise.resolve([]),
      appendToLedger: (entries: readonly unknown[]) => Promise.resolve(void told.push(...entries)),
      emit: () => undefined,
      now: () => "2026-01-01T00:00:00.000Z",
    };
    const found = await measureAgain(
      { domain: "toy", baseline: "v1", planned: 4 } as never,
      { ...candidate, parent: "v1", seeds: [1], look, without: null } as never,
      {
        ...{ spec: { ...spec, evaluation: { ...spec.evaluation, rerun: "kept" } }, ports },
        tests: {
          seedNoise: () => ({}),
          screen: () => ({ verdict: "reject", comparison: null, reason: "It does not." }),
        },
        signal: new AbortController().signal,
      } as never,
    );
    assert.equal(found?.look?.verdict, "reject");
    assert.equal(told.length, 1);
  });

  it("is decided by what is known of it where fresh jobs measured every seed before", async () => {
    const { found, asked } = await again("kept", null);
    assert.deepEqual([found, asked.length], [null, 1]);
  });

  it("is measured again in every evolution, wherever its engine is killed", async () => {
    for (let seed = 1; seed <= 40; seed++) await checkSchedule(seed);
  });
});
