import assert from "node:assert/strict";
import { planOf } from "../../../../test/support/loop/plan.ts";
import { projectOf } from "../../../../test/support/loop/project.ts";
import type { TrainRequest, TrainResult } from "../ports.ts";
import { trainingOf } from "./measuring.ts";
import { replicate } from "./replicate.ts";

type Rerun = "always" | "kept" | "never";

describe("who measures what is trained", () => {
  const spec = async (rerun: Rerun) => {
    const { spec: of } = await projectOf(planOf(1));
    const evaluation = { ...of.evaluation, rerun };
    return {
      ...of,
      evaluation,
      trainer: { ...of.trainer, seeds: [5] },
      testing: { ...of.testing, seeds: 3 },
    };
  };
  const measured = async (rerun: Rerun, seed: number, isKept: boolean) => {
    const work = trainingOf(seed, await spec(rerun), { isKept });
    return work.type === "train" ? (work.measured ?? "by itself") : work;
  };

  it("is a fresh job alone for every further seed, and both jobs for the first seed of what is kept already", async () => {
    assert.equal(await measured("kept", 5, false), "by itself");
    assert.equal(await measured("kept", 5, true), "twice");
    for (const isKept of [true, false])
      for (const seed of [6, 7]) assert.equal(await measured("kept", seed, isKept), "apart");
  });

  it("is a fresh job alone for all of them, or never one, where the project says so", async () => {
    for (const isKept of [true, false])
      for (const seed of [5, 6]) {
        assert.equal(await measured("always", seed, isKept), "apart");
        assert.equal(await measured("never", seed, isKept), "by itself");
      }
  });

  /** What becomes of a candidate that was screened in, where a fresh job finds this about its first seed. */
  const replicated = async (rerun: Rerun, fresh: TrainResult | null) => {
    const asked: unknown[] = [];
    const trained: [string, number, TrainRequest["work"]][] = [];
    const look = { verdict: "screened", reason: "", comparison: null, parentSeeds: [5] };
    const job = { failure: null, message: "finished", seconds: 1 };
    const candidate = { version: "v2", commit: "c2", parent: "v1", seeds: [5], look, job, without: null };
    const ports = {
      remeasure: (...what: unknown[]) => {
        asked.push(what);
        return Promise.resolve(fresh);
      },
      train: ({ version, seeds, work }: TrainRequest): Promise<TrainResult> => {
        trained.push([version, seeds[0] ?? 0, work]);
        return Promise.resolve({ failure: "incomplete", message: "no policy", seconds: 1 });
      },
      trained: () => Promise.resolve([{ seed: 5, seconds: 1 }]),
      parentOf: () => Promise.resolve("v0"),
      appendToLedger: () => Promise.resolve(),
      collect: () => Promise.resolve({ rows: 0, quarantined: 0 }),
      emit: () => undefined,
      now: () => "2026-01-01T00:00:00.000Z",
    };
    const state = { domain: "toy", candidates: [candidate], baseVersion: "v0" };
    const { candidates } = await replicate(
      state as never,
      {
        ...{ spec: await spec(rerun), ports, tests: {}, signal: new AbortController().signal },
        ...{ budget: () => Promise.resolve(null), commitOf: () => Promise.resolve("c1") },
      } as never,
    );
    return { asked, trained, job: candidates[0]?.job };
  };

  it("is a fresh job for the first seed too once it was screened in, beside the training of the second", async () => {
    const { asked, trained, job } = await replicated("kept", { failure: "crash", message: "", seconds: 1 });
    assert.deepEqual(asked, [["v2", "c2", [5]]]);
    assert.deepEqual(
      trained.toSorted(),
      ["v1", "v2"].map((version) => [version, 6, { type: "train", measured: "apart" }]),
    );
    assert.equal(job?.failure, "crash");
  });

  it("is not asked for where the project wants none, or every training was measured so", async () => {
    for (const rerun of ["always", "never"] as const)
      assert.deepEqual((await replicated(rerun, null)).asked, []);
  });
});
