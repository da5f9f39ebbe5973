import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { constantBonus } from "./constant-bonus.ts";

const reward = (weight: string) => `
apiVersion: evotrainer/v1
kind: Reward
name: main
components:
  correctness: { shape: flat, weight: 1 }
  formatted:
    weight: ${weight}
`;
const spread = { count: 1000, min: 0, median: 1, max: 1 };
const fact = (awarded: number, inFull: number, of = 1000): typeof noFacts => ({
  ...noFacts,
  components: { formatted: { of, present: 1, awarded, inFull, spread } },
});
const check = (text: string, facts = fact(0.999, 0.996)) =>
  void checkMarked({ kind: "reward", text, rules: [constantBonus], files: sampleProject, facts });

describe("rule constant-bonus", () => {
  it("marks a bonus that nearly every rollout gets", () =>
    check(
      reward(`0.1
            ^^^ constant-bonus: 99.6 % of 1,000 archived rollouts get formatted`),
    ));

  it("says how many rollouts were looked at", () =>
    check(
      reward(`0.1
            ^^^ constant-bonus: 99.6 % of the newest 500 archived rollouts get formatted`),
      fact(0.996, 0.996, 500),
    ));

  it("accepts a bonus that is off, rare, graded, or unknown for many rollouts", () => {
    check(reward("0"));
    check(reward("0.1"), fact(0.98, 0.98));
    // Half of them get all of it, which a median would take for everybody.
    check(reward("0.1"), fact(0.999, 0.6));
    // All get the most there is, and that is nothing.
    check(reward("0.1"), fact(0, 1));
    check(reward("0.1"), fact(0.996, 0.996, 12));
    check(reward("0.1"), { ...fact(0.996, 0.996), rollouts: 12 });
    check(reward("0.1"), noFacts);
  });

  it("marks the edit that switches the bonus on", () =>
    void checkMarked({
      kind: "intervention",
      text: interventionWith(`  - { file: harness/main.reward.yaml, path: components.formatted.weight, from: 0, to: 0.1 }
                                                                                      ^^^ constant-bonus: 99.6 %`),
      rules: [constantBonus],
      files: { ...sampleProject, "harness/main.reward.yaml": reward("0") },
      facts: fact(0.996, 0.996),
    }));
});
