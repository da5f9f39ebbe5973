import { isDoubtful } from "../../../../shared/ledger/newWayText.ts";
import type { SkillOrigin } from "../../../../shared/protocol/views/skills.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { DoubtsOf } from "../../memory/skills/doubts.ts";
import { skillsIn, type DerivedSkills } from "../../memory/skills/fromVersion.ts";
import { isSameTemplate, knownTogether, recordOf, type KnownSkill } from "../../memory/skills/record.ts";
import { Ancestry } from "../../proposals/standing/ancestry.ts";
import { whyHeld } from "../../proposals/standing/heldVersion.ts";

/** A skill, and where it is from: the project's file goes before the user's library, and both before a kept version. */
export interface PlacedSkill extends KnownSkill {
  readonly origin: SkillOrigin;
  /** Where it lies; null for one that no file holds yet. */
  readonly file: string | null;
  /** The versions of this project that prove it, of one that no file holds. */
  readonly versions: readonly string[];
}

/** A skill spec as a file holds it; null where the caller does not say which. */
interface Found {
  readonly spec: KnownSkill["spec"];
  readonly file: string | null;
}

/** The skills of the project's files, of the user's library and of kept versions, each once, with their records in a lineage. */
export function placedSkills(
  { project, library }: { readonly project: readonly Found[]; readonly library: readonly Found[] },
  lineage: Lineage,
): { readonly skills: readonly PlacedSkill[]; readonly refused: DerivedSkills["refused"] } {
  const doubtsOf = doubtsIn(lineage);
  const derived = skillsIn(lineage, doubtsOf);
  const placed: PlacedSkill[] = [];
  const isTaken = (name: string): boolean => placed.some((one) => one.spec.name === name);
  const add = (origin: SkillOrigin, { spec, file }: Found, versions: readonly string[]): void =>
    void placed.push({ spec, record: recordOf(spec, lineage, doubtsOf), origin, file, versions });
  for (const one of project) add("project", one, []);
  for (const one of library) if (!isTaken(one.spec.name)) add("library", one, []);
  for (const { skill, versions } of derived.skills) {
    // A kept version is no skill of its own where a file holds what it changes.
    if (placed.some((one) => isSameTemplate(one.spec, skill))) continue;
    // General moves give their names to whatever value they try.
    const spec = isTaken(skill.name) ? { ...skill, name: versions[0] ?? skill.name } : skill;
    if (!isTaken(spec.name)) add("version", { spec, file: null }, versions);
  }
  return { skills: knownTogether(placed), refused: derived.refused };
}

/** What may keep each version of a lineage from proving a skill. */
export function doubtsIn(lineage: Lineage): DoubtsOf {
  const ancestry = new Ancestry(lineage);
  let isAnyDoubtful: boolean | undefined;
  return (version) => {
    const notKept = ancestry.whyNotKept(version);
    if (notKept !== null) return { notKept, held: null };
    // To look at all that a version was made of takes long in a long lineage, and hardly any has a doubtful one.
    isAnyDoubtful ??= lineage.versions.some(({ decision }) => decision !== undefined && isDoubtful(decision));
    return { notKept, held: isAnyDoubtful ? whyHeld(version, lineage) : null };
  };
}
