import { harnessFactor } from "../../project/harnessPlaces.ts";
import type { Project } from "../../project/project.ts";
import type { FileSource } from "../../project/source.ts";
import { commitProposal } from "../../proposals/commitProposal.ts";
import { problemsText, type Idea } from "../../proposals/draft.ts";
import { titleOf } from "../../proposals/difference/difference.ts";
import { seedOf, skillsOf } from "../../proposals/chooseDrafts.ts";
import { nothingLeft } from "../../proposals/makeProposals.ts";
import { searchName } from "../../project/proposersOf.ts";
import type { Tried } from "../../proposals/search/novelty.ts";
import { versionName } from "../../proposals/standing/proposal.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import type { EarlierProposal, LoopPorts } from "../ports.ts";
import type { Candidate, Ground, LoopState } from "../state.ts";
import { askProposers } from "./askProposers.ts";
import { composeCandidate, composedAgain } from "./compose.ts";
import { questioned } from "./procedure.ts";

/** What these steps need of the loop's ports. */
export type ProposePorts = ProposalPorts &
  Pick<
    LoopPorts,
    | "createVersion"
    | "proposalsOn"
    | "approvedOnRuns"
    | "procedureHistory"
    | "firstFreeNumber"
    | "emit"
    | "proposing"
    | "askProposer"
    | "trackRecords"
    | "harnessProposals"
    | "harnessParent"
    | "compose"
  >;

/** What is proposed for the next generation, and why nothing is where nothing is. */
export interface Hypotheses {
  readonly candidates: Candidate[];
  readonly nothing: readonly string[];
}

/**
 * Chooses the next one-factor changes of the versions that changes are tried on: first the proposals that were approved
 * outside the loop, then those that the proposers draft now.
 */
export async function hypothesise(
  state: LoopState,
  sourceOf: (version: string) => Promise<FileSource>,
  project: Project,
  ports: ProposePorts,
): Promise<Hypotheses> {
  const most = project.spec.budgets.variantsPerGeneration;
  const first = Math.max(state.nextNumber, await ports.firstFreeNumber());
  const composed = await composeCandidate(state, first, candidateOf, ports);
  const candidates: Candidate[] = composed === null ? [] : [composed];
  const nothing: string[] = [];
  for (const [i, ground] of state.grounds.entries()) {
    // The best version has the first choice, and the rest is for the others.
    const share = Math.ceil((most - candidates.length) / (state.grounds.length - i));
    const before = candidates.length;
    const proposed = await hypothesesOn(
      { ground, state, count: share, first: first + candidates.length },
      { project, source: await sourceOf(ground.parent), ports },
      candidates,
    );
    candidates.push(...proposed);
    if (candidates.length === before) nothing.push(nothingLeft({ name: ground.parent }, ground.findings));
  }
  return { candidates, nothing };
}

async function hypothesesOn(
  {
    ground,
    state,
    count,
    first,
  }: {
    readonly ground: Ground;
    readonly state: LoopState;
    readonly count: number;
    readonly first: number;
  },
  {
    project,
    source,
    ports,
  }: { readonly project: Project; readonly source: FileSource; readonly ports: ProposePorts },
  taken: readonly Candidate[],
): Promise<Candidate[]> {
  const { parent, why, findings } = ground;
  const earlier = await ports.proposalsOn(parent);
  const approved = earlier
    .filter((p) => p.isTaken)
    .slice(0, count)
    .map((p) => takenCandidate(p, ground));
  const takenOver =
    why === null
      ? await takeOver({ ground, count: count - approved.length, first }, { project, source, ports })
      : [];
  approved.push(...takenOver);
  const before = [...earlier, ...(await ports.harnessProposals())];
  const question = {
    ...{ project, parent: source, version: parent, findings },
    // What a person has refused or sent back, or not answered yet, is not proposed on the same version again.
    tried: [
      ...state.tried.map(elsewhere),
      ...[...taken, ...takenOver].flatMap(triedBy),
      ...before.flatMap(triedBy),
    ],
    ...{ cases: await ports.cases(), profile: await ports.profile(parent) },
    skills: await ports.skills(skillsOf(project)),
    ...{ answered: state.answered, seed: seedOf(project), archive: ports },
    // What a person approved waits for nobody's answer to anything else.
    count: takenOver.length > 0 ? 0 : count - approved.length,
  };
  // The procedure of another parent than the best version is what was questioned already.
  const asked = why === null ? await questioned(state, parent, question, ports) : question;
  const drafts = await askProposers({ ...asked, generation: state.generation }, ports);
  const chosen: Candidate[] = [];
  for (const [i, { draft, proposer }] of drafts.entries()) {
    const { spec, because, finding, files, skill = null, joins } = draft;
    const harness = spec.factor === harnessFactor;
    const made = {
      ...{ version: versionName(first + takenOver.length + i, spec.name), harness },
      ...{ parent: harness ? await ports.harnessParent(parent) : parent, whyParent: why },
    };
    chosen.push(
      candidateOf({
        ...{ ...made, proposer },
        ...{ intervention: spec.name, spec, skill, title: titleOf(files), finding, because },
        joins: joins === undefined ? null : { version: joins.version, factors: [...joins.factors] },
      }),
    );
  }
  return [...approved, ...chosen];
}

