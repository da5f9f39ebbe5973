import type { Scalar } from "../../../../shared/spec/common.ts";
import type { Loaded, Project } from "../../project/project.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { proposeFromCatalogue } from "../../proposal/catalogue.ts";
import { surfaceViolations } from "../../project/surfaces.ts";
import { readValue } from "../../project/values.ts";
import type { EarlierProposal, LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/**
 * Chooses the next one-factor changes for the champion: first the proposals that were approved outside the loop, then the
 * catalogue's. An empty list means that nothing is left to try.
 */
export async function hypothesise(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const earlier = state.champion === null ? [] : await ports.proposalsOn(state.champion);
  const most = project.spec.budgets.variantsPerGeneration;
  const taken = earlier
    .filter((p) => p.isTaken)
    .slice(0, most)
    .map((p) => takenCandidate(p, state.champion));
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
    // What a person has refused or sent back, or not answered yet, is not proposed on the same version again.
    tried: new Set([
      ...state.tried,
      ...earlier.flatMap(({ intervention }) => (intervention === null ? [] : [intervention])),
    ]),
    answered: state.answered,
    current,
  });
  const first = Math.max(state.nextNumber, await ports.firstFreeNumber());
  const chosen = proposals.slice(0, most - taken.length).map(({ intervention, finding }, i) => ({
    version: versionName(first + i, intervention.name),
    parent: state.champion,
    commit: null,
    intervention: intervention.name,
    title: titleOf(intervention),
    finding: finding.name,
    because: finding.message,
    pruned: null,
    job: null,
  }));
  return [...taken, ...chosen];
}

function takenCandidate(
  { version, commit, intervention, title }: EarlierProposal,
  parent: string | null,
): Candidate {
  const because = "It was proposed and approved outside the loop.";
  return { version, parent, commit, intervention, title, finding: null, because, pruned: null, job: null };
}

/** The edits of an intervention on one line. */
export function titleOf({ edit }: InterventionSpec): string {
  return edit.map((e) => `${e.path}: ${String(e.from)} → ${String(e.to)}`).join(", ");
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
