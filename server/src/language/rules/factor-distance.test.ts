import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { factorDistance } from "./factor-distance.ts";

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
const check = (text: string, around: { parent?: typeof parent } = { parent }) =>
  void checkMarked({
    kind: "config",
    path: "harness/config.json",
    text,
    rules: [factorDistance],
    files,
    ...around,
  });

describe("rule factor-distance", () => {
  it("says which factors have changed", () => {
    check(`optim: { lr: 2, clip: 3 }
         ^^ factor-distance: The harness is one factor away from v4: optimisation (2 values).
sampling: { temperature: 1 }
`);
    check(`optim: { lr: 2 }
         ^^ factor-distance: 2 factors away from v4: optimisation (optim.lr) and sampling (sampling.temperature).
sampling: { temperature: 2 }
`);
  });

  it("reports nothing at the parent, after bookkeeping, or without a parent", () => {
    check("optim: { lr: 1, save_steps: 10 }\nsampling: { temperature: 1 }\n");
    check("optim: { lr: 1, save_steps: 99 }\nsampling: { temperature: 1 }\n");
    check("optim: { lr: 5 }\n", {});
  });
});
