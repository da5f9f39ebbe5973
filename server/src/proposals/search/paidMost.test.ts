import assert from "node:assert/strict";
import { columnsOf } from "../../../../test/support/backtest/columns.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { seededRandom } from "../../base/random.ts";
import { paidMostIn, passingSignal, paysForFailing } from "./paidMost.ts";

const reward = (components: Record<string, number>): RewardSpec =>
  RewardSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Reward", name: "main" },
    components: Object.fromEntries(Object.entries(components).map(([name, weight]) => [name, { weight }])),
  });

describe("the rollouts that a new term of the reward pays most", () => {
  const random = seededRandom(7);
  const often = () => ({ usually: random() < 0.9 ? 1 : 0, rarely: random() < 0.002 ? 1 : 0 });
  // Whoever gives up after one turn fails and is the quickest; otherwise quick rollouts pass more often.
  const rollouts = Array.from({ length: 4000 }, () => {
    const givesUp = random() < 0.02;
    const quick = givesUp ? 1 : Math.round(random() * 10) / 20;
    const outcome = !givesUp && random() < 0.2 + quick / 2 ? ("pass" as const) : ("fail" as const);
    const solved = outcome === "pass" ? 1 : 0;
    return {
      outcome,
      signals: { solved, quick, careful: solved * random(), even: 1, noise: random(), ...often() },
    };
  });
  const groups = Array.from({ length: 500 }, (_, g) => ({ rollouts: rollouts.slice(8 * g, 8 * g + 8) }));
  const columns = columnsOf(groups);
  const before = reward({ solved: 1, quick: 0, careful: 0, even: 0, noise: 0, usually: 0, rarely: 0 });
  const paid = paidMostIn(columns, before);
  const of = (components: Record<string, number>) => paid(reward({ solved: 1, ...components }));

  it("fail where the term is easiest to get by giving up, although it goes with passing otherwise", () => {
    const found = of({ quick: 0.5 });
    const quitters = rollouts.filter(({ signals }) => signals.quick === 1);
    assert.ok(found && quitters.length > 40);
    assert.deepEqual([found.term, found.rollouts, found.passed], ["quick", quitters.length, 0]);
    assert.ok(paysForFailing(found) && passingSignal(found) < -0.8, JSON.stringify(found));
  });

  it("pass where only who passes is paid, and are as usual where chance pays", () => {
    const [careful, noise] = [of({ careful: 0.5 }), of({ noise: 0.5 })];
    assert.ok(careful && noise);
    assert.equal(careful.passed, careful.rollouts);
    assert.ok(passingSignal(careful) > 0.3 && !paysForFailing(careful));
    assert.ok(Math.abs(passingSignal(noise)) < 0.25 && !paysForFailing(noise), JSON.stringify(noise));
    const passes = rollouts.filter(({ outcome }) => outcome === "pass").length;
    assert.equal(noise.usual, passes / rollouts.length);
    assert.equal(noise.rollouts, 40);
  });

  it("are those of the worst of several new terms, whatever their weights", () => {
    assert.deepEqual(of({ careful: 3, quick: 0.1 }), of({ quick: 0.5 }));
  });

  it("are those with the least of a term that is to be avoided", () => {
    const found = of({ quick: -0.5 });
    assert.ok(found);
    const slow = rollouts.filter(({ signals }) => signals.quick === 0);
    assert.equal(found.rollouts, slow.length);
    assert.equal(found.passed, slow.filter(({ outcome }) => outcome === "pass").length);
  });

  it("are nobody where no term is new, where it is the same for all, and where few have it", () => {
    assert.equal(of({}), null);
    assert.equal(of({ even: 1 }), null);
    assert.equal(paidMostIn(columns, reward({ quick: 1 }))(reward({ quick: 2 })), null);
    const few = columnsOf(groups.slice(0, 4));
    assert.equal(paidMostIn(few, before)(reward({ solved: 1, noise: 1 })), null);
    assert.equal(of({ usually: 1 }), null, "and where most have all of it");
    assert.equal(of({ rarely: 1 }), null, "or hardly anybody has any");
  });
});
