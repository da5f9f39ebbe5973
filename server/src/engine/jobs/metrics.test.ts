import assert from "node:assert/strict";
import { readMetrics, stepsOf } from "./metrics.ts";

const lines = (...rows: readonly unknown[]): string => rows.map((r) => `${JSON.stringify(r)}\n`).join("");

describe("the metrics of a job", () => {
  it("give the newest step, reward and length, and skip torn lines", () => {
    const text = `0.5}\n${lines({ step: 1, steps_total: 9, reward: 0.1 }, { step: 2, reward: null }, { step: 3, reward: 0.3 })}nonsense\n{"step": 4, "rew`;
    const { step, stepsTotal, reward, curve } = readMetrics(text, { mostPoints: 10 });
    assert.deepEqual([step, stepsTotal, reward], [3, 9, 0.3]);
    assert.deepEqual(curve, [
      { step: 1, reward: 0.1 },
      { step: 3, reward: 0.3 },
    ]);
  });

  it("count no steps of a measurement, whose policy was saved at one", () => {
    const facts = readMetrics(lines({ step: 60, steps_total: 60, reward: 0.4 }), { mostPoints: 1 });
    assert.deepEqual(stepsOf("train", facts), { step: 60, stepsTotal: 60 });
    for (const work of ["selection", "audit", "again"] as const)
      assert.deepEqual(stepsOf(work, facts), { step: null, stepsTotal: null });
  });

  for (const [metrics, use] of [
    [{ gpu_util: 84 }, 0.84],
    [{ "system/gpu.0.gpu": 40, "system/gpu.1.gpu": 60, "system/gpu.0.memory": 99 }, 0.5],
    [{ "perf/gpu_utilization": 0.7 }, 0.7],
    [{ reward: 1, gpu_mem_util: 90 }, null],
  ] as const)
    it(`give the GPU use from ${Object.keys(metrics).join(" and ")}`, () => {
      assert.equal(readMetrics(lines({ step: 1, ...metrics }), { mostPoints: 1 }).gpuUse, use);
    });

  it("reduce a long curve to the permitted number of points and keep both ends", () => {
    const text = lines(...Array.from({ length: 1000 }, (_, step) => ({ step, reward: step })));
    const { curve } = readMetrics(text, { mostPoints: 50 });
    assert.equal(curve.length, 50);
    assert.deepEqual([curve[0]?.step, curve.at(-1)?.step], [0, 999]);
  });
});
