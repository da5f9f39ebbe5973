import { userInfo } from "node:os";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { VersionRecord } from "../../lineage/graph.ts";
import { readChanges, withHunks, type FileChange } from "../../lineage/hunks.ts";
import { beginBranch, createProposal, createVersion, type FileEdit } from "../../lineage/versions.ts";
import { refusalText } from "../../loop/steps/approve.ts";
import { commitSource } from "../project/commitSource.ts";
import { backtestEntries } from "./backtestEntries.ts";
import { openDomain, versionIn, type OpenDomain } from "./openDomain.ts";
import { outcomeProblems } from "./outcomeProblems.ts";
import { isProposal, stateOf, type ProposalState } from "./proposal.ts";

/** A text that a person wrote in place of what was proposed. */
export interface NewText {
  readonly file: string;
  readonly text: string;
}

export type Answer =
  | {
      readonly type: "approve";
      /** Ids of the hunks to take; all where left out. */
      readonly hunks?: readonly string[];
      readonly comment?: string;
    }
  | { readonly type: "revise"; readonly comment: string; readonly texts?: readonly NewText[] }
  | { readonly type: "reject"; readonly reason: string };

export interface Answered {
  readonly id: string;
  readonly state: ProposalState;
  /** The files that were taken, or that wait now. */
  readonly commit: string;
  /** The branch of the version; null where it was not taken. */
  readonly branch: string | null;
  readonly hunks: { readonly taken: number; readonly of: number } | null;
}

/**
 * Answers the design gate of a proposal, once. Approve makes the commit on the version's branch, of all hunks or of some;
 * revise sends it back, or lets a changed text wait in its place; reject keeps it with the reason. Work tree, index and HEAD
 * stay as they are.
 * @throws HarnessError notFound, badInput when it has its answer or a hunk is unknown, specInvalid when what would be taken
 * is no sound version, refMoved
 */
export async function answerProposal(
  {
    root,
    store,
    by = userInfo().username,
  }: { readonly root: string; readonly store: Store; readonly by?: string },
  { id, answer }: { readonly id: string; readonly answer: Answer },
): Promise<Answered> {
  const open = await openDomain(root);
  const version = versionIn(open.lineage, id);
  refuseAnswered(version);
  const at = new Date();
  const approval = {
    id: `approval:${id}:design${answersBefore(version)}`,
    at: at.toISOString(),
    domain: open.domain,
    type: "approval" as const,
    version: id,
    gate: "design" as const,
    by,
  };
  const common = { at: approval.at, domain: open.domain, version: id };
  const { ledger, repository } = open.workspace;
  switch (answer.type) {
    case "reject": {
      const comment = answer.reason === "" ? {} : { comment: answer.reason };
      const reason = refusalText({ answer: "reject", comment: answer.reason });
      await ledger.append([{ ...approval, answer: "reject", ...comment }, dropped(common, reason)]);
      return { id, state: "rejected", commit: version.commit, branch: null, hunks: null };
    }
    case "revise": {
      if (answer.texts === undefined || answer.texts.length === 0) {
        await ledger.append([{ ...approval, answer: "revise", comment: answer.comment }]);
        return { id, state: "revising", commit: version.commit, branch: null, hunks: null };
      }
      const { parentCommit, files } = await changesOf(open, version);
      const outcome = withTexts(files, answer.texts);
      const texts = await textsBefore(open, parentCommit, outcome);
      await refuseUnsound(open, parentCommit, texts);
      const { commit } = await createProposal(repository, {
        domain: open.domain,
        id: revisionId(version),
        parent: parentCommit,
        edits: editsOf(texts),
        message: `${version.title}\n\nRevised by ${by}: ${answer.comment}`,
        at,
      });
      const entries = await backtestEntries({ store, open, version, commit, parentCommit, at: approval.at });
      await ledger.append([{ ...approval, answer: "revise", comment: answer.comment, commit }, ...entries]);
      return { id, state: "waiting", commit, branch: null, hunks: null };
    }
    case "approve": {
      const { parentCommit, files } = await changesOf(open, version);
      const taken = chosenHunks(files, answer.hunks);
      const of = files.reduce((sum, f) => sum + f.hunks.length, 0);
      const comment = answer.comment === undefined ? {} : { comment: answer.comment };
      const branch = `evo/${open.domain}/${id}`;
      if (taken.size === of) {
        // All of it was checked when it was proposed; its own commit becomes the version.
        await beginBranch(repository, { domain: open.domain, name: id, commit: version.commit });
        await ledger.append([{ ...approval, answer: "approve", ...comment }]);
        return { id, state: "taken", commit: version.commit, branch, hunks: { taken: of, of } };
      }
      const texts = files.map((f) => ({ path: f.path, before: f.base, after: withHunks(f, taken) }));
      await refuseUnsound(open, parentCommit, texts);
      const { commit } = await createVersion(repository, {
        domain: open.domain,
        name: id,
        parent: parentCommit,
        edits: editsOf(texts),
        message: `${version.title}\n\n${taken.size} of ${of} hunks taken by ${by}.`,
        at,
      });
      const entries = await backtestEntries({ store, open, version, commit, parentCommit, at: approval.at });
      const hunks = { taken: taken.size, of };
      await ledger.append([{ ...approval, answer: "approve", ...comment, commit, hunks }, ...entries]);
      return { id, state: "taken", commit, branch, hunks };
    }
  }
}

