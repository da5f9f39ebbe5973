import { placedEdits } from "../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { FrozenKeys, ProjectSpec } from "../../../shared/spec/project.ts";
import { isTextSurface, isValueSurface, type ValueSurface } from "../../../shared/spec/surface.ts";
import type { Factor } from "../../../shared/spec/common.ts";
import { isBookkeeping } from "./bookkeeping.ts";
import { harnessFactor, readsEvidence } from "./harnessPlaces.ts";
import { frozenBy, frozenSurface, type FrozenBy } from "./frozen/frozenPaths.ts";
import { noLinks, type Links } from "./frozen/links.ts";
import { textOverlaps } from "./frozen/textOverlaps.ts";
import { coversText } from "./frozen/textAreas.ts";

interface Place {
  readonly file: string;
  readonly path: string;
}

/** The factors whose declared surface covers a value; empty when none does. */
export function factorsAt(project: Pick<ProjectSpec, "surfaces">, place: Place): Factor[] {
  const found = project.surfaces.filter((s) =>
    isTextSurface(s) ? coversText(s, place.file) : covers(s, place),
  );
  return [...new Set(found.map((s) => s.factor))];
}

/** The surfaces whose values may change. */
export function valueSurfaces({ surfaces }: Pick<ProjectSpec, "surfaces">): ValueSurface[] {
  return surfaces.filter(isValueSurface);
}

/** The file that says which keys and values a config may have; undefined where no surface names one. */
export function schemaFileOf(
  project: Pick<ProjectSpec, "surfaces"> | undefined,
  file: string,
): string | undefined {
  return project && valueSurfaces(project).find((s) => s.file === file && s.schema !== undefined)?.schema;
}

/** Whether a surface covers a file as a text, so that a patch may change it, or add it. */
export function isText({ surfaces }: Pick<ProjectSpec, "surfaces">, file: string): boolean {
  return surfaces.some((surface) => coversText(surface, file));
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
  if (because !== undefined && valueSurfaces(project).some(({ file }) => file === place.file))
    return frozenSurface(place.file, because);
  if (!isFrozen(project, place, by)) return undefined;
  return `${place.path === "" ? place.file : `${place.path} in ${place.file}`} is frozen: it must stay as it is in the parent.`;
}

/** A surface that no version may change: its place in the list, in `files` of one of texts, and why. */
export interface FrozenSurface {
  readonly index: number;
  readonly file: number | null;
  readonly message: string;
}

/** The surfaces that no version may change, because they are part of the evaluation or of what git and EvoTrainer read. */
export function frozenSurfaces(
  project: Pick<ProjectSpec, "surfaces" | "evaluation" | "frozen">,
  links: Links = noLinks,
): FrozenSurface[] {
  const by = frozenBy(project, links);
  return project.surfaces.flatMap((surface, index): FrozenSurface[] => {
    if (isTextSurface(surface))
      return textOverlaps(project, surface, links).map((o) => ({ index, file: o.index, message: o.message }));
    const because = by(surface.file);
    return because === undefined
      ? []
      : [{ index, file: null, message: frozenSurface(surface.file, because) }];
  });
}

/** The files of the trainer that hold what may change or must not: those of surfaces and of frozen keys. */
export function configFiles(project: Pick<ProjectSpec, "surfaces" | "frozen">): string[] {
  return [...new Set([...valueSurfaces(project), ...project.frozen].map(({ file }) => file))];
}

/**
 * Why the values of an intervention may not be changed, one sentence each: it must change its one factor only, inside the declared
 * surfaces, and leave frozen keys and the evaluation alone.
 */
export function surfaceViolations(
  project: ProjectSpec,
  intervention: InterventionSpec,
  by: FrozenBy = frozenBy(project),
): string[] {
  const violations: string[] = [];
  for (const [, edit] of placedEdits(intervention.edit)) {
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
