import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EvidenceTools } from "../proposers/evidenceTools.ts";
import type { Proposer } from "../proposers/proposer.ts";
import { withoutFeedback } from "../proposers/withoutFeedback.ts";
import { rankIdeas, type SearchArchive } from "../search/search.ts";
import type { ExamMoment } from "./examMoments.ts";

/** Says of each draft of a moment how much it expects of it. */
export type Examinee = (moment: ExamMoment, signal: AbortSignal) => Promise<readonly number[]>;

export interface ExamGround {
  readonly project: Project;
  readonly source: (commit: string) => FileSource;
}

/** What the parent's evaluation alerted, and what the drafts answer: the moment's findings, as far as they are known. */
function findingsOf({ profile, drafts }: ExamMoment): Finding[] {
  const names = new Set([...(profile?.alerts ?? []), ...drafts.flatMap(({ idea }) => idea.spec.targets)]);
  return [...names].map((name) => ({ name, severity: "warning", message: `${name} was found.` }));
}

/** The search: by what it knew then, and by the parent's archived rollouts. What the archive speaks against comes last. */
export function searchAsExaminee(
  { project, source }: ExamGround,
  archive: SearchArchive,
  seed: number,
): Examinee {
  return async (moment, signal) => {
    signal.throwIfAborted();
    const { parent, drafts, cases, profile } = moment;
    const ideas = drafts.map(({ idea }) => idea);
    const { ranked } = await rankIdeas(ideas, {
      ...{ project, parent: source(parent.commit), version: parent.name, findings: findingsOf(moment) },
      ...{ cases, profile, tried: [], skills: [], count: drafts.length, seed, archive },
    });
    return ideas.map((idea) => {
      const found = ranked.find(({ spec }) => spec === idea.spec);
      return found === undefined ? -1 : Number(found.worth.toPrecision(3));
    });
  };
}

/**
 * Any other proposer: it is shown the drafts and asked to hand them over in its order, without sight of how anything ended.
 * What it does not hand over, or hands over changed, comes last.
 */
export function proposerAsExaminee(
  proposer: Proposer,
  { project, source }: ExamGround,
  tools: EvidenceTools,
): Examinee {
  return async (moment, signal) => {
    const { parent, drafts } = moment;
    try {
      const ideas = await proposer.propose(
        {
          ...{ project, findings: findingsOf(moment), count: drafts.length },
          parent: { name: parent.name, commit: parent.commit, source: source(parent.commit) },
          hints: [
            "This is an exam. Propose nothing of your own: hand over the drafts below, all of them and under their names, the one first of which you expect the most for the score.",
            ...drafts.map(({ version, idea: { spec } }) =>
              JSON.stringify({
                ...{ name: version, factor: spec.factor, edit: spec.edit, targets: spec.targets },
                because: spec.hypothesis.because,
              }),
            ),
          ],
          tools: withoutFeedback(tools, parent.name),
        },
        signal,
      );
      const order = ideas.map(({ spec }) => spec.name);
      return drafts.map(({ version }) => {
        const place = order.indexOf(version);
        return place < 0 ? -1 : order.length - place;
      });
    } catch (e) {
      // It has no opinion: all are alike to it.
      if (HarnessError.is(e, "specInvalid")) return drafts.map(() => 0);
      throw e;
    }
  };
}
