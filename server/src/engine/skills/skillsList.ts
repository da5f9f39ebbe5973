import type { SkillDetail, SkillRow, SkillsList } from "../../../../shared/protocol/views/skills.ts";
import { fitSkill, type FitGround } from "../../memory/skills/fit.ts";
import { definePlainService } from "../workspace/service.ts";
import type { PlacedSkill } from "../skillRecords/placedSkills.ts";
import { knownSkills, skillNamed } from "./knownSkills.ts";

/** The skills of the project, of the user's library and of kept versions, with their records. */
export const skillsList = definePlainService("skills.list", {
  repeatable: true,
  async run({ root }): Promise<SkillsList> {
    const { skills, refused, problems, champion, ground } = await knownSkills(root);
    const rows: SkillRow[] = [];
    for (const skill of skills) rows.push(await rowOf(skill, ground));
    rows.sort((a, b) => a.name.localeCompare(b.name));
    return {
      version: champion?.name ?? null,
      skills: rows,
      refused: refused.map((one) => ({ ...one })),
      problems: problems.map((one) => ({ ...one })),
    };
  },
});

/** One skill with all that is known of it. */
export const skillsShow = definePlainService("skills.show", {
  repeatable: true,
  async run({ root }, { name }): Promise<SkillDetail> {
    const known = await knownSkills(root);
    const skill = skillNamed(known, name);
    const { spec, record } = skill;
    const { expected } = record;
    return {
      skill: await rowOf(skill, known.ground),
      because: spec.when.because ?? null,
      source: spec.source ?? null,
      edit: spec.edit.map(({ file, path, from, to }) => ({
        ...{ file: file ?? null, path, to },
        ...(from === undefined ? {} : { from }),
      })),
      pooled:
        expected === null
          ? null
          : {
              ...{ difference: expected.difference, spread: expected.spread },
              ...{ low: expected.mean[0], high: expected.mean[1] },
            },
      trials: record.validations.map((one) => ({
        ...{ domain: one.domain, version: one.version, against: one.against ?? null },
        ...{ metric: one.metric, change: one.change, low: one.low ?? null, high: one.high ?? null },
        ...{ outcome: one.outcome, used: one.used === true },
      })),
      open: record.open.map((one) => ({ ...one })),
    };
  },
});

async function rowOf(
  { spec, record, origin, file, versions }: PlacedSkill,
  ground: FitGround | null,
): Promise<SkillRow> {
  const fit = ground === null ? null : await fitSkill(spec, ground);
  const { expected, validations } = record;
  return {
    ...{ name: spec.name, description: spec.description ?? null, factor: spec.factor },
    ...{ targets: [...spec.when.targets], origin, file, versions: [...versions] },
    tried: validations.length,
    confirmed: validations.filter(({ outcome }) => outcome === "confirmed").length,
    ...{ used: record.used, cameTrue: record.cameTrue },
    ...{ refuted: record.refuted, insideNoise: record.insideNoise },
    metric: spec.expects.metric,
    expected:
      expected === null
        ? null
        : {
            ...{ difference: expected.difference, low: expected.next[0], high: expected.next[1] },
            uses: expected.uses,
          },
    ...{
      domains: [...record.domains],
      alike: record.alike.map((one) => ({ ...one, domains: [...one.domains] })),
    },
    ...{ shared: record.isShared, retired: record.retired },
    unfit: fit?.type === "unfit" ? fit.reason : null,
  };
}
