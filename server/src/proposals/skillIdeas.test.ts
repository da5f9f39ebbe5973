import assert from "node:assert/strict";
import { ProjectSpec } from "../../../shared/spec/project.ts";
import { SkillSpec, type SkillValidation } from "../../../shared/spec/skill.ts";
import { recordOf, type KnownSkill } from "../memory/skills/record.ts";
import type { FileSource } from "../project/source.ts";
import { draftOf } from "./draft.ts";
import { skillIdeas } from "./skillIdeas.ts";

const project = `apiVersion: evotrainer/v1
kind: Project
name: p
domain: math
trainer: { command: [x] }
evaluation:
  splits: { train: t.jsonl, selection: s.jsonl, audit: a.jsonl }
  files: [grade.py]
surfaces: [{ factor: reward, file: r.yaml }]
`;
const files: Readonly<Record<string, string>> = {
  "evotrainer.yaml": project,
  "r.yaml": "shape: flat\nbonus: 0\n",
};
const parent: FileSource = {
  name: "the parent",
  read: (path) => Promise.resolve(Object.hasOwn(files, path) ? files[path] : undefined),
  list: () => Promise.resolve([]),
};
const declared = ProjectSpec.parse({
  ...{ apiVersion: "evotrainer/v1", kind: "Project", name: "p", domain: "math", trainer: { command: ["x"] } },
  evaluation: { splits: { train: "t.jsonl", selection: "s.jsonl", audit: "a.jsonl" }, files: ["grade.py"] },
  surfaces: [{ factor: "reward", file: "r.yaml" }],
});
const trial = (domain: string, change: number): SkillValidation => ({
  ...{
    domain,
    version: `v-${domain}`,
    metric: "solve_rate",
    change,
    low: change - 0.02,
    high: change + 0.02,
  },
  outcome: "confirmed",
});
function known(
  name: string,
  trials: readonly SkillValidation[],
  more: Record<string, unknown> = {},
): KnownSkill {
  const spec = SkillSpec.parse({
    ...{ apiVersion: "evotrainer/v1", kind: "Skill", name, factor: "reward", validations: trials },
    when: { targets: ["low-score"] },
    edit: [{ path: "shape", to: "linear" }],
    expects: { direction: "increase" },
    ...more,
  });
  return {
    spec,
    record: recordOf(spec, { domain: "math", versions: [], problems: [] }, () => ({
      notKept: null,
      held: null,
    })),
  };
}
const finding = { name: "low-score", severity: "warning", message: "The score is low." } as const;

describe("skillIdeas", () => {
  it("offers what answers a finding and was confirmed here or in two other domains, the most promising first", async () => {
    const { ideas, passedOver } = await skillIdeas(
      [
        known("small", [trial("math", 0.05)]),
        known("shared", [trial("swe", 0.2), trial("web", 0.22)]),
        known("local", [trial("swe", 0.5)]),
        known("never", []),
        known("retired", [trial("math", 0.3)], { retired: { because: "it hurt" } }),
        known("unfit", [trial("math", 0.3)], { edit: [{ path: "none", to: 1 }] }),
        known("refuted", [
          trial("swe", 0.4),
          trial("web", 0.4),
          { ...trial("math", -0.3), outcome: "refuted" },
        ]),
        known("elsewhere", [trial("math", 0.3)], { when: { targets: ["echo-trap"] } }),
      ],
      [finding],
      { parent, declared },
    );
    assert.deepEqual(
      ideas.map(({ spec, finding: of, skill }) => [spec.name, of, skill?.name]),
      [
        ["shared", "low-score", "shared"],
        ["small", "low-score", "small"],
      ],
    );
    assert.equal(passedOver.length, 5);
    for (const says of [
      /local is local to swe; apply it by hand/,
      /never was never confirmed/,
      /refuted was refuted in math \(v-math\); apply it by hand/,
      /it hurt/,
      /unfit does not fit/,
    ])
      assert.ok(
        passedOver.some((one) => says.test(one)),
        String(says),
      );
  });

  it("gives ideas that pass the checks of every draft, and keeps what was expected with them", async () => {
    const { ideas } = await skillIdeas([known("small", [trial("math", 0.05)])], [finding], {
      parent,
      declared,
    });
    const [idea] = ideas;
    assert.ok(idea !== undefined);
    const drafted = await draftOf(idea, { parent, declared });
    assert.ok(drafted.type === "sound", JSON.stringify(drafted));
    assert.equal(drafted.draft.files[0]?.after, "shape: linear\nbonus: 0\n");
    assert.ok(Math.abs((drafted.draft.skill?.expected?.difference ?? 0) - 0.05) < 1e-9);
    assert.match(idea.because, /^The score is low\. It is answered because the skill small says so/);
  });

  it("offers nothing where nothing is wrong", async () => {
    assert.deepEqual(await skillIdeas([known("small", [trial("math", 0.05)])], [], { parent, declared }), {
      ideas: [],
      passedOver: [],
    });
  });
});
