import { HarnessError } from "../../base/errors.ts";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import type { AskingPorts, LoopQuestion } from "../../loop/ports.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { hintsFor } from "../../proposals/proposers/hints.ts";
import { trackRecords } from "../../proposals/proposers/trackRecord.ts";
import { newestProject } from "../evolution/newestProject.ts";
import { askProposerNamed } from "./openProposer.ts";
import { readLoopState } from "../../loop/state.ts";
import { readLineage } from "../workspace/workspace.ts";
import type { EnginePorts } from "../training/engineParts.ts";

/** Wires the loop to the models and agents of the project. Which there are is told by the newest commit. */
export function proposerPorts({
  workspace,
  store,
  project,
  signal,
}: Pick<EnginePorts, "workspace" | "store" | "project" | "signal">): AskingPorts {
  const { domain } = project.spec;
  const newest = newestProject(workspace.repository);
  return {
    async askProposer(name, question) {
      const now = await newest();
      if (now.type === "unsound") throw new HarnessError("projectInvalid", now.reason);
      const { proposers, models } = now.project.spec;
      const { surfaces, ...rest } = project.spec;
      const { factors, parent, findings, count } = question;
      const spec = {
        ...{ ...rest, proposers, models },
        surfaces: factors === null ? surfaces : surfaces.filter(({ factor }) => factors.includes(factor)),
      };
      const lineage = await readLineage(workspace, domain);
      const record = versionIn(lineage, parent);
      const startedAt = (await readLoopState(workspace.engineFolder))?.startedAt ?? null;
      return askProposerNamed(
        name,
        { parent: record, findings, count },
        {
          open: { workspace, spec, domain },
          project: { ...project, spec },
          ...{ store, signal },
          // An evolution runs the project's trainer as well.
          refused: null,
          hints: [...hintsFor(lineage, record), ...sentBack(question)],
          question: [domain, startedAt, question.generation, parent, question.answers?.version ?? null],
        },
      );
    },
    async trackRecords(names) {
      const { entries } = await workspace.ledger.read();
      const questions = [...countedOfType(entries, "question")].filter((q) => q.domain === domain);
      return trackRecords(names, await readLineage(workspace, domain), questions);
    },
  };
}

/** What was said of a proposal that was sent back is what its proposer is to look at. */
function sentBack({ answers }: LoopQuestion): { readonly id: null; readonly text: string }[] {
  if (answers === null) return [];
  const { version, title, comment } = answers;
  const text = `You proposed ${version} (${title}), and it was sent back: ${comment} Propose another change instead.`;
  return [{ id: null, text }];
}
