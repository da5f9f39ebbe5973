import assert from "node:assert/strict";
import type { Plan } from "../plan.ts";
import { fallOf, pairedDifference, phantomReport } from "./phantomReport.ts";
import { filters, type FilterKind, type PhantomResult } from "./phantomResult.ts";

const plan: Plan = {
  ...{ name: "phantom", domains: ["math"], arms: ["baseline"], seeds: [1, 2, 3], trainings: 16 },
  ...{ freshSeeds: 5, small: null, items: "usual" },
};

/** A training whose rollouts passed as often as these say, at the steps 1, 8, 16 … */
const training = (filter: FilterKind, seed: number, passed: readonly number[]): PhantomResult => ({
  ...{ schema: 1, planCommit: "p", codeCommit: "c", filter, seed },
  steps: passed.map((share, i) => ({
    ...{ step: i === 0 ? 1 : 8 * i, passed: share + seed / 1000 },
    ...{ phantom: i === 0 ? null : 0.4, warns: i >= seed },
  })),
  ...{ selection: 0.5, audit: [1, 0], shifted: [0, 0] },
});
const all = filters.flatMap((filter) =>
  plan.seeds.map((seed) =>
    training(filter, seed, filter === "std" ? [0.1, 0.5, 0.3, 0.2] : [0.1, 0.2, 0.3, 0.4]),
  ),
);

describe("the report on phantom signal", () => {
  it("says nothing before a training is here, and how many are until all are", () => {
    assert.deepEqual(phantomReport(plan, []), []);
    const text = phantomReport(plan, all.slice(0, 4)).join("\n");
    assert.match(text, /4 of its 9 trainings are here/);
    assert.doesNotMatch(text, /\|/);
  });

  it("has each step with its share, its warnings and its scores, and says where each filter's score falls", () => {
    const text = phantomReport(plan, all).join("\n");
    assert.match(
      text,
      /\| 1 \| – \| 0 of 3 \| 0 of 3 \| 0 of 3 \| 10\.2 \| 10\.2 \| 10\.2 \| \+0\.0 \[.*\] \| \+0\.0 \[/,
    );
    assert.match(text, /\| 16 \| 40\.0 \| 2 of 3 \| 2 of 3 \| 2 of 3 \| 30\.2 \| 30\.2 \| 30\.2 \|/);
    assert.match(text, /first warns at step 8 with 1, at step 16 with 1, at step 24 with 1 of the 3 seeds/);
    assert.match(text, /With `none`, the score falls at no step by the rule of the plan/);
    assert.match(text, /With `std`, the score falls at step 16: −20\.0 \[.*\] points against step 8/);
    assert.match(text, /\| `std` \| 50\.0 \| 50\.0 \| \+0\.0 \[\+0\.0, \+0\.0\] \| 0\.0 \|/);
  });

  it("calls no difference a fall whose interval holds 0", () => {
    const noisy = [0.5, 0.1, 0.6].map((last, i) => training("none", i + 1, [0.4, last]));
    assert.equal(fallOf([1, 8], noisy), null);
    const sure = [0.1, 0.1, 0.1].map((last, i) => training("none", i + 1, [0.4, last]));
    assert.equal(fallOf([1, 8], sure)?.step, 8);
  });

  it("takes differences seed by seed, with Student's interval", () => {
    const found = pairedDifference([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]);
    // Mean 0.2, standard deviation 0.1, and t = 4.302653 with two degrees of freedom.
    assert.ok(Math.abs((found?.difference ?? 0) - 0.2) < 1e-12);
    assert.ok(Math.abs((found?.low ?? 0) - (0.2 - (4.302653 * 0.1) / Math.sqrt(3))) < 1e-6);
    assert.equal(pairedDifference([1], [0]), null);
  });
});