const elsewhere = (tried: LoopState["tried"][number]): Tried => ({ ...tried, isHere: false });

/** What a proposal or a candidate of this version changes; nothing of one that is made of kept versions. */
export function triedBy(
  proposed: Pick<EarlierProposal, "version" | "intervention"> &
    Partial<Pick<EarlierProposal, "edit">> &
    Partial<Pick<Candidate, "spec">>,
): Tried[] {
  const { version, intervention, edit, spec } = proposed;
  if (intervention === null) return [];
  return [{ version, name: intervention, edit: edit ?? spec?.edit ?? null, isHere: true }];
}

const toldWith = ({ skill, joins }: Candidate): Pick<Idea, "skill" | "joins"> => ({
  ...(skill === null ? {} : { skill }),
  ...(joins === null ? {} : { joins }),
});

/** A candidate that nothing has happened to yet. */
export function candidateOf(
  told: Pick<Candidate, "version" | "parent" | "title" | "finding" | "because"> & Partial<Candidate>,
): Candidate {
  return {
    ...{
      commit: null,
      intervention: null,
      spec: null,
      proposer: searchName,
      skill: null,
      whyParent: null,
      merges: null,
      without: null,
      joins: null,
    },
    ...{ pruned: null, job: null },
    ...{ seeds: [], place: 0, keptBefore: 0, look: null, harness: false },
    ...told,
  };
}

/** Changes that a person approved on imported runs, made of the best version, where its files have the values that they replace. */
async function takeOver(
  { ground, count, first }: { readonly ground: Ground; readonly count: number; readonly first: number },
  {
    project,
    source,
    ports,
  }: {
    readonly project: Project;
    readonly source: FileSource;
    readonly ports: Pick<ProposePorts, "approvedOnRuns" | "proposing" | "emit">;
  },
): Promise<Candidate[]> {
  const taken: Candidate[] = [];
  for (const { version, run, spec } of await ports.approvedOnRuns()) {
    if (taken.length >= count) break;
    const because = `It was approved as ${version}, a change of the imported run ${run}.`;
    const drafted =
      spec === null
        ? null
        : await ports.proposing.draftOf(
            { spec, because, finding: null },
            { parent: source, declared: project.spec },
          );
    if (spec !== null && drafted?.type === "sound") {
      const name = versionName(first + taken.length, spec.name);
      const title = titleOf(drafted.draft.files);
      const { name: intervention } = spec;
      taken.push(
        candidateOf({
          version: name,
          parent: ground.parent,
          intervention,
          spec,
          title,
          finding: null,
          because,
        }),
      );
      continue;
    }
    const why =
      drafted === null || drafted.type === "sound"
        ? "it was altered at its gate."
        : problemsText(drafted.problems);
    const message = `${version}, which was approved on the imported run ${run}, is not trained: ${why} Take its change over into your files (\`evotrainer review ${version}\` shows it), commit, and run \`evotrainer evolve --restart\`.`;
    ports.emit({ type: "note", message });
  }
  return taken;
}

function takenCandidate(
  { version, commit, intervention, title, merges, without }: EarlierProposal,
  { parent, why }: Ground,
): Candidate {
  const because = "It was proposed and approved outside the loop.";
  const told = { version, parent, commit, intervention, title, finding: null, because, merges, without };
  return candidateOf({ ...told, whyParent: why });
}

