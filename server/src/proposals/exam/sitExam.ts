import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import { HarnessError } from "../../base/errors.ts";
import type { EvidenceTools } from "../proposers/evidenceTools.ts";
import type { Proposer } from "../proposers/proposer.ts";
import { withoutFeedback } from "../proposers/withoutFeedback.ts";
import { rankIdeas, type SearchArchive } from "../search/search.ts";
import type { ExamDraft, ExamMoment } from "./examDraft.ts";

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
 * Any other proposer: it is shown the drafts and asked for their names in its order, without sight of how anything ended.
 * What it does not name comes last.
 */
export function proposerAsExaminee(
  proposer: Proposer & Required<Pick<Proposer, "rank">>,
  { project, source }: ExamGround,
  tools: EvidenceTools,
): Examinee {
  return async (moment, signal) => {
    const { parent, drafts, isImported } = moment;
    const among = drafts.map(({ name }) => name);
    try {
      const order = await proposer.rank(
        {
          ...{ project, findings: findingsOf(moment), count: drafts.length, among },
          parent: { name: parent.name, commit: parent.commit, source: source(parent.commit) },
          hints: [
            "This is an exam. Propose nothing of your own: hand over the names of the drafts below, all of them, the one first of which you expect the most for the score.",
            ...drafts.map(toldOf),
          ],
          tools: isImported ? noTools : withoutFeedback(tools, parent.name),
        },
        signal,
      );
      return among.map((name) => {
        const place = order.indexOf(name);
        return place < 0 ? -1 : order.length - place;
      });
    } catch (e) {
      // It has no opinion: all are alike to it.
      if (HarnessError.is(e, "specInvalid")) return drafts.map(() => 0);
      throw e;
    }
  };
}

/** All that is said of a draft. */
function toldOf({ name, factor, idea: { spec } }: ExamDraft): string {
  const { edit, targets, hypothesis } = spec;
  return JSON.stringify({
    name,
    ...(factor === null ? {} : { factor }),
    ...(edit.length === 0 ? {} : { edit }),
    ...(targets.length === 0 ? {} : { targets }),
    ...(hypothesis.because === "" ? {} : { because: hypothesis.because }),
  });
}

/** The archive knows nothing from before the outcome of what another tool made, and may hold rollouts from after it. */
const noTools: EvidenceTools = {
  tools: [],
  call: (name) =>
    Promise.resolve({ text: `${name} was not called: this exam is without tools.`, isError: true }),
};
