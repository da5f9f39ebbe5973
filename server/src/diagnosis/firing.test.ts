import assert from "node:assert/strict";
import { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { seededRandom } from "../base/random.ts";
import type { MetricFacts } from "../predicate/facts.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { curveAlarms, type Curves } from "./curves.ts";
import { firingOf, firingText, heldSince } from "./firing.ts";

const alarm = (when: string, name = "alarm"): DiagnosticSpec =>
  DiagnosticSpec.parse({
    apiVersion: "evotrainer/v1",
    kind: "Diagnostic",
    name,
    over: "version",
    label: { when },
  });

/** Curves whose steps are the indices of their values, times ten. */
const curves =
  (values: Readonly<Record<string, readonly number[]>>): Curves =>
  (name): MetricFacts | null => {
    const of = values[name];
    return of === undefined ? null : { name, values: of, steps: of.map((_, i) => 10 * i) };
  };

describe("when an alarm fired first", () => {
  const spike = alarm('highest("kl") > 1.0');
  const low = [...Array.from({ length: 30 }, () => 0.1)];

  it("is the step that made its condition true, although it is not true at the end", () => {
    const late = alarm('last("kl") > 1.0');
    const kl = low.with(12, 5);
    assert.equal(firingOf(late, curves({ kl }))?.step, 120);
    assert.equal(firingOf(late, curves({ kl: low })), undefined);
    assert.equal(firingOf(late, curves({})), undefined);
  });

  it("is found exactly in a run of many steps", () => {
    const kl = Array.from({ length: 5000 }, (_, i) => (i < 3333 ? 0.1 : 2));
    assert.equal(firingOf(spike, curves({ kl }))?.step, 33_330);
    assert.equal(firingOf(spike, curves({ kl: kl.map((_, i) => (i < 4999 ? 0.1 : 2)) }))?.step, 49_990);
  });

  it("comes with the score then and at the end, or with the reward", () => {
    const kl = low.with(12, 5);
    const score = low.map((_, i) => (i <= 12 ? 0.5 : 0.1));
    const firing = firingOf(spike, curves({ kl, score }));
    assert.deepEqual(firing?.score, { metric: "score", then: 0.5, end: 0.1 });
    assert.equal(
      firingText(firing),
      "It fired first at step 120, with score at 0.5, the mean of five steps; over the last steps its mean is 0.1.",
    );
    assert.equal(firingOf(spike, curves({ kl, reward: score }))?.score?.metric, "reward");
    assert.equal(firingOf(spike, curves({ kl: low.with(28, 5), score }))?.score?.end, null);
    assert.equal(firingOf(spike, curves({ kl }))?.score, null);
  });

  it("is told apart from the step since which it holds, where it was quiet in between", () => {
    const late = alarm('last("kl") > 1.0');
    const kl = low.map((value, i) => (i === 12 || i >= 20 ? 5 : value));
    const firing = firingOf(late, curves({ kl }));
    assert.equal(heldSince(late, curves({ kl })), 200);
    assert.equal(
      firing && firingText(firing, heldSince(late, curves({ kl }))),
      "It fired first at step 120. It was quiet again after that, and holds since step 200.",
    );
    assert.equal(heldSince(late, curves({ kl: low.with(12, 5) })), undefined);
    assert.equal(heldSince(late, curves({ kl: low.map(() => 5) })), 0);
    const many = Array.from({ length: 5000 }, (_, i) => (i === 1000 || i >= 3333 ? 5 : 0.1));
    assert.equal(heldSince(late, curves({ kl: many })), 33_330);
  });

  it("is asked of conditions over training metrics alone", () =>
    assert.deepEqual(
      curveAlarms([spike, alarm("score < 0.5", "no-curve")]).map(({ name }) => name),
      ["alarm"],
    ));

  describe("of rewards that are rare", () => {
    const shipped = (name: string): DiagnosticSpec => {
      const spec = shippedDiagnostics().find((d) => d.spec.name === name)?.spec;
      assert.ok(spec);
      return spec;
    };
    const floor = shipped("score-floor");
    /** Steps of 64 rollouts, of which this share passes. */
    const batches = (share: number, steps: number, random: () => number): number[] =>
      Array.from(
        { length: steps },
        () => Array.from({ length: 64 }, () => random()).filter((x) => x < share).length / 64,
      );
    for (const share of [0.01, 0.002])
      it(`is never said to be at the floor while ${100 * share} % of the rollouts pass`, () => {
        const random = seededRandom(11);
        const fired = Array.from({ length: 100 }, () => batches(share, 200, random)).filter(
          (score) => firingOf(floor, curves({ score })) !== undefined,
        ).length;
        assert.ok(fired <= 5, `score-floor fired at some step of ${fired} of 100 runs`);
      });

    it("is said to be at the floor soon after the last of them, and not before", () => {
      const random = seededRandom(12);
      const dying = Array.from({ length: 20 }, () => [
        ...batches(0.01, 100, random),
        ...Array.from({ length: 40 }, () => 0),
      ]);
      const steps = dying.map((score) => firingOf(floor, curves({ score }))?.step);
      for (const step of steps)
        assert.ok(step !== undefined && step > 1000 && step <= 1300, `fired at ${step}`);
    });
  });

  describe("of a divergence", () => {
    const spec = shippedDiagnostics().find((d) => d.spec.name === "kl-shift")?.spec;
    /** Noise in which each step remembers half of the one before. */
    const noise = (steps: number, deviation: number, random: () => number): number[] => {
      const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      let now = 0;
      return Array.from({ length: steps }, () => (now = now / 2 + deviation * normal()));
    };
    const fired = (level: (step: number) => number, score: (step: number) => number): readonly number[] => {
      const random = seededRandom(31);
      assert.ok(spec);
      return Array.from({ length: 30 }, () => {
        const kl = noise(120, 0.15, random).map((e, i) => level(i) * Math.exp(e));
        const of = { kl, score: noise(120, 0.015, random).map((e, i) => score(i) + e) };
        return firingOf(spec, curves(of))?.step;
      }).filter((step) => step !== undefined);
    };
    for (const [what, level, score] of [
      [
        "climbs and levels off in a run that learns",
        (i: number) => 0.3 * (1 - Math.exp(-(i + 1) / 30)),
        (i: number) => 0.3 + i / 200,
      ],
      ["climbs evenly while the score stays flat", (i: number) => 0.002 * (i + 1), () => 0.5],
      [
        "jumps together with the score",
        (i: number) => (i < 60 ? 0.04 : 0.2),
        (i: number) => (i < 60 ? 0.3 : 0.6),
      ],
    ] as const)
      it(`is not said to have shifted where it ${what}`, () =>
        assert.ok(fired(level, score).length <= 3, String(fired(level, score))));

    it("is said to have shifted where it jumps and stays, soon after", () => {
      const steps = fired(
        (i) => (i < 60 ? 0.04 : 0.2),
        (i) => 0.3 + 0.003 * Math.min(i, 60),
      );
      assert.ok(steps.length >= 25, String(steps));
      assert.ok(
        steps.every((step) => step >= 600),
        String(steps),
      );
      assert.ok(steps.filter((step) => step <= 800).length >= 20, String(steps));
    });
  });

  it("is seldom the noise of a score that only varies around one level, whatever step one looks at", () => {
    const drop = shippedDiagnostics().find(({ spec }) => spec.name === "score-drop")?.spec;
    assert.ok(drop);
    const random = seededRandom(7);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const runs = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 0.4 + 0.02 * normal()));
    const fired = runs.filter((score) => firingOf(drop, curves({ score })) !== undefined).length;
    assert.ok(fired <= 10, `score-drop fired at some step of ${fired} of 100 runs`);
  });
});
