import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { FrozenKeys, ProjectSpec } from "../../../shared/spec/project.ts";
import type { Factor } from "../../../shared/spec/common.ts";
import { isBookkeeping } from "./bookkeeping.ts";

interface Place {
  readonly file: string;
  readonly path: string;
}

/** The factors whose declared surface covers a value; empty when none does. */
export function factorsAt(project: Pick<ProjectSpec, "surfaces">, place: Place): Factor[] {
  return [...new Set(project.surfaces.filter((s) => covers(s, place)).map((s) => s.factor))];
}

export function isFrozen(project: Pick<ProjectSpec, "frozen" | "evaluation">, place: Place): boolean {
  return project.frozen.some((f) => covers(f, place)) || evaluationFiles(project).includes(place.file);
}

/** The files of the trainer that hold what may change or must not: those of surfaces and of frozen keys. */
export function configFiles(project: Pick<ProjectSpec, "surfaces" | "frozen">): string[] {
  return [...new Set([...project.surfaces, ...project.frozen].map(({ file }) => file))];
}

/** Everything that must be identical in every version: declared files and the data of all splits. */
export function evaluationFiles(project: Pick<ProjectSpec, "evaluation">): string[] {
  const { splits, files } = project.evaluation;
  return [...new Set([...files, splits.selection, splits.audit])];
}

/**
 * Why an intervention may not be applied, one sentence each: it must change its one factor only, inside the declared
 * surfaces, and leave frozen keys and the evaluation alone.
 */
export function surfaceViolations(project: ProjectSpec, intervention: InterventionSpec): string[] {
  const violations: string[] = [];
  for (const edit of intervention.edit) {
    const place = `${edit.path} in ${edit.file}`;
    const factors = factorsAt(project, edit);
    if (isFrozen(project, edit)) violations.push(`${place} is frozen: it must stay as it is in the parent.`);
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
