import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import type { SkillOrigin } from "../../../../shared/protocol/views/skills.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import type { Lineage, VersionRecord } from "../../lineage/graph.ts";
import { skillsIn, type DerivedSkills } from "../../memory/skills/fromVersion.ts";
import type { FitGround } from "../../memory/skills/fit.ts";
import { isSameTemplate, recordOf, type KnownSkill } from "../../memory/skills/record.ts";
import { noLinks, type Links } from "../../project/frozen/links.ts";
import type { SpecProblem } from "../../project/readSpec.ts";
import { Ancestry } from "../../proposals/standing/ancestry.ts";
import { commitSource } from "../project/commitSource.ts";
import { openDomain, type OpenDomain } from "../proposals/openDomain.ts";
import { championOf } from "../proposals/standing.ts";
import { librarySkills, projectSkills, type SkillFiles } from "./skillFiles.ts";

/** A skill, and where it is from: the project's file goes before the user's library, and both before a kept version. */
export interface PlacedSkill extends KnownSkill {
  readonly origin: SkillOrigin;
  /** Where it lies; null for one that no file holds yet. */
  readonly file: string | null;
  /** The versions of this project that prove it, of one that no file holds. */
  readonly versions: readonly string[];
}

export interface KnownSkills {
  readonly skills: readonly PlacedSkill[];
  readonly problems: readonly SpecProblem[];
  /** Versions that were kept and prove no skill, and why. */
  readonly refused: DerivedSkills["refused"];
  /** The version that the evolution goes on from; null before there is any. */
  readonly champion: VersionRecord | null;
  /** What a skill would be applied to; null without a champion. */
  readonly ground: FitGround | null;
}

/** All skills that a project can use, with what came of their uses. Without a sound project or a lineage, what the files say. */
export async function knownSkills(root: string): Promise<KnownSkills> {
  const [project, library] = [await projectSkills(root), await librarySkills()];
  const open = await openIfSound(root);
  const lineage: Lineage = open?.lineage ?? { domain: "none", versions: [], problems: [] };
  const ancestry = new Ancestry(lineage);
  const derived = skillsIn(lineage, (version) => ancestry.whyNotKept(version));
  const skills: PlacedSkill[] = [];
  const add = (origin: SkillOrigin, { spec, file, versions }: Found): void => {
    // A kept version is no skill of its own where a file holds what it changes.
    const isThere = skills.some(
      (other) => other.spec.name === spec.name || (file === null && isSameTemplate(other.spec, spec)),
    );
    if (!isThere) skills.push({ spec, record: recordOf(spec, lineage), origin, file, versions });
  };
  for (const [origin, { skills: found }] of placed(project, library))
    for (const one of found) add(origin, { ...one, versions: [] });
  for (const { skill, versions } of derived.skills) add("version", { spec: skill, file: null, versions });
  const champion = open === null ? undefined : await championOf(open);
  return {
    skills,
    problems: [...project.problems, ...library.problems],
    refused: derived.refused,
    champion: champion ?? null,
    ground: open === null || champion === undefined ? null : groundOf(open, champion),
  };
}

interface Found {
  readonly spec: KnownSkill["spec"];
  readonly file: string | null;
  readonly versions: readonly string[];
}

const placed = (project: SkillFiles, library: SkillFiles): (readonly [SkillOrigin, SkillFiles])[] => [
  ["project", project],
  ["library", library],
];

/** The files of a version, each read once for all skills, and what the project declares now. */
export function groundOf(
  { workspace, spec }: { readonly workspace: OpenDomain["workspace"]; readonly spec: ProjectSpec },
  version: VersionRecord,
): FitGround {
  const source = commitSource(workspace.repository, version.commit);
  const texts = new Map<string, Promise<string | undefined>>();
  let links: Promise<Links> | undefined;
  return {
    declared: spec,
    parent: {
      ...source,
      links: () => (links ??= source.links?.() ?? Promise.resolve(noLinks)),
      read(path) {
        const text = texts.get(path) ?? source.read(path);
        texts.set(path, text);
        return text;
      },
    },
  };
}

/** The skill of a name. @throws HarnessError notFound */
export function skillNamed({ skills }: Pick<KnownSkills, "skills">, name: string): PlacedSkill {
  const found = skills.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  const names = skills.map(({ spec }) => spec.name);
  throw new HarnessError(
    "notFound",
    `There is no skill ${name} in this project, in your library or in a kept version.${didYouMean(name, names)}`,
  );
}

/** Skills are listed in a folder without a repository, and while evotrainer.yaml is being written, too. */
async function openIfSound(root: string): Promise<OpenDomain | null> {
  try {
    return await openDomain(root, { readOnly: true });
  } catch (e) {
    const unsound = [
      "projectMissing",
      "projectInvalid",
      "gitMissing",
      "notARepository",
      "noCommits",
    ] as const;
    if (unsound.some((reason) => HarnessError.is(e, reason))) return null;
    throw e;
  }
}
