import assert from "node:assert/strict";
import type { RunCurves } from "../../../shared/protocol/views/runs.ts";
import { standings } from "./standing.ts";

const run = (version: string, more: Partial<RunCurves["job"]> = {}): RunCurves => ({
  job: {
    ...{ id: `${version}.train.s1`, version, work: "train", seed: 1, attempt: 1, host: null },
    ...{ state: "finished", waitsFor: null, startedAt: null, seconds: 1, step: 80, stepsTotal: 80 },
    ...{ reward: 0.5, etaSeconds: null, gpuUse: null, gpus: 0, cost: null, failure: null },
    ...more,
  },
  ...{ because: "asked", series: [], alarms: [] },
});
const compared = (verdict: "improved" | "regressed" | "inside_noise") => ({
  compared: { against: "v1", difference: 0.1, verdict },
});
const said = (runs: readonly RunCurves[]): string =>
  standings(runs)
    .map(({ mark, word, names }) => `${mark} ${word}: ${names.join(", ") || "none"}`)
    .join("; ");

describe("which of the versions whose jobs are shown is better, worse and not to be trusted", () => {
  it("names each once, however many seeds it has", () =>
    assert.equal(
      said([
        run("v10-up", compared("inside_noise")),
        run("v9-down", compared("regressed")),
        run("v10-up", { ...compared("inside_noise"), seed: 2 }),
        run("v2-edit", compared("improved")),
      ]),
      "▲ better: v2; ▼ worse: v9; ⊘ not to be trusted: none; ≈ inside the noise: v10",
    ));
  it("says nothing else of what is not to be trusted", () =>
    assert.equal(
      said([run("v3-leak", { ...compared("improved"), notValid: true })]),
      "▲ better: none; ▼ worse: none; ⊘ not to be trusted: v3",
    ));
  it("counts a run whose score fell among the worse ones, where its version was not compared", () => {
    const none = "⊘ not to be trusted: none";
    assert.equal(said([run("v6", { collapsedAt: 55 })]), `▲ better: none; ▼ worse: v6; ${none}`);
    assert.equal(
      said([run("v6", { ...compared("improved"), collapsedAt: 55 })]),
      `▲ better: v6; ▼ worse: none; ${none}`,
    );
  });
  it("names what nothing has decided yet, and leaves out what has no parent", () =>
    assert.equal(
      said([{ ...run("v9", { state: "running" }), parent: "v2" }, run("v0")]),
      "▲ better: none; ▼ worse: none; ⊘ not to be trusted: none; … not decided yet: v9",
    ));
});
