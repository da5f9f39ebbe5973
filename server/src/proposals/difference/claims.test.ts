import assert from "node:assert/strict";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { claimsAfter, saidStatement, hypothesisEntry } from "./claims.ts";
import { titleOf } from "./difference.ts";

const before = "entropy: 0.01\ntemperature: 1\nshape: flat\n";
const spec = InterventionSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Intervention",
  name: "more-entropy",
  hypothesis: { change: "entropy", metric: "solve_rate", direction: "increase", because: "it collapses" },
  targets: ["low-score"],
  factor: "optimisation",
  edit: [{ file: "c.yaml", path: "entropy", from: 0.01, to: 0.03 }],
  predicts: { fixes: ["echo-trap"], risks: ["leak"] },
  success: { atLeast: 0.02 },
});
const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy", version: "v4" };
const original = hypothesisEntry(spec, { ...common, proposer: "someone", title: "entropy: 0.01 → 0.03" });
const proposedAs = "entropy: 0.01 → 0.03";

/** What is claimed once the file is `after`. */
const claimed = (after: string) =>
  claimsAfter(original, proposedAs, [{ path: "c.yaml", before, after }], {
    ...common,
    id: "hypothesis:v4:1",
  });

describe("the claims of a proposal that was changed at its gate", () => {
  it("hold for a smaller step in the same direction, and the step is named", () => {
    const { statement, predictedFixes, speaksOf, proposer } = claimed(before.replace("0.01", "0.02"));
    assert.equal(
      statement,
      "Changing `entropy` from 0.01 to 0.03 should raise the solve rate: it collapses (proposed as entropy: 0.01 → 0.03; it is entropy: 0.01 → 0.02 now)",
    );
    assert.deepEqual([predictedFixes, speaksOf, proposer], [["echo-trap"], "part", "someone"]);
  });
  it("are complete again when the proposed text is restored", () => {
    const { statement, speaksOf } = claimed(before.replace("0.01", "0.03"));
    assert.deepEqual([statement, speaksOf], [original.statement, undefined]);
  });
  for (const [what, after] of [
    ["another key", before.replace("temperature: 1", "temperature: 0.8")],
    ["a step in the other direction", before.replace("0.01", "0.005")],
    ["a value of another kind", before.replace("0.01", "auto")],
  ] as const)
    it(`do not hold for ${what}`, () => {
      const { statement, targets, predictedFixes, predictedRisks, speaksOf } = claimed(after);
      assert.match(
        statement,
        /^Proposed for another change \(entropy: 0\.01 → 0\.03\); nothing was predicted for/,
      );
      assert.deepEqual([targets, predictedFixes, predictedRisks, speaksOf], [[], [], [], "none"]);
    });
  it("do not hold when an old ledger does not keep what was proposed", () => {
    const { spec: dropped, ...untold } = original;
    assert.ok(dropped);
    const files = [{ path: "c.yaml", before, after: before.replace("0.01", "0.02") }];
    assert.equal(claimsAfter(untold, proposedAs, files, original).speaksOf, "none");
  });
});

describe("the title of a change", () => {
  const title = (path: string, from: string | null, to: string | null): string =>
    titleOf([{ path, before: from, after: to }]);
  for (const [what, made, expected] of [
    [
      "values",
      title("c.yaml", before, before.replace("flat", "x").replace("0.01", "1")),
      "entropy: 0.01 → 1, shape: flat → x",
    ],
    ["a new value", title("c.yaml", "a: 1\n", "a: 1\nb: { c: 2 }\n"), "b.c: added as 2"],
    ["a removed value", title("c.yaml", "a: 1\nb: 2\n", "a: 1\n"), "b: 2 removed"],
    ["a text", title("prompt.txt", "a", "b"), "prompt.txt: +1 -1 lines"],
    ["a new file", title("prompt.txt", null, "b"), "prompt.txt: added"],
    ["a removed file", title("prompt.txt", "a", null), "prompt.txt: removed"],
    ["comments", title("c.yaml", "a: 1\n", "a: 1 # why\n"), "c.yaml: comments"],
    [
      "a long text with line ends",
      title("c.yaml", "a: x\n", `a: "x\\n${"y".repeat(99)}"\n`),
      `a: x → x ${"y".repeat(57)}…`,
    ],
    [
      "many values",
      title(
        "c.json",
        "{}",
        JSON.stringify(Object.fromEntries(["a", "b", "c", "d", "e", "f", "g", "h"].map((k) => [k, 1]))),
      ),
      "a: added as 1, b: added as 1, c: added as 1, d: added as 1, e: added as 1, f: added as 1, 2 more",
    ],
  ] as const)
    it(`names ${what}`, () => assert.equal(made, expected));
});

describe("the sentence of a hypothesis", () => {
  const order = {
    ...original,
    statement: "entropy should increase solve_rate because It collapses.",
  };
  it("is made anew where a release before wrote it in the letters of the spec", () =>
    assert.equal(
      saidStatement(order, proposedAs),
      "Changing `entropy` from 0.01 to 0.03 should raise the solve rate: it collapses",
    ));
  it("stays what its proposer wrote", () =>
    assert.equal(
      saidStatement({ ...order, statement: "More of it helps." }, proposedAs),
      "More of it helps.",
    ));
});
