import type { SkillOrigin } from "../../../../shared/protocol/views/skills.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { skillsIn, type DerivedSkills, type Doubts } from "../../memory/skills/fromVersion.ts";
import { isSameMove, isSameTemplate, recordOf, type KnownSkill } from "../../memory/skills/record.ts";
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
  const derived = skillsIn(lineage, doubtsIn(lineage));
  const placed: Omit<PlacedSkill, "record">[] = [];
  const add = (origin: SkillOrigin, { spec, file }: Found, versions: readonly string[]): void => {
    // A kept version is no skill of its own where a file holds what it changes.
    const isThere = placed.some(
      (other) => other.spec.name === spec.name || (origin === "version" && isSameTemplate(other.spec, spec)),
    );
    if (!isThere) placed.push({ spec, origin, file, versions });
  };
  for (const one of project) add("project", one, []);
  for (const one of library) add("library", one, []);
  for (const { skill, versions } of derived.skills) add("version", { spec: skill, file: null }, versions);
  const specs = placed.map(({ spec }) => spec);
  const skills = placed.map((one): PlacedSkill => {
    const alike = specs.filter((other) => other !== one.spec && isSameMove(other, one.spec));
    return { ...one, record: recordOf(one.spec, lineage, alike) };
  });
  return { skills, refused: derived.refused };
}

/** What may keep each version of a lineage from proving a skill. */
export function doubtsIn(lineage: Lineage): (version: VersionRecord) => Doubts {
  const ancestry = new Ancestry(lineage);
  return (version) => ({ notKept: ancestry.whyNotKept(version), held: whyHeld(version, lineage) });
}