/**
 * Makes the commit of each candidate on top of its parent's harness, and records it. What an intervention changes is a
 * proposal: the branch of the version begins when it is accepted. The base policy and the baseline change nothing.
 */
export async function intervene(
  state: LoopState,
  commitOfParent: (candidate: Candidate) => Promise<string>,
  project: Project,
  ports: ProposePorts,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    const parentCommit = await commitOfParent(candidate);
    // With a commit it was proposed and recorded before the loop took it.
    const made =
      candidate.commit === null
        ? await committed(state, candidate, { parentCommit, project }, ports)
        : candidate;
    if (made === null) continue;
    if (candidate.commit === null) {
      const { version, title, because, whyParent } = made;
      ports.emit({ type: "proposed", version, title, because });
      if (whyParent !== null) await noteParent(state, version, whyParent, ports);
    }
    done.push(made);
  }
  return done;
}

/** That a change is not made of the best version, and why, stays with the version. */
async function noteParent(
  { domain }: LoopState,
  version: string,
  why: string,
  ports: ProposePorts,
): Promise<void> {
  const common = { id: `note:${version}:parent`, at: ports.now(), domain, version };
  await ports.appendToLedger([{ ...common, type: "note", what: "text", value: why, by: "evotrainer" }]);
  ports.emit({ type: "note", message: why });
}

/** The candidate with its commit; null where a check refuses it, which may be one that an earlier release chose. */
async function committed(
  state: LoopState,
  candidate: Candidate,
  { parentCommit, project }: { readonly parentCommit: string; readonly project: Project },
  ports: ProposePorts,
): Promise<Candidate | null> {
  const { domain, generation, startedAt: at } = state;
  const { version: id, parent: name, intervention, because, finding } = candidate;
  const place = { id, domain, generation, at, parent: { name, commit: parentCommit } };
  const byProposer = { ...place, proposer: candidate.proposer };
  if (candidate.merges !== null || candidate.without !== null) {
    const draft = await composedAgain(candidate, ports);
    if (draft === null) {
      ports.emit({ type: "note", message: `${id} is skipped: ${candidate.title} cannot be made any more.` });
      return null;
    }
    const { commit, title, entries } = await commitProposal(draft, place, ports);
    await ports.appendToLedger(entries);
    return { ...candidate, commit, title };
  }
  if (intervention === null) {
    const { title } = candidate;
    const message = `${title}\n\n${because}`;
    const commit = await ports.createVersion({ name: id, parent: parentCommit, edits: [], message, at });
    const unchanged = { type: "version", factor: null, intervention: null } as const;
    const entry = { id: `version:${id}`, at: ports.now(), domain, version: id, commit, parent: name, title };
    await ports.appendToLedger([{ ...entry, ...unchanged, generation }]);
    return { ...candidate, commit };
  }
  // An earlier release chose by name.
  const spec = candidate.spec ?? project.interventions.find((i) => i.spec.name === intervention)?.spec;
  const ground = { parent: ports.source(parentCommit), declared: project.spec };
  const drafted =
    spec === undefined
      ? undefined
      : await ports.proposing.draftOf({ spec, because, finding, ...toldWith(candidate) }, ground);
  if (drafted?.type !== "sound") {
    const why = drafted === undefined ? "the project no longer has it." : problemsText(drafted.problems);
    ports.emit({ type: "note", message: `${intervention} is skipped: ${why}` });
    return null;
  }
  const { commit, title, entries } = await commitProposal(drafted.draft, byProposer, ports);
  await ports.appendToLedger(entries);
  return { ...candidate, commit, title };
}

/** Tests each candidate on the parent's archived rollouts before anything is trained. */
export async function backtest(
  state: LoopState,
  commitOfParent: (candidate: Candidate) => Promise<string>,
  ports: Pick<
    ProposePorts,
    "source" | "trainGroups" | "harnessFigures" | "appendToLedger" | "emit" | "now" | "proposing"
  >,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    const { version: id, parent: name, commit } = candidate;
    const parent = { name, commit: await commitOfParent(candidate) };
    const tested = await ports.proposing.backtestProposal(
      { id, domain: state.domain, parent, commit },
      ports,
    );
    await ports.appendToLedger(tested.entries);
    ports.emit({ type: "backtest", version: id, summary: tested.dropped ?? tested.summary });
    done.push({ ...candidate, pruned: tested.dropped });
  }
  return done;
}
