import { checkMarked } from "../testing/markedText.ts";
import { noFacts } from "../testing/noFacts.ts";
import { interventionWith, sampleProject } from "../testing/sampleProject.ts";
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
const fact = (awarded: number, median: number, present = 1): typeof noFacts => ({
  ...noFacts,
  components: { formatted: { present, awarded, spread: { count: 1000, min: 0, median, max: 1 } } },
});
const check = (text: string, facts = fact(0.996, 1)) =>
  void checkMarked({ kind: "reward", text, rules: [constantBonus], files: sampleProject, facts });

describe("rule constant-bonus", () => {
  it("marks what nearly every rollout gets", () =>
    check(
      reward(`0.1
            ^^^ constant-bonus: 99.6 % of 1,000 archived rollouts get formatted`),
    ));

  it("leaves what is switched off, rare, graded, or unknown of many", () => {
    check(reward("0"));
    check(reward("0.1"), fact(0.98, 1));
    check(reward("0.1"), fact(0.996, 0.4));
    check(reward("0.1"), fact(0.996, 1, 0.5));
    check(reward("0.1"), { ...fact(0.996, 1), rollouts: 12 });
    check(reward("0.1"), noFacts);
  });

  it("marks the edit that switches it on", () =>
    void checkMarked({
      kind: "intervention",
      text: interventionWith(`  - { file: harness/main.reward.yaml, path: components.formatted.weight, from: 0, to: 0.1 }
                                                                                      ^^^ constant-bonus: 99.6 %`),
      rules: [constantBonus],
      files: { ...sampleProject, "harness/main.reward.yaml": reward("0") },
      facts: fact(0.996, 1),
    }));
});
