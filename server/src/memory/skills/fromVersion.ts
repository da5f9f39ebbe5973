import { isValueEdit } from "../../../../shared/spec/edit.ts";
import { apiVersion } from "../../../../shared/spec/common.ts";
import type { SkillSpec } from "../../../../shared/spec/skill.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Doubts, DoubtsOf } from "./doubts.ts";
import { isSameTemplate } from "./record.ts";

// Skills that the loop makes are not written anywhere: the entries of a replicated keep say all that a skill says, signed, and
// in git. They are read from there on demand. A second copy could differ from them, would outlive a revert, and as a file it
// would change the user's work tree unasked; `skills save` writes that file when somebody asks for it.

export type FromVersion =
  | { readonly type: "skill"; readonly skill: SkillSpec }
  | { readonly type: "refused"; readonly reason: string };

/** The skill that a version proves, or why it proves none, in a sentence. What was measured is in its record. */
export function skillOf(
  version: VersionRecord,
  { domain, ...doubts }: Doubts & { readonly domain: string },
): FromVersion {
  const refused = whyNot(version, doubts);
  const { name, hypothesis } = version;
  const spec = hypothesis?.spec;
  if (refused !== null || spec === undefined)
    return { type: "refused", reason: refused ?? `The ledger does not say what ${name} changed.` };
  return {
    type: "skill",
    skill: {
      apiVersion,
      kind: "Skill",
      name: spec.name,
      when: { targets: spec.targets, because: spec.hypothesis.because },
      factor: spec.factor,
      edit: spec.edit.filter(isValueEdit).map(({ file, path, from, to }) => ({ file, path, from, to })),
      expects: { metric: "solve_rate", direction: "increase", ...leastOf(spec.success.atLeast) },
      guardrails: spec.guardrails,
      validations: [],
      source: `${name} in the domain ${domain}`,
      tags: [],
    },
  };
}

export interface DerivedSkills {
  /** Each with the versions that prove it, the first of which it is named after. */
  readonly skills: readonly { readonly skill: SkillSpec; readonly versions: readonly string[] }[];
  /** Versions that were kept and prove none. */
  readonly refused: readonly { readonly version: string; readonly because: string }[];
}

/** The skills that a lineage proves. */
export function skillsIn(lineage: Lineage, doubtsOf: DoubtsOf): DerivedSkills {
  const skills: { skill: SkillSpec; versions: string[] }[] = [];
  const refused: { version: string; because: string }[] = [];
  for (const version of lineage.versions) {
    const doubts = doubtsOf(version);
    const made = skillOf(version, { domain: lineage.domain, ...doubts });
    if (made.type === "refused") {
      // Of a use nobody expects a skill: it is one already.
      if (doubts.notKept === null && version.hypothesis?.skill === undefined)
        refused.push({ version: version.name, because: made.reason });
      continue;
    }
    const { skill } = made;
    const same = skills.find((one) => isSameTemplate(one.skill, skill));
    const isTaken = skills.some((one) => one.skill.name === skill.name);
    if (same !== undefined) same.versions.push(version.name);
    else skills.push({ skill: isTaken ? { ...skill, name: version.name } : skill, versions: [version.name] });
  }
  return { skills, refused };
}

const leastOf = (atLeast: number): { atLeast?: number } => (atLeast >= 0 ? { atLeast } : {});

function whyNot(version: VersionRecord, { notKept, held }: Doubts): string | null {
  const { name, hypothesis, decision, merges, without, joins, approvals } = version;
  if (notKept !== null) return notKept;
  // Another project would learn the shortcut.
  if (held !== null) return held;
  const spec = hypothesis?.spec;
  if (merges !== undefined || without !== undefined || decision?.decision !== "keep")
    return `${name} was made of other versions; save those that it was made of.`;
  if (joins !== undefined)
    return `${name} combines a change with that of ${joins}, whose effect alone was not clear. A skill needs a version that makes one change.`;
  if (hypothesis?.skill !== undefined)
    return `${name} was made with the skill ${hypothesis.skill.name}, which counts it as a use.`;
  if (spec === undefined) return `The ledger does not say what ${name} changed: an earlier release made it.`;
  if (stageOf(version) !== "replicated")
    return `${name} was kept on one seed only. A skill needs a version that was decided on two or more seeds: set testing.seeds to 2 or more in evotrainer.yaml, and try the change again.`;
  if (!spec.edit.every(isValueEdit))
    return `${name} changes lines of files. Only changes of values can become skills yet: lines seldom fit another project.`;
  if (hypothesis?.speaksOf !== undefined || approvals.some(({ commit }) => commit !== undefined))
    return `${name} was altered at its gate, so the ledger does not have the edit that was trained.`;
  if (decision.comparison === null) return `${name} was not compared with its parent.`;
  return decision.comparison.verdict === "improved"
    ? null
    : `${name} was kept, but its score is not better than its parent's.`;
}
