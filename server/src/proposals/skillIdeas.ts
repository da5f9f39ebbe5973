import type { SkillUse } from "../../../shared/ledger/skillUse.ts";
import type { Finding } from "../diagnosis/rules.ts";
import { fitSkill, interventionOf, type FitGround } from "../memory/skills/fit.ts";
import type { KnownSkill } from "../memory/skills/record.ts";
import type { Idea } from "./draft.ts";

export interface SkillIdeas {
  /** Those of which most is expected first. */
  readonly ideas: readonly Idea[];
  /** Skills that answer a finding and cannot be used, and why: a sentence each. */
  readonly passedOver: readonly string[];
}

/**
 * Skills that answer what was found wrong with a version, as ideas for a proposer: those in use, that fit its files and that
 * this domain or two others confirmed, or skills that are alike. One that only another domain confirmed is left to people (`skills apply`). `findings`
 * in the order in which they are to be answered. Nothing is written.
 */
export async function skillIdeas(
  skills: readonly KnownSkill[],
  findings: readonly Finding[],
  ground: FitGround,
): Promise<SkillIdeas> {
  const ideas: Idea[] = [];
  const passedOver: string[] = [];
  for (const skill of [...skills].sort((a, b) => worth(b) - worth(a))) {
    const { spec, record } = skill;
    const finding = findings.find(({ name }) => spec.when.targets.includes(name));
    if (finding === undefined) continue;
    const why = whyUnoffered(skill, ground.declared.domain);
    const fit = why === null ? await fitSkill(spec, ground) : { type: "unfit" as const, reason: why };
    if (fit.type === "unfit") {
      passedOver.push(fit.reason);
      continue;
    }
    const intervention = interventionOf(spec, { edit: fit.edit, record });
    ideas.push({
      spec: intervention,
      because: `${finding.message} It is answered because ${intervention.hypothesis.because}`,
      finding: finding.name,
      skill: useOf(skill),
    });
  }
  return { ideas, passedOver };
}

/** Why a skill is not offered to proposers of a domain, in a sentence; null where it is. */
export function whyUnoffered({ spec, record }: KnownSkill, domain: string): string | null {
  const { retired, isShared, domains, validations } = record;
  if (retired !== null) return `${spec.name} is retired. ${retired}`;
  const failed = validations.find((one) => one.domain === domain && one.outcome === "refuted");
  if (failed !== undefined && !domains.includes(domain))
    return `${spec.name} was refuted in ${domain} (${failed.version}); apply it by hand with \`evotrainer skills apply ${spec.name}\`, to try it once more.`;
  if (isShared || domains.includes(domain)) return null;
  return domains.length === 0
    ? `${spec.name} was never confirmed; apply it by hand with \`evotrainer skills apply ${spec.name}\`.`
    : `${spec.name} is local to ${domains.join(", ")}; apply it by hand with \`evotrainer skills apply ${spec.name}\`, to see whether it holds in ${domain}.`;
}

/** What the ledger keeps of a use: what is expected before it is measured. */
export function useOf({ spec, record }: KnownSkill): SkillUse {
  const { expected } = record;
  return {
    name: spec.name,
    expected:
      expected === null
        ? null
        : {
            difference: expected.difference,
            low: expected.next[0],
            high: expected.next[1],
            uses: expected.uses,
          },
  };
}

/** What is expected of it, as a size; least where nothing was measured. */
const worth = ({ spec, record }: KnownSkill): number =>
  record.expected === null
    ? -Infinity
    : record.expected.difference * (spec.expects.direction === "increase" ? 1 : -1);
