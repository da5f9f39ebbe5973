import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { HarnessError } from "../../base/errors.ts";
import { harnessFactor } from "../../project/harnessPlaces.ts";
import type { Project } from "../../project/project.ts";
import { backtestProposal, commitProposal } from "../../proposals/commitProposal.ts";
import { searchName } from "../../project/proposersOf.ts";
import { seedOf, skillsOf, type Question } from "../../proposals/chooseDrafts.ts";
import { versionName } from "../../proposals/standing/proposal.ts";
import { revise, type Revised } from "../../proposals/reviseDraft.ts";
import type { EarlierProposal } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import type { Revision } from "./approve.ts";
import { asSpecialist } from "./askProposers.ts";
import { triedBy, type ProposePorts } from "./propose.ts";

export interface ReviseGround {
  readonly state: LoopState;
  readonly parentCommit: string;
  readonly project: Project;
}

/**
 * The proposer's answer to a candidate that was sent back: another draft on the same parent, as a proposal that comes to
 * the same gate. After a crash the answer that was made is found again.
 */
export async function reviseCandidate(
  { state, parentCommit, project }: ReviseGround,
  sent: Candidate,
  comment: string,
  ports: ProposePorts,
): Promise<Revision> {
  const spec = sent.spec ?? project.interventions.find((i) => i.spec.name === sent.intervention)?.spec;
  if (spec === undefined || sent.parent === null)
    return {
      type: "none",
      reason: `The intervention behind ${sent.title} is gone, so nothing can answer the comment.`,
    };
  const earlier = await ports.proposalsOn(sent.parent);
  const made = earlier.find(({ answers }) => answers === sent.version);
  if (made !== undefined)
    return {
      type: "draft",
      candidate: { ...sent, ...restOf(made), because: sent.because, pruned: null, job: null },
    };
  const revised = await answered({ state, parentCommit, project }, { sent, spec, comment, earlier }, ports);
  if (revised.type === "none") return revised;
  const { draft } = revised;
  // The search has answered for one that the project no longer has.
  const answering = project.spec.proposers.some(({ name }) => name === sent.proposer)
    ? sent.proposer
    : searchName;
  const number = Math.max(state.nextNumber, await ports.firstFreeNumber());
  const place = {
    id: versionName(number, draft.spec.name),
    domain: state.domain,
    generation: state.generation,
    at: state.startedAt,
    parent: { name: sent.parent, commit: parentCommit },
    ...{ answers: sent.version, proposer: answering },
  };
  const { commit, title, entries } = await commitProposal(draft, place, ports);
  const tested = await backtestProposal({ ...place, commit }, ports);
  await ports.appendToLedger([...entries, ...tested.entries]);
  ports.emit({
    type: "proposed",
    version: place.id,
    title,
    because: `${sent.version} was sent back: ${comment}`,
  });
  ports.emit({ type: "backtest", version: place.id, summary: tested.dropped ?? tested.summary });
  return {
    type: "draft",
    candidate: {
      ...sent,
      proposer: answering,
      ...{ version: place.id, commit, title, intervention: draft.spec.name, spec: draft.spec },
      ...{ finding: draft.finding, because: draft.because, pruned: tested.dropped, job: null },
      harness: draft.spec.factor === harnessFactor,
    },
  };
}

interface SentBack {
  readonly sent: Candidate;
  readonly spec: InterventionSpec;
  readonly comment: string;
  readonly earlier: readonly EarlierProposal[];
}

/** Another draft of the proposer that made the first one; the search answers for one that the project no longer has. */
async function answered(
  { state, parentCommit, project }: ReviseGround,
  { sent, spec, comment, earlier }: SentBack,
  ports: ProposePorts,
): Promise<Revised> {
  const parent = sent.parent ?? "";
  const findings = state.grounds.find((ground) => ground.parent === parent)?.findings ?? [];
  const proposer = project.spec.proposers.find(({ name }) => name === sent.proposer);
  if (proposer !== undefined && proposer.kind !== "search")
    try {
      const { drafts } = await ports.askProposer(sent.proposer, {
        ...{ parent, generation: state.generation, findings, count: 1, factors: null },
        answers: { version: sent.version, title: sent.title, comment },
      });
      const [draft] = drafts;
      return draft === undefined
        ? { type: "none", reason: `${sent.proposer} has no other answer.` }
        : { type: "draft", draft };
    } catch (e) {
      if (!HarnessError.is(e) || e.reason === "cancelled") throw e;
      return { type: "none", reason: e.message };
    }
  const question: Question = {
    project,
    ...{ parent: ports.source(parentCommit), version: parent, findings },
    tried: [
      ...state.tried.map((tried) => ({ ...tried, isHere: false })),
      ...[...earlier, ...state.candidates].flatMap(triedBy),
    ],
    ...{ cases: await ports.cases(), profile: await ports.profile(parent) },
    skills: await ports.skills(skillsOf(project)),
    ...{ answered: {}, seed: seedOf(project), archive: ports },
    count: 1,
  };
  const asked = proposer === undefined ? question : asSpecialist(question, proposer);
  return revise(asked, { spec, finding: sent.finding }, comment);
}

const restOf = ({
  version,
  commit,
  title,
  intervention,
}: Pick<Candidate, "version" | "commit" | "title" | "intervention">): Pick<
  Candidate,
  "version" | "commit" | "title" | "intervention"
> => ({ version, commit, title, intervention });
