import type { Scalar } from "../../../../shared/spec/common.ts";
import type { Loaded, Project } from "../../project/project.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { proposeFromCatalogue } from "../../proposal/catalogue.ts";
import { surfaceViolations } from "../../project/surfaces.ts";
import { readValue } from "../../project/values.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/** Chooses the next one-factor changes for the champion; an empty list means that nothing is left to try. */
export async function hypothesise(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const files = new Map<string, string | undefined>();
  for (const { spec } of project.interventions)
    for (const edit of spec.edit)
      if (!files.has(edit.file)) files.set(edit.file, await ports.readFile(parentCommit, edit.file));
  const current = (file: string, path: string): Scalar | undefined => {
    const text = files.get(file);
    return text === undefined ? undefined : readValue(text, path);
  };
  const proposals = proposeFromCatalogue({
    findings: state.findings,
    interventions: project.interventions.filter((i) => allowed(i, project, ports)).map((i) => i.spec),
    tried: new Set(state.tried),
    answered: state.answered,
    current,
  });
  return proposals
    .slice(0, project.spec.budgets.variantsPerGeneration)
    .map(({ intervention, finding }, i) => ({
      version: versionName(state.nextNumber + i, intervention.name),
      parent: state.champion,
      commit: null,
      intervention: intervention.name,
      title: intervention.edit.map((e) => `${e.path}: ${String(e.from)} → ${String(e.to)}`).join(", "),
      finding: finding.name,
      because: finding.message,
      pruned: null,
      job: null,
    }));
}

/** v7 and continuous-reward give v7-continuous-reward, cut to the length that names may have. */
export function versionName(number: number, intervention: string): string {
  return `v${number}-${intervention}`.slice(0, 64).replace(/-+$/, "");
}

function allowed({ spec, path }: Loaded<InterventionSpec>, project: Project, ports: LoopPorts): boolean {
  const [violation] = surfaceViolations(project.spec, spec);
  if (violation !== undefined) ports.emit({ type: "note", message: `${path} is left out: ${violation}` });
  return violation === undefined;
}
