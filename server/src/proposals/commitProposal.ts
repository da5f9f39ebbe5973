import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { backtestChange } from "./backtestChange.ts";
import { hypothesisEntry } from "./difference/claims.ts";
import { titleOf, type OutcomeFile } from "./difference/difference.ts";
import type { Draft } from "./draft.ts";
import type { NewVersion, ProposalPorts } from "./ports.ts";

/** Where a draft is to stand in the lineage. */
export interface Place {
  readonly id: string;
  readonly domain: string;
  readonly parent: { readonly name: string | null; readonly commit: string };
  readonly generation: number;
  /** Nobody where it is composed of kept versions by the loop. */
  readonly proposer?: string;
  /** The proposal that was sent back and that it answers. */
  readonly answers?: string;
  /** Time of the commit: the same draft at the same time gives the same commit. */
  readonly at: string;
}

export interface Committed {
  readonly commit: string;
  readonly title: string;
  /** To be written down by who asked. */
  readonly entries: readonly LedgerEntry[];
}

/** Makes the commit of a draft, which is a proposal from then on: titled by what it really changes. */
export async function commitProposal(
  draft: Draft,
  place: Place,
  ports: Pick<ProposalPorts, "createProposal" | "now">,
): Promise<Committed> {
  const { id, domain, parent, generation, proposer, answers } = place;
  const { spec, files, because, joins } = draft;
  const factors = draft.factors ?? joins?.factors;
  const title = titleOfDraft(draft);
  const commit = await ports.createProposal({
    name: id,
    parent: parent.commit,
    edits: editsOf(files),
    message: `${title}\n\n${because}`,
    at: place.at,
  });
  const common = { at: ports.now(), domain, version: id };
  const version: LedgerEntry = {
    ...common,
    id: `version:${id}`,
    type: "version",
    commit,
    parent: parent.name,
    generation,
    factor: factors === undefined || factors.length === 1 ? spec.factor : null,
    intervention: spec.edit.length === 0 ? null : spec.name,
    title,
    ...(draft.merges === undefined ? {} : { merges: draft.merges }),
    ...(draft.without === undefined ? {} : { without: draft.without }),
    ...(joins === undefined ? {} : { joins: joins.version }),
  };
  const claims = hypothesisEntry(
    spec,
    {
      ...common,
      title,
      ...(proposer === undefined ? {} : { proposer }),
      ...(answers === undefined ? {} : { answers }),
      ...(draft.skill === undefined ? {} : { skill: draft.skill }),
    },
    draft.effect ?? undefined,
  );
  const { statement } = draft;
  return { commit, title, entries: [version, statement === undefined ? claims : { ...claims, statement }] };
}

/** What a draft changes, and of what kept version it is made, on one line. */
function titleOfDraft({ files, merges, without }: Draft): string {
  const change = titleOf(files);
  if (merges !== undefined) return `merge ${merges}: ${change}`;
  return without === undefined ? change : `without ${without}: ${change}`;
}

/** The files that differ, with their new texts. */
export function editsOf(files: readonly OutcomeFile[]): NewVersion["edits"] {
  return files.filter((f) => f.before !== f.after).map((f) => ({ path: f.path, content: f.after }));
}

export interface Backtested {
  readonly summary: string;
  /** Why it need not be trained; null where it may change something. */
  readonly dropped: string | null;
  /** To be written down by who asked. */
  readonly entries: readonly LedgerEntry[];
}

/** Tests a proposal on its parent's archived rollouts. One that can change nothing is decided by that. */
export async function backtestProposal(
  place: Pick<Place, "id" | "domain" | "parent"> & { readonly commit: string | null },
  ports: Pick<ProposalPorts, "source" | "trainGroups" | "harnessFigures" | "now">,
): Promise<Backtested> {
  const { id, domain, parent, commit } = place;
  const { summary, figures, pruned } = await backtestChange({ parent, commit }, ports);
  const common = { at: ports.now(), domain, version: id };
  const entries: LedgerEntry[] = [{ ...common, id: `backtest:${id}`, type: "backtest", summary, figures }];
  if (pruned !== null) entries.push(droppedEntry(common, pruned));
  return { summary, dropped: pruned, entries };
}

/** The decision about a proposal that is not trained. */
export function droppedEntry(
  common: { readonly at: string; readonly domain: string; readonly version: string },
  reason: string,
): LedgerEntry {
  const id = `decision:${common.version}`;
  return { ...common, id, type: "decision", decision: "prune", reason, comparison: null, evidence: [] };
}
