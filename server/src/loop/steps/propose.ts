import type { Project } from "../../project/project.ts";
import { chooseDrafts } from "../../proposals/chooseDrafts.ts";
import { backtestProposal, commitProposal } from "../../proposals/commitProposal.ts";
import { draftOf, problemsText } from "../../proposals/draft.ts";
import { titleOf } from "../../proposals/difference.ts";
import { versionName } from "../../proposals/proposal.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import type { EarlierProposal, LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";
import { questioned } from "./procedure.ts";

/** What these steps need of the loop's ports. */
export type ProposePorts = ProposalPorts &
  Pick<LoopPorts, "createVersion" | "proposalsOn" | "procedureHistory" | "firstFreeNumber" | "emit">;

/**
 * Chooses the next one-factor changes for the champion: first the proposals that were approved outside the loop, then those
 * that the proposer drafts now. An empty list means that nothing is left to try.
 */
export async function hypothesise(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: ProposePorts,
): Promise<Candidate[]> {
  const earlier = state.champion === null ? [] : await ports.proposalsOn(state.champion);
  const most = project.spec.budgets.variantsPerGeneration;
  const taken = earlier
    .filter((p) => p.isTaken)
    .slice(0, most)
    .map((p) => takenCandidate(p, state.champion));
  const question = {
    project,
    parent: ports.source(parentCommit),
    findings: state.findings,
    // What a person has refused or sent back, or not answered yet, is not proposed on the same version again.
    tried: new Set([...state.tried, ...earlier.flatMap((p) => p.intervention ?? [])]),
    answered: state.answered,
    count: most - taken.length,
  };
  const { drafts, passedOver } = await chooseDrafts(await questioned(state, state.champion, question, ports));
  for (const message of passedOver) ports.emit({ type: "note", message });
  const first = Math.max(state.nextNumber, await ports.firstFreeNumber());
  const chosen = drafts.map(({ spec, because, finding, files }, i) => ({
    version: versionName(first + i, spec.name),
    parent: state.champion,
    commit: null,
    intervention: spec.name,
    title: titleOf(files),
    ...{ finding, because },
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

/**
 * Makes the commit of each candidate on top of its parent's harness, and records it. What an intervention changes is a
 * proposal: the branch of the version begins when it is accepted. The base policy and the baseline change nothing.
 */
export async function intervene(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: ProposePorts,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    // With a commit it was proposed and recorded before the loop took it.
    const made =
      candidate.commit === null
        ? await committed(state, candidate, { parentCommit, project }, ports)
        : candidate;
    if (made === null) continue;
    if (candidate.commit === null) {
      const { version, title, because } = made;
      ports.emit({ type: "proposed", version, title, because });
    }
    done.push(made);
  }
  return done;
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
  if (intervention === null) {
    const { title } = candidate;
    const message = `${title}\n\n${because}`;
    const commit = await ports.createVersion({ name: id, parent: parentCommit, edits: [], message, at });
    const unchanged = { type: "version", factor: null, intervention: null } as const;
    const entry = { id: `version:${id}`, at: ports.now(), domain, version: id, commit, parent: name, title };
    await ports.appendToLedger([{ ...entry, ...unchanged, generation }]);
    return { ...candidate, commit };
  }
  const spec = project.interventions.find((i) => i.spec.name === intervention)?.spec;
  const ground = { parent: ports.source(parentCommit), declared: project.spec };
  const drafted = spec === undefined ? undefined : await draftOf({ spec, because, finding }, ground);
  if (drafted?.type !== "sound") {
    const why = drafted === undefined ? "the project no longer has it." : problemsText(drafted.problems);
    ports.emit({ type: "note", message: `${intervention} is skipped: ${why}` });
    return null;
  }
  const { commit, title, entries } = await commitProposal(drafted.draft, place, ports);
  await ports.appendToLedger(entries);
  return { ...candidate, commit, title };
}

/** Tests each candidate on the parent's archived rollouts before anything is trained. */
export async function backtest(
  state: LoopState,
  parentCommit: string,
  ports: Pick<ProposePorts, "source" | "trainGroups" | "appendToLedger" | "emit" | "now">,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    const { version: id, parent: name, commit } = candidate;
    const parent = { name, commit: parentCommit };
    const tested = await backtestProposal({ id, domain: state.domain, parent, commit }, ports);
    await ports.appendToLedger(tested.entries);
    ports.emit({ type: "backtest", version: id, summary: tested.dropped ?? tested.summary });
    done.push({ ...candidate, pruned: tested.dropped });
  }
  return done;
}
