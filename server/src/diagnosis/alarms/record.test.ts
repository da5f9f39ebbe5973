import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { curvesOf } from "./archivedRuns.ts";
import { curveAlarms } from "../curves.ts";
import { alarmRecords, courseOf, healthyRunsNeeded, mayStop, type ArchivedRun } from "./record.ts";

const run = (metrics: Readonly<Record<string, readonly number[]>>): ArchivedRun => ({
  run: "run",
  curves: curvesOf(
    new Map(
      Object.entries(metrics).map(([name, values]) => [
        name,
        { steps: values.map((_, i) => i + 1), values: [...values] },
      ]),
    ),
  ),
});
const curve = (count: number, at: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => at(i));
const wobble = (i: number): number => (i % 3) / 50;

const rising = curve(60, (i) => 0.2 + i / 100 + wobble(i));
const collapsing = curve(60, (i) => (i < 40 ? 0.2 + i / 100 : 0.05) + wobble(i));
const flat = curve(60, (i) => 0.4 + wobble(i));
const warns = DiagnosticSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Diagnostic",
  name: "warns",
  over: "version",
  label: { when: 'last("entropy") < 0.1' },
});

describe("how a run went", () => {
  for (const [what, score, expected] of [
    ["rises", rising, { type: "healthy" }],
    ["falls from its best", collapsing, { type: "collapsed", risen: 19, step: 41 }],
    ["stays", flat, { type: "undecided" }],
    ["is short", rising.slice(0, 19), { type: "undecided" }],
    ["dips and comes back", rising.map((v, i) => (i > 20 && i < 30 ? 0.1 : v)), { type: "healthy" }],
  ] as const)
    it(`is told by its score, which ${what}`, () =>
      assert.deepEqual(courseOf(run({ score }).curves), expected));

  it("is judged by the reward if no score is logged, and by nothing else", () => {
    assert.equal(courseOf(run({ "critic/rewards/mean": rising }).curves).type, "healthy");
    assert.equal(courseOf(run({ entropy: rising }).curves).type, "undecided");
  });
});

describe("the record of an alarm", () => {
  const low = curve(60, (i) => (i < 30 ? 1 : 0.05));
  const high = curve(60, () => 1);

  it("counts healthy runs in which it fired at any step, and how many steps before a collapse it fired", () => {
    const dip = high.with(10, 0.05);
    const [record] = alarmRecords(
      [warns],
      [
        run({ score: rising, entropy: high }),
        run({ score: rising, entropy: dip }),
        run({ score: collapsing, entropy: low }),
        run({ score: collapsing, entropy: high }),
        run({ score: flat, entropy: low }),
      ],
    );
    const { healthy, falseAlarms, collapsed, early, leadSteps } = record ?? {};
    // Low from step 31 on, collapsed at step 41.
    assert.deepEqual(
      { healthy, falseAlarms, collapsed, early, leadSteps },
      { healthy: 2, falseAlarms: 1, collapsed: 2, early: 1, leadSteps: 10 },
    );
  });

  it("does not count a firing long before the fall, while the score still rose, as a step ahead of it", () => {
    const [record] = alarmRecords([warns], [run({ score: collapsing, entropy: low.with(5, 0.05) })]);
    assert.deepEqual([record?.collapsed, record?.early, record?.leadSteps], [1, 0, null]);
  });

  it("leaves out runs that do not log what it looks at", () => {
    const [record] = alarmRecords([warns], [run({ score: rising })]);
    assert.deepEqual([record?.healthy, record?.high], [0, 1]);
    assert.equal(mayStop({ high: record?.high ?? 0 }, 0.9), false);
  });

  it("allows it to stop a job only if the whole interval lies below the limit", () => {
    assert.equal(healthyRunsNeeded(0.1), 35);
    const quiet = curve(60, () => 1);
    const of = (count: number): boolean =>
      alarmRecords(
        [warns],
        curve(count, () => 0).map(() => run({ score: rising, entropy: quiet })),
      ).every((r) => mayStop(r, 0.1));
    assert.deepEqual([of(34), of(35)], [false, true]);
  });

  it("of shipped alarms has no false alarm on curves that rise and wobble", () => {
    const healthy = run({
      score: rising,
      reward: rising,
      entropy: curve(60, (i) => 1 / (i + 1)),
      kl: curve(60, (i) => i / 1000 + wobble(i) / 10),
      grad_norm: curve(60, (i) => 0.5 + wobble(i)),
      response_length: curve(60, (i) => 400 - 5 * i),
      frac_reward_zero_std: curve(60, (i) => 0.2 + wobble(i)),
      "completions/clipped_ratio": curve(60, (i) => Math.max(0, 0.3 - i / 100)),
    });
    const records = alarmRecords(curveAlarms(shippedDiagnostics().map(({ spec }) => spec)), [healthy]);
    assert.deepEqual(
      records.filter(({ falseAlarms }) => falseAlarms > 0).map(({ name }) => name),
      [],
    );
  });
});
