import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { Scalar } from "../../../shared/spec/common.ts";
import type { Finding } from "../diagnosis/rules.ts";

/** An intervention chosen for a version, and the finding that called for it. */
export interface Proposal {
  readonly intervention: InterventionSpec;
  readonly finding: Finding;
}

export interface CatalogueInput {
  readonly findings: readonly Finding[];
  readonly interventions: readonly InterventionSpec[];
  /** Names that were tried before in this lineage. */
  readonly tried: ReadonlySet<string>;
  /** Current value in the parent version; undefined when the file or path is missing. */
  readonly current: (file: string, path: string) => Scalar | undefined;
}

/**
 * The catalogue proposer: the interventions that answer a finding, worst finding first, and that apply to the parent as
 * it is. Works offline and is deterministic.
 */
export function proposeFromCatalogue({
  findings,
  interventions,
  tried,
  current,
}: CatalogueInput): Proposal[] {
  const chosen = new Map<string, Proposal>();
  for (const finding of findings)
    for (const intervention of interventions) {
      if (
        !intervention.targets.includes(finding.name) ||
        tried.has(intervention.name) ||
        chosen.has(intervention.name)
      )
        continue;
      if (intervention.edit.every((e) => current(e.file, e.path) === e.from))
        chosen.set(intervention.name, { intervention, finding });
    }
  return [...chosen.values()];
}
