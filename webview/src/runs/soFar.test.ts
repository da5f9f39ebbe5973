import assert from "node:assert/strict";
import type { RunCurves } from "../../../shared/protocol/views/runs.ts";
import { soFar, verdictLook } from "./soFar.ts";

const curve = (steps: number, of: (step: number) => number) => ({
  steps: Array.from({ length: steps }, (_, i) => i + 1),
  values: Array.from({ length: steps }, (_, i) => of(i + 1)),
});
const noise = (step: number): number => 0.1 * Math.sin(7 * step);

describe("how a curve lies beside that of the parent", () => {
  const parent = curve(80, (s) => 0.4 + noise(s));
  it("is judged at the last step that both have", () => {
    const found = soFar(
      curve(40, (s) => 0.5 + noise(s) + 0.01 * Math.cos(5 * s)),
      parent,
    );
    assert.deepEqual([found?.step, found?.verdict, found?.difference.toFixed(2)], [40, "improved", "0.10"]);
    assert.equal(
      soFar(
        curve(40, (s) => 0.3 + noise(s) + 0.01 * Math.cos(5 * s)),
        parent,
      )?.verdict,
      "regressed",
    );
  });
  it("is inside the noise where the steps say now this and now that", () =>
    assert.equal(
      soFar(
        curve(40, (s) => 0.4 + noise(s + 3)),
        parent,
      )?.verdict,
      "inside_noise",
    ));
  it("is not judged by a few steps, or by none that both have", () => {
    assert.equal(
      soFar(
        curve(4, () => 1),
        parent,
      ),
      undefined,
    );
    assert.equal(soFar({ steps: [90, 91, 92, 93, 94, 95], values: [1, 1, 1, 1, 1, 1] }, parent), undefined);
  });
});

describe("what is said of a job beside its name", () => {
  const job: RunCurves["job"] = {
    ...{ id: "v9.train.s1", version: "v9-more", work: "train" as const, seed: 1, attempt: 1, host: null },
    ...{
      state: "running",
      waitsFor: null,
      startedAt: null,
      seconds: 1,
      step: 40,
      stepsTotal: 80,
      reward: 0.5,
    },
    ...{ etaSeconds: null, gpuUse: null, gpus: 0, cost: null, failure: null },
  };
  const run = (more: Partial<RunCurves["job"]>, rest: Partial<RunCurves> = {}): RunCurves => ({
    job: { ...job, ...more },
    because: "running",
    series: [],
    alarms: [],
    ...rest,
  });
  const series = (metric: "score" | "reward", level: number) => [
    { metric, name: metric, ...curve(40, (s) => level + noise(s) + 0.01 * Math.cos(level * s)) },
  ];
  const parent = run({ version: "v2-edit", state: "finished" }, { series: series("score", 0.4) });

  it("is that its numbers are not to be trusted, whatever they are", () => {
    const compared = { against: "v2", difference: 0.4, verdict: "improved" } as const;
    const { mark, word } = verdictLook(run({ notValid: true, compared }), []);
    assert.equal(`${mark} ${word}`, "⊘ not to be trusted");
  });
  it("is how its version was decided, over how many seeds", () => {
    const compared = { against: "v2-edit", difference: -0.458, verdict: "regressed", seeds: 2 } as const;
    const { mark, word } = verdictLook(run({ compared }), [parent]);
    assert.equal(`${mark} ${word}`, "▼ v9 over 2 seeds: worse than v2, −45.8 points");
  });
  it("is the solve rate so far against its parent", () => {
    const own = run({}, { parent: "v2-edit", series: series("score", 0.6) });
    const { mark, word } = verdictLook(own, [own, parent]);
    assert.match(`${mark} ${word}`, /^↑ so far above v2 in training, \+(19|20)\.\d points$/);
  });
  it("is not the reward where its terms differ", () => {
    const terms = (of: string) => ({ terms: { of, change: "" } });
    const own = run({}, { parent: "v2-edit", series: series("reward", 3), ...terms("v9-more") });
    const other = run({ version: "v2-edit" }, { series: series("reward", 1), ...terms("v2-edit") });
    assert.equal(verdictLook(own, [own, other]).word, "not compared with v2 yet");
    const same = { ...own, ...terms("v2-edit") };
    assert.match(verdictLook(same, [same, other]).word, /^so far reward above v2 in training, \+[12]/);
  });
  it("is not known where its parent is not shown, and nothing where it has none", () => {
    const { mark, word } = verdictLook(run({}, { parent: "v2-edit" }), []);
    assert.equal(`${mark} ${word}`, "? not compared with v2 yet");
    assert.equal(verdictLook(run({}), []).word, "");
  });
});
