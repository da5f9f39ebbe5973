import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { FrozenKeys, ProjectSpec } from "../../../shared/spec/project.ts";
import type { Factor } from "../../../shared/spec/common.ts";
import { isBookkeeping } from "./bookkeeping.ts";
import { harnessFactor, readsEvidence } from "./harnessPlaces.ts";
import { frozenBy, frozenSurface, type FrozenBy } from "./frozen/frozenPaths.ts";

interface Place {
  readonly file: string;
  readonly path: string;
}

/** The factors whose declared surface covers a value; empty when none does. */
export function factorsAt(project: Pick<ProjectSpec, "surfaces">, place: Place): Factor[] {
  return [...new Set(project.surfaces.filter((s) => covers(s, place)).map((s) => s.factor))];
}

/** The same of what a version may change: how evidence is read needs no declared surface. */
export function factorsHere(project: Pick<ProjectSpec, "surfaces" | "diagnostics">, place: Place): Factor[] {
  return readsEvidence(project, place) ? [harnessFactor] : factorsAt(project, place);
}

export function isFrozen(
  project: Pick<ProjectSpec, "frozen" | "evaluation">,
  place: Place,
  by: FrozenBy = frozenBy(project),
): boolean {
  return project.frozen.some((f) => covers(f, place)) || by(place.file) !== undefined;
}

/** Why a place stays as it is in the parent, in a sentence; undefined where it is not frozen. */
export function frozenText(project: ProjectSpec, place: Place, by: FrozenBy): string | undefined {
  const because = by(place.file);
  if (because !== undefined && project.surfaces.some(({ file }) => file === place.file))
    return frozenSurface(place.file, because);
  if (!isFrozen(project, place, by)) return undefined;
  return `${place.path === "" ? place.file : `${place.path} in ${place.file}`} is frozen: it must stay as it is in the parent.`;
}

/** The surfaces that no version may change, because they are part of the evaluation: their place in the list, and why. */
export function frozenSurfaces(
  { surfaces }: Pick<ProjectSpec, "surfaces">,
  by: FrozenBy,
): { readonly index: number; readonly message: string }[] {
  return surfaces.flatMap(({ file }, index) => {
    const because = by(file);
    return because === undefined ? [] : [{ index, message: frozenSurface(file, because) }];
  });
}

/** The files of the trainer that hold what may change or must not: those of surfaces and of frozen keys. */
export function configFiles(project: Pick<ProjectSpec, "surfaces" | "frozen">): string[] {
  return [...new Set([...project.surfaces, ...project.frozen].map(({ file }) => file))];
}

/**
 * Why an intervention may not be applied, one sentence each: it must change its one factor only, inside the declared
 * surfaces, and leave frozen keys and the evaluation alone.
 */
export function surfaceViolations(
  project: ProjectSpec,
  intervention: InterventionSpec,
  by: FrozenBy = frozenBy(project),
): string[] {
  const violations: string[] = [];
  for (const edit of intervention.edit) {
    const place = `${edit.path} in ${edit.file}`;
    const factors = factorsHere(project, edit);
    const frozen = frozenText(project, edit, by);
    if (frozen !== undefined) violations.push(frozen);
    else if (factors.length === 0)
      violations.push(
        `${place} is not on a declared surface. Add it to \`surfaces\` in evotrainer.yaml, or leave it alone.`,
      );
    else if (!factors.includes(intervention.factor) && !isBookkeeping(edit.path))
      violations.push(
        `${place} belongs to ${factors.join(", ")}, but ${intervention.name} says it changes ${intervention.factor}; split it into one intervention per factor.`,
      );
  }
  return violations;
}

function covers(area: FrozenKeys, place: Place): boolean {
  if (area.file !== place.file) return false;
  if (area.paths === undefined) return true;
  return area.paths.some((p) => place.path === p || place.path.startsWith(`${p}.`));
}
