import assert from "node:assert/strict";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import type { FileSource } from "../../project/source.ts";
import { fitSkill } from "./fit.ts";

const declared = ProjectSpec.parse({
  ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "p", domain: "math" },
  trainer: { command: ["x"] },
  evaluation: { splits: { train: "t.jsonl", selection: "s.jsonl", audit: "a.jsonl" }, files: ["grade.py"] },
  surfaces: [
    { factor: "reward", file: "reward.yaml", paths: ["shape", "weights", "margin"] },
    { factor: "reward", file: "other.yaml", paths: ["margin", "only"] },
    { factor: "optimisation", file: "train.yaml" },
    { factor: "environment", kind: "text", files: ["env/*.py"] },
  ],
  frozen: [{ file: "train.yaml", paths: ["seed"] }],
});
const files: Readonly<Record<string, string>> = {
  "reward.yaml": "shape: flat\nweights: { bonus: 0.2, list: [1] }\nmargin: 1\nhidden: 1\n",
  "other.yaml": "margin: 1\nonly: 3\n",
  "train.yaml": "lr: 1.0e-6\nseed: 1\nresume: null\n",
};
const parent: FileSource = {
  name: "the parent",
  read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
  list: () => Promise.resolve([]),
};
const skill = (factor: string, edit: SkillSpec["edit"], domains?: string[]): SkillSpec =>
  SkillSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Skill", name: "pay", factor, edit },
    when: { targets: ["low-score"] },
    expects: { direction: "increase" },
    ...(domains === undefined ? {} : { domains }),
  });

describe("a skill in another project", () => {
  const fits: readonly (readonly [string, SkillSpec, readonly [string, unknown, unknown]])[] = [
    [
      "its own file",
      skill("reward", [{ file: "reward.yaml", path: "shape", to: "linear" }]),
      ["reward.yaml", "flat", "linear"],
    ],
    [
      "a file of another name",
      skill("reward", [{ file: "knobs.yaml", path: "shape", to: "x" }]),
      ["reward.yaml", "flat", "x"],
    ],
    [
      "no file named",
      skill("reward", [{ path: "weights.bonus", from: 0.1, to: 0.4 }]),
      ["reward.yaml", 0.2, 0.4],
    ],
    [
      "the file that is named, of two",
      skill("reward", [{ file: "other.yaml", path: "margin", to: 2 }]),
      ["other.yaml", 1, 2],
    ],
    [
      "a type that it was found to replace",
      skill("optimisation", [{ path: "resume", from: null, to: "last" }]),
      ["train.yaml", null, "last"],
    ],
  ];
  for (const [name, spec, [file, from, to]] of fits)
    it(`fits: ${name}`, async () => {
      const fit = await fitSkill(spec, { parent, declared });
      assert.ok(fit.type === "fits", fit.type === "unfit" ? fit.reason : "");
      assert.deepEqual([fit.edit[0]?.file, fit.edit[0]?.from, fit.edit[0]?.to], [file, from, to]);
    });

  const refused: readonly (readonly [string, SkillSpec, RegExp])[] = [
    [
      "another domain",
      skill("reward", [{ path: "shape", to: "x" }], ["swe"]),
      /it is for swe, and this is the domain math/,
    ],
    [
      "a factor without a surface",
      skill("sampling", [{ path: "shape", to: "x" }]),
      /no surface of values for the factor sampling/,
    ],
    [
      "a factor with texts only",
      skill("environment", [{ path: "shape", to: "x" }]),
      /no surface of values for the factor environment/,
    ],
    [
      "no such path",
      skill("reward", [{ path: "weights.none", to: 1 }]),
      /no surface of reward has a value at weights\.none \(looked in reward\.yaml and other\.yaml\)/,
    ],
    [
      "a path that is on no surface",
      skill("reward", [{ file: "reward.yaml", path: "hidden", to: 2 }]),
      /no surface of reward has a value at hidden/,
    ],
    [
      "a frozen value",
      skill("optimisation", [{ path: "seed", to: 2 }]),
      /no surface of optimisation has a value at seed/,
    ],
    [
      "a list",
      skill("reward", [{ path: "weights.list", to: 2 }]),
      /no surface of reward has a value at weights\.list/,
    ],
    [
      "two files that hold it",
      skill("reward", [{ path: "margin", to: 2 }]),
      /margin is in reward\.yaml and other\.yaml; write the file/,
    ],
    [
      "the value that is there",
      skill("reward", [{ path: "shape", to: "flat" }]),
      /shape in reward\.yaml is "flat" already/,
    ],
    [
      "another type",
      skill("reward", [{ path: "shape", from: 1, to: 2 }]),
      /is "flat", and the skill sets it to 2, which is of another type/,
    ],
    [
      "the other way round",
      skill("reward", [{ path: "weights.bonus", from: 0, to: 0.1 }]),
      /raised it from 0 to 0\.1, and here it would do the opposite/,
    ],
    [
      "one edit of two that fits",
      skill("reward", [
        { path: "shape", to: "x" },
        { path: "none", to: 1 },
      ]),
      /has a value at none/,
    ],
  ];
  for (const [name, spec, says] of refused)
    it(`does not fit, and says so by name: ${name}`, async () => {
      const fit = await fitSkill(spec, { parent, declared });
      assert.ok(fit.type === "unfit");
      assert.match(fit.reason, /^pay does not fit: /);
      assert.match(fit.reason, says);
    });
});
