import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { unresolvableSuccess } from "./unresolvable-success.ts";

const edit = "  - { file: harness/config.json, path: temperature, from: 1, to: 2 }";
const measured = (items: number, rollouts: number, passRate: number | null = 0.3) => ({
  ...noFacts,
  versions: [
    { name: "v0", rollouts: 4, items: 2, passRate: 0.1 },
    { name: "v1", rollouts, items, passRate },
  ],
});
const check = (success: string, facts = measured(77, 77)) =>
  checkMarked({
    kind: "intervention",
    text: interventionWith(edit).replace("success: { atLeast: 0.02 }", `success:\n  atLeast: ${success}`),
    rules: [unresolvableSuccess],
    files: sampleProject,
    facts,
  });

describe("rule unresolvable-success", () => {
  it("asks for a change that the items can show", () => {
    const { fixes, fixed } = check(`0.01
           ^^^^ unresolvable-success: from noise takes at least 779 items with 1 sample each; v1 has 77, which can tell 9.5 % at best.`);
    assert.deepEqual(fixes, ["Ask for at least 9.5 %"]);
    assert.match(fixed, /atLeast: 0.095\n/);
  });

  it("suggests more samples, more items or a larger change", () => {
    check("0.02", measured(77, 616));
    check("0.01", measured(1000, 1000));
    check("0.15");
  });

  it("never suggests a rate above 1", () => {
    check(
      `0.05
           ^^^^ unresolvable-success: The solve rate of v1 is 97.0 %, which cannot rise by 5 %.`,
      measured(1000, 8000, 0.97),
    );
  });

  it("reports nothing if nothing was measured", () => {
    check("0.001", noFacts);
    check("0.05", measured(77, 616, null));
  });
});
