import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { DerivedSkills } from "../../memory/skills/fromVersion.ts";
import type { FitGround } from "../../memory/skills/fit.ts";
import { noLinks, type Links } from "../../project/frozen/links.ts";
import type { SpecProblem } from "../../project/readSpec.ts";
import { commitSource } from "../project/commitSource.ts";
import { openDomain, type OpenDomain } from "../proposals/openDomain.ts";
import { saysNoCommits } from "../workspace/repositoryOf.ts";
import { toChange } from "../proposals/standing.ts";
import { librarySkills, projectSkills } from "../skillRecords/skillFiles.ts";
import { placedSkills, type PlacedSkill } from "../skillRecords/placedSkills.ts";

export interface KnownSkills {
  readonly skills: readonly PlacedSkill[];
  readonly problems: readonly SpecProblem[];
  /** Versions that were kept and prove no skill, and why. */
  readonly refused: DerivedSkills["refused"];
  /** The version that the evolution goes on from, or the newest imported run; null before there is any. */
  readonly champion: VersionRecord | null;
  /** What a skill would be applied to; null without a champion. */
  readonly ground: FitGround | null;
}

/** All skills that a project can use, with what came of their uses. Without a sound project or a lineage, what the files say. */
export async function knownSkills(root: string): Promise<KnownSkills> {
  const [project, library] = [await projectSkills(root), await librarySkills()];
  const open = await openIfSound(root);
  const lineage: Lineage = open?.lineage ?? { domain: "none", versions: [], problems: [] };
  const placed = placedSkills({ project: project.skills, library: library.skills }, lineage);
  const champion = open === null ? undefined : await toChange(open);
  return {
    ...placed,
    problems: [...project.problems, ...library.problems],
    champion: champion ?? null,
    ground: open === null || champion === undefined ? null : groundOf(open, champion),
  };
}

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
    const unsound = ["projectMissing", "projectInvalid"] as const;
    if (saysNoCommits(e) || unsound.some((reason) => HarnessError.is(e, reason))) return null;
    throw e;
  }
}
