import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { HarnessError } from "../../base/errors.ts";
import { applyEdit } from "../../lineage/applyEdit.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/**
 * Makes the commit of each candidate, one intervention on top of its parent's harness, and records version and
 * hypothesis. What an intervention changes is a proposal: the branch of the version begins when it is accepted. @throws HarnessError specInvalid when an edit does not apply
 */
export async function intervene(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    if (candidate.commit !== null) {
      // It was proposed and recorded before the loop took it.
      done.push(candidate);
      continue;
    }
    const intervention = project.interventions.find((i) => i.spec.name === candidate.intervention)?.spec;
    const edits =
      intervention === undefined
        ? []
        : await editedFiles(intervention, (file) => ports.readFile(parentCommit, file));
    const request = {
      name: candidate.version,
      parent: parentCommit,
      edits,
      message: `${candidate.title}\n\n${candidate.because}`,
      at: state.startedAt,
    };
    const commit = await (intervention === undefined
      ? ports.createVersion(request)
      : ports.createProposal(request));
    const common = { at: ports.now(), domain: state.domain, version: candidate.version };
    const entries: LedgerEntry[] = [
      {
        ...common,
        id: `version:${candidate.version}`,
        type: "version",
        commit,
        parent: candidate.parent,
        generation: state.generation,
        factor: intervention?.factor ?? null,
        intervention: candidate.intervention,
        title: candidate.title,
      },
    ];
    if (intervention !== undefined) entries.push(hypothesisEntry(intervention, common));
    await ports.appendToLedger(entries);
    ports.emit({
      type: "proposed",
      version: candidate.version,
      title: candidate.title,
      because: candidate.because,
    });
    done.push({ ...candidate, commit });
  }
  return done;
}

/**
 * The files that an intervention edits, with their new texts.
 * @throws HarnessError specInvalid when a file is missing, and those of applyEdit
 */
export async function editedFiles(
  intervention: InterventionSpec,
  read: (file: string) => Promise<string | undefined>,
): Promise<{ path: string; content: string }[]> {
  const edited = new Map<string, string>();
  for (const edit of intervention.edit) {
    const text = edited.get(edit.file) ?? (await read(edit.file));
    if (text === undefined)
      throw new HarnessError(
        "specInvalid",
        `${intervention.name} edits ${edit.file}, which the parent does not have.`,
      );
    edited.set(edit.file, applyEdit(text, edit.path, edit.from, edit.to));
  }
  return [...edited].map(([path, content]) => ({ path, content }));
}

/** What a proposal claims, as the ledger keeps it. */
export function hypothesisEntry(
  spec: InterventionSpec,
  common: { readonly at: string; readonly domain: string; readonly version: string },
): Extract<LedgerEntry, { type: "hypothesis" }> {
  const { change, direction, metric, because } = spec.hypothesis;
  return {
    ...common,
    id: `hypothesis:${common.version}`,
    type: "hypothesis",
    statement: `${change} should ${direction} ${metric} because ${because}`,
    targets: spec.targets,
    predictedFixes: spec.predicts.fixes,
    predictedRisks: spec.predicts.risks,
    spec,
  };
}
