import assert from "node:assert/strict";
import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { parse } from "yaml";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { severalFactors } from "./several-factors.ts";

const files = {
  ...sampleProject,
  "evotrainer.yaml": (sampleProject["evotrainer.yaml"] ?? "").replace(
    "  - { factor: optimisation, file: harness/config.json }",
    `  - { factor: optimisation, file: harness/config.json, paths: [optim] }
  - { factor: sampling, file: harness/config.json, paths: [sampling] }`,
  ),
};
const parent = {
  "harness/config.json": "optim: { lr: 1, save_steps: 10 }\nsampling: { temperature: 1 }\nworkers: 2\n",
};
const check = (text: string) =>
  checkMarked({ kind: "config", path: "harness/config.json", text, rules: [severalFactors], files, parent });

describe("rule several-factors", () => {
  it("accepts one factor with many values", () =>
    check("optim: { lr: 2, clip: 3 }\nsampling: { temperature: 1 }\n"));

  it("does not count bookkeeping, and says so", () => {
    check("optim: { lr: 1, save_steps: 20 }\nsampling: { temperature: 2 }\n");
    check(`optim: { lr: 2, save_steps: 20 }
         ^^ several-factors: 2 factors differ from v4: optimisation (optim.lr) and sampling (sampling.temperature). A version changes only one. Bookkeeping does not count: optim.save_steps.
sampling: { temperature: 2 }
`);
  });

  it("makes an intervention for each factor, and restores the parent's values", () => {
    const { fixes, fixed, created } = check(`optim: { lr: 2, save_steps: 10 }
         ^^ several-factors: Names, paths and save intervals do not count.
sampling: { temperature: 3 }
workers: 2
`);
    assert.deepEqual(fixes, ["Make 2 interventions of this, one per factor"]);
    assert.equal(fixed, parent["harness/config.json"]);
    assert.deepEqual(Object.keys(created), [
      "harness/interventions/try-optimisation.intervention.yaml",
      "harness/interventions/try-sampling.intervention.yaml",
    ]);
    for (const text of Object.values(created)) {
      const { error } = InterventionSpec.safeParse(parse(text));
      assert.equal(error, undefined);
    }
    assert.match(Object.values(created)[1] ?? "", /path: sampling.temperature\n {4}from: 1\n {4}to: 3\n/);
  });

  it("offers nothing for a value that the parent lacks", () => {
    const { fixes } = check(`optim: { lr: 1, clip: 3 }
                ^^^^ several-factors
sampling: { temperature: 3 }
`);
    assert.deepEqual(fixes, []);
  });
});