function dropped(
  common: { readonly at: string; readonly domain: string; readonly version: string },
  reason: string,
): LedgerEntry {
  const id = `decision:${common.version}`;
  return { ...common, id, type: "decision", decision: "prune", reason, comparison: null, evidence: [] };
}

/** What a proposal changes, against its parent's files. @throws HarnessError notFound, badInput */
export async function changesOf(
  { lineage, workspace }: Pick<OpenDomain, "lineage" | "workspace">,
  version: VersionRecord,
): Promise<{ parentCommit: string; files: FileChange[] }> {
  if (version.parent === null)
    throw new HarnessError("badInput", `${version.name} has no parent: it is a start, and no proposal.`);
  const parentCommit = versionIn(lineage, version.parent).commit;
  return { parentCommit, files: await readChanges(workspace.repository, parentCommit, version.commit) };
}

function refuseAnswered(version: VersionRecord): void {
  const { name, decision, approvals } = version;
  if (!isProposal(version))
    throw new HarnessError("badInput", `${name} is no proposal: nothing of it waits for an answer.`);
  const last = approvals.findLast((a) => a.gate === "design");
  if (last !== undefined && last.answer !== "revise")
    throw new HarnessError("badInput", `${name} has its answer already: ${last.answer} by ${last.by}.`);
  if (decision !== undefined)
    throw new HarnessError(
      "badInput",
      `${name} is decided already (${decision.decision}); there is nothing to approve.`,
    );
  if (stateOf(version) === "taken")
    throw new HarnessError("badInput", `${name} is in training already; there is nothing to approve.`);
}

/** What follows the first id of an answer, so that each answer has its own; two at once cannot both be written. */
function answersBefore({ approvals }: VersionRecord): string {
  const before = approvals.filter((a) => a.gate === "design").length;
  return before === 0 ? "" : `:${before + 1}`;
}

function revisionId({ name, approvals }: VersionRecord): string {
  const suffix = `-r${approvals.filter((a) => a.gate === "design").length + 2}`;
  return `${name.slice(0, 64 - suffix.length)}${suffix}`;
}

function chosenHunks(files: readonly FileChange[], asked: readonly string[] | undefined): Set<string> {
  const all = files.flatMap((f) => f.hunks.map((h) => h.id));
  if (asked === undefined) return new Set(all);
  const unknown = asked.find((id) => !all.includes(id));
  if (unknown !== undefined)
    throw new HarnessError(
      "badInput",
      `The proposal has no hunk ${unknown}; it has: ${all.join(", ")}. It may have changed meanwhile: look again.`,
    );
  if (asked.length === 0)
    throw new HarnessError("badInput", "No hunk is chosen; choose at least one, or reject the proposal.");
  return new Set(asked);
}

interface Outcome {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

function withTexts(
  files: readonly FileChange[],
  texts: readonly NewText[],
): { path: string; after: string | null }[] {
  const given = new Map(texts.map((t) => [t.file, t.text]));
  return [
    ...files.filter((f) => !given.has(f.path)).map((f) => ({ path: f.path, after: f.proposed })),
    ...[...given].map(([path, after]) => ({ path, after })),
  ];
}

async function textsBefore(
  { workspace }: Pick<OpenDomain, "workspace">,
  parentCommit: string,
  files: readonly { readonly path: string; readonly after: string | null }[],
): Promise<Outcome[]> {
  const base = commitSource(workspace.repository, parentCommit);
  return Promise.all(files.map(async (f) => ({ ...f, before: (await base.read(f.path)) ?? null })));
}

const editsOf = (files: readonly Outcome[]): FileEdit[] =>
  files.filter((f) => f.before !== f.after).map((f) => ({ path: f.path, content: f.after }));

async function refuseUnsound(
  { workspace }: Pick<OpenDomain, "workspace">,
  parentCommit: string,
  files: readonly Outcome[],
): Promise<void> {
  const problems = await outcomeProblems(commitSource(workspace.repository, parentCommit), files);
  if (problems.length > 0)
    throw new HarnessError(
      "specInvalid",
      `This is no sound version, so that it was not taken: ${problems.slice(0, 3).join(" ")}`,
    );
}
