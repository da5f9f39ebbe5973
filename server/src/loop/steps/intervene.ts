import type { LedgerEntry } from "../../../../shared/model/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { applyEdit } from "../../lineage/applyEdit.ts";
import type { Project } from "../../project/project.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/**
 * Makes the commit of each candidate, one intervention on top of its parent's harness, and records version and
 * hypothesis. @throws HarnessError specInvalid when an edit does not apply
 */
export async function intervene(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    const intervention = project.interventions.find((i) => i.spec.name === candidate.intervention)?.spec;
    const edited = new Map<string, string>();
    for (const edit of intervention?.edit ?? []) {
      const text = edited.get(edit.file) ?? (await ports.readFile(parentCommit, edit.file));
      if (text === undefined)
        throw new HarnessError(
          "specInvalid",
          `${candidate.version} edits ${edit.file}, which its parent does not have.`,
        );
      edited.set(edit.file, applyEdit(text, edit.path, edit.from, edit.to));
    }
    const commit = await ports.createVersion({
      name: candidate.version,
      parent: parentCommit,
      edits: [...edited].map(([path, content]) => ({ path, content })),
      message: `${candidate.title}\n\n${candidate.because}`,
      at: state.startedAt,
    });
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
    if (intervention !== undefined)
      entries.push({
        ...common,
        id: `hypothesis:${candidate.version}`,
        type: "hypothesis",
        statement: `${intervention.hypothesis.change} should ${intervention.hypothesis.direction} ${intervention.hypothesis.metric} because ${intervention.hypothesis.because}`,
        targets: intervention.targets,
        predictedFixes: intervention.predicts.fixes,
        predictedRisks: intervention.predicts.risks,
      });
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
