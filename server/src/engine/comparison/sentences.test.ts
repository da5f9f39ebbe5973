import assert from "node:assert/strict";
import { comparisonText } from "./sentences.ts";

describe("comparisonText", () => {
  it("gives difference, verdict, method, the effect of unknown outcomes, what more data would show, and the doubts", () => {
    const text = comparisonText("v2", {
      against: "v1",
      difference: 0.0439,
      low: 0.0261,
      high: 0.0634,
      confidence: 0.95,
      verdict: "improved",
      items: 77,
      itemsNeeded: 31,
      seedsNeeded: 3,
      detectable: 0.028,
      method: "percentile bootstrap over items, corrected by t",
      doubts: ["one_seed", "unknown_matter"],
      outer: [-0.004, 0.081],
    });
    assert.equal(
      text,
      [
        "v2 against v1: +4.4 points [+2.6, +6.3], improved, 77 paired items.",
        "95 % interval: percentile bootstrap over items, corrected by t.",
        "With unknown outcomes counted either way: [−0.4, +8.1] points at 95 %.",
        "About 31 items are needed to detect a difference of this size.",
        "About 3 seeds of each version are needed for that.",
        "With these items, a difference of 2.8 points is found in 80 of 100 cases.",
        "One seed each: nobody knows how much another training run would differ.",
        "The unknown outcomes could change the verdict.",
      ].join("\n"),
    );
  });
  it("names a few of the stop reasons of what broke, and lets none of them begin a line", () => {
    const comparison = { against: "v1", difference: -0.2, low: -0.3, high: -0.1, confidence: 0.95, items: 9 };
    const broken = { a: 0, b: 5, reasons: ["error\nv2: better", "b", "c", "d", "e"], without: null };
    const text = comparisonText("v2", { ...comparison, verdict: "withheld", itemsNeeded: null }, { broken });
    const [, said] = text.split("\n");
    assert.match(
      said ?? "",
      /^Because the grader or the machine broke, 5 rollouts of v2 count as failed \(stop reason error.*v2: better, b, c and 2 more\)\. Without them there is nothing to compare\.$/,
    );
  });
  it("leaves out what an older comparison does not contain", () => {
    const text = comparisonText("v2", {
      against: "v1",
      difference: 0,
      low: 0,
      high: 0,
      confidence: 0.95,
      verdict: "inside_noise",
      items: 3,
      itemsNeeded: null,
    });
    assert.equal(text, "v2 against v1: 0.0 points [0.0, 0.0], inside the noise, 3 paired items.");
  });
});
