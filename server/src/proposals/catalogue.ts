import { isPatch, isValueEdit, type Edit } from "../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { Scalar } from "../../../shared/spec/common.ts";
import type { Finding } from "../diagnosis/rules.ts";

/** An intervention chosen for a version, and the finding that called for it. */
interface Choice {
  readonly intervention: InterventionSpec;
  readonly finding: Finding;
}

export interface CatalogueInput {
  readonly findings: readonly Finding[];
  readonly interventions: readonly InterventionSpec[];
  /** Names that were tried before in this lineage. */
  readonly tried: ReadonlySet<string>;
  /** How many versions each finding has called for so far. */
  readonly answered: Readonly<Record<string, number>>;
  /** Current value in the parent version; undefined when the file or path is missing. */
  readonly current: (file: string, path: string) => Scalar | undefined;
}

/**
 * The catalogue proposer: interventions that answer a finding and apply to the parent as it is. Each finding has its
 * turn, the one answered least often first and then the worst; among its answers the one that promises most comes
 * first. Works offline and is deterministic.
 */
export function proposeFromCatalogue(input: CatalogueInput): Choice[] {
  const { interventions, tried, current } = input;
  const answered = { ...input.answered };
  const open = interventions
    .filter((i) => !tried.has(i.name) && i.edit.every((e) => fits(e, current)))
    .sort((a, b) => b.success.atLeast - a.success.atLeast || (a.name < b.name ? -1 : 1));
  const chosen: Choice[] = [];
  for (;;) {
    const next = input.findings
      .map((finding, severity) => ({
        finding,
        severity,
        intervention: open.find((i) => i.targets.includes(finding.name)),
      }))
      .filter((c) => c.intervention !== undefined)
      .sort(
        (a, b) =>
          (answered[a.finding.name] ?? 0) - (answered[b.finding.name] ?? 0) || a.severity - b.severity,
      )[0];
    if (next?.intervention === undefined) return chosen;
    const { finding, intervention } = next;
    chosen.push({ finding, intervention });
    answered[finding.name] = (answered[finding.name] ?? 0) + 1;
    open.splice(open.indexOf(intervention), 1);
  }
}

/** Whether an edit starts from what the parent has. Whether a patch applies is found out when it is drafted. */
function fits(edit: Edit, current: CatalogueInput["current"]): boolean {
  if (isPatch(edit)) return true;
  const value = current(edit.file, edit.path);
  return isValueEdit(edit) ? value === edit.from : value !== undefined;
}
