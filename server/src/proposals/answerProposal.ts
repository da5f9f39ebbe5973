import { hash } from "node:crypto";
import { userInfo } from "node:os";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import { HarnessError } from "../base/errors.ts";
import type { Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { readChanges, withHunks, type FileChange } from "../lineage/hunks.ts";
import type { Repository } from "../lineage/repository.ts";
import { beginBranch, createProposal, createVersion } from "../lineage/versions.ts";
import { loadProjectSpec } from "../project/project.ts";
import { answersAt, approvalEntry, type Approval } from "./standing/approval.ts";
import { backtestChange } from "./backtestChange.ts";
import { claimsAfter } from "./difference/claims.ts";
import { droppedEntry, editsOf } from "./commitProposal.ts";
import { titleOf, type OutcomeFile } from "./difference/difference.ts";
import { problemsText } from "./draft.ts";
import { factorOf, factorsOf, outcomeProblems } from "./outcomeProblems.ts";
import type { ProposalPorts } from "./ports.ts";
import { isProposal, refusalText, stateOf, versionIn, type ProposalState } from "./standing/proposal.ts";
import { passTrial, type Trials } from "./trial.ts";

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

/** A domain's lineage as it stands, and the repository that its versions are in. */
export interface AnswerGround {
  readonly domain: string;
  readonly lineage: Lineage;
  readonly repository: Repository;
  readonly ports: Pick<ProposalPorts, "source" | "trainGroups" | "harnessFigures" | "appendToLedger">;
  /** Tries changed code before it is approved; without it such a proposal is not approved if the project has a command for that. */
  readonly trials?: Trials;
}

/** An answer that is being given, and what is recorded of it in any case. */
interface Answering {
  readonly ground: AnswerGround;
  readonly version: VersionRecord;
  readonly at: Date;
  readonly approval: Omit<Approval, "answer">;
}

/**
 * Answers the design gate of a proposal, once. Approve makes the commit on the version's branch, of all hunks or of some;
 * revise sends it back, or lets a changed text wait in its place; reject keeps it with the reason. Work tree, index and HEAD
 * stay as they are.
 * @throws HarnessError notFound, badInput when it has its answer or a hunk is unknown, specInvalid when what would be taken
 * is no sound version, refMoved
 */
export async function answerProposal(
  ground: AnswerGround,
  {
    id,
    answer,
    by = userInfo().username,
  }: { readonly id: string; readonly answer: Answer; readonly by?: string },
): Promise<Answered> {
  const version = versionIn(ground.lineage, id);
  refuseAnswered(version);
  const at = new Date();
  const given = { domain: ground.domain, version: id, gate: "design", by, at: at.toISOString() } as const;
  const approval = approvalEntry(given, answersAt(version, "design").length, { answer: answer.type });
  const answering = { ground, version, at, approval };
  switch (answer.type) {
    case "reject":
      return reject(answering, answer.reason);
    case "revise":
      return revise(answering, answer);
    case "approve":
      return approve(answering, answer);
  }
}

async function reject({ ground, version, approval }: Answering, comment: string): Promise<Answered> {
  const { name: id, commit } = version;
  const reason = refusalText({ answer: "reject", comment });
  await ground.ports.appendToLedger([
    { ...approval, answer: "reject", ...(comment === "" ? {} : { comment }) },
    droppedEntry({ at: approval.at, domain: approval.domain, version: id }, reason),
  ]);
  return { id, state: "rejected", commit, branch: null, hunks: null };
}

async function revise(
  { ground, version, at, approval }: Answering,
  { comment, texts = [] }: Extract<Answer, { type: "revise" }>,
): Promise<Answered> {
  const { name: id } = version;
  if (texts.length === 0) {
    await ground.ports.appendToLedger([{ ...approval, answer: "revise", comment }]);
    return { id, state: "revising", commit: version.commit, branch: null, hunks: null };
  }
  const { parentCommit, files } = await changesOf(ground, version);
  const outcome = await withTexts(ground, parentCommit, files, texts);
  await refuseUnsound(ground, { version, parentCommit, files }, outcome, "Not accepted");
  const { commit } = await createProposal(ground.repository, {
    domain: ground.domain,
    id: revisionId(version),
    parent: parentCommit,
    edits: editsOf(outcome),
    message: `${titleOf(outcome)}\n\nRevised by ${approval.by}: ${comment}`,
    at,
  });
  const { change, entries } = await altered({ ground, version, approval }, parentCommit, outcome, commit);
  await ground.ports.appendToLedger([{ ...approval, answer: "revise", comment, commit, change }, ...entries]);
  return { id, state: "waiting", commit, branch: null, hunks: null };
}

async function approve(
  { ground, version, at, approval }: Answering,
  { comment: said, hunks: asked }: Extract<Answer, { type: "approve" }>,
): Promise<Answered> {
  const { domain, repository, ports } = ground;
  const { name: id } = version;
  const { parentCommit, files } = await changesOf(ground, version);
  const taken = chosenHunks(files, asked);
  const of = files.reduce((sum, f) => sum + f.hunks.length, 0);
  const hunks = { taken: taken.size, of };
  const comment = said === undefined ? {} : { comment: said };
  const branch = `evo/${domain}/${id}`;
  if (taken.size === of) {
    // All of it was checked when it was proposed, if an engine did that; its own commit becomes the version.
    if (version.standing === "claim")
      await refuseUnsound(ground, { version, parentCommit, files }, files.map(wholeOf), "Not approved");
    await tried(ground, version, parentCommit, files.map(wholeOf), () => Promise.resolve(version.commit));
    await beginBranch(repository, { domain, name: id, commit: version.commit });
    await ports.appendToLedger([{ ...approval, answer: "approve", ...comment }]);
    return { id, state: "taken", commit: version.commit, branch, hunks };
  }
  const outcome = files.map((f) => ({ path: f.path, before: f.base, after: withHunks(f, taken) }));
  await refuseUnsound(ground, { version, parentCommit, files }, outcome, "Not approved");
  await tried(ground, version, parentCommit, outcome, () =>
    commitToTry(ground, version, { parentCommit, outcome, taken }),
  );
  const { commit } = await createVersion(repository, {
    domain,
    name: id,
    parent: parentCommit,
    edits: editsOf(outcome),
    message: `${titleOf(outcome)}\n\n${taken.size} of ${of} hunks taken by ${approval.by}.`,
    at,
  });
  const { change, entries } = await altered({ ground, version, approval }, parentCommit, outcome, commit);
  await ports.appendToLedger([
    { ...approval, answer: "approve", ...comment, commit, hunks, change },
    ...entries,
  ]);
  return { id, state: "taken", commit, branch, hunks };
}

/** Tries the code that would be approved. @throws HarnessError jobFailed when it does not work */
async function tried(
  { ports, trials }: AnswerGround,
  version: VersionRecord,
  parentCommit: string,
  files: readonly OutcomeFile[],
  commit: () => Promise<string>,
): Promise<void> {
  const spec = await loadProjectSpec(ports.source(parentCommit));
  await passTrial(version, { spec, files, commit, trials });
}

/** A part of a proposal as a commit of its own, so that it can be tried: the same part gives the same commit. */
async function commitToTry(
  { repository, domain }: AnswerGround,
  version: VersionRecord,
  part: {
    readonly parentCommit: string;
    readonly outcome: readonly OutcomeFile[];
    readonly taken: ReadonlySet<string>;
  },
): Promise<string> {
  const { parentCommit: parent, outcome, taken } = part;
  const suffix = `-t${hash("sha256", [...taken].sort().join(",")).slice(0, 8)}`;
  const { commit } = await createProposal(repository, {
    domain,
    id: `${version.name.slice(0, 64 - suffix.length)}${suffix}`,
    parent,
    edits: editsOf(outcome),
    message: `${titleOf(outcome)}\n\nA part of ${version.name}, to be tried before it is approved.`,
    at: new Date(version.at),
  });
  return commit;
}

/** What a proposal is now that it was altered, what is left of its claims, and its backtest; the latest of each counts. */
async function altered(
  { ground, version, approval }: Omit<Answering, "at">,
  parentCommit: string,
  files: readonly OutcomeFile[],
  commit: string,
): Promise<{ change: NonNullable<Approval["change"]>; entries: LedgerEntry[] }> {
  const { ports } = ground;
  const spec = await loadProjectSpec(ports.source(parentCommit));
  const parent = { name: version.parent, commit: parentCommit };
  const { summary, figures } = await backtestChange({ parent, commit }, ports);
  const common = { at: approval.at, domain: approval.domain, version: version.name };
  const suffix = commit.slice(0, 12);
  const { hypothesis, proposedAs } = version;
  return {
    change: { title: titleOf(files), factor: factorOf(spec, files) },
    entries: [
      ...(hypothesis === undefined
        ? []
        : [
            claimsAfter(hypothesis, proposedAs, files, {
              ...common,
              id: `hypothesis:${version.name}:${suffix}`,
            }),
          ]),
      { ...common, id: `backtest:${version.name}:${suffix}`, type: "backtest", summary, figures },
    ],
  };
}

/** What a proposal changes, against its parent's files. @throws HarnessError notFound, badInput */
export async function changesOf(
  { lineage, repository }: Pick<AnswerGround, "lineage" | "repository">,
  version: VersionRecord,
): Promise<{ parentCommit: string; files: FileChange[] }> {
  if (version.parent === null)
    throw new HarnessError(
      "badInput",
      `${version.name} has no parent: it is a starting point, not a proposal.`,
    );
  const parentCommit = versionIn(lineage, version.parent).commit;
  return { parentCommit, files: await readChanges(repository, parentCommit, version.commit) };
}

const wholeOf = (file: FileChange): OutcomeFile => ({
  path: file.path,
  before: file.base,
  after: file.proposed,
});

function refuseAnswered(version: VersionRecord): void {
  const { name, decision, approvals } = version;
  if (!isProposal(version))
    throw new HarnessError("badInput", `${name} is not a proposal, so it needs no answer.`);
  const last = approvals.findLast((a) => a.gate === "design");
  if (last !== undefined && last.answer !== "revise")
    throw new HarnessError("badInput", `${name} was already answered: ${last.answer} by ${last.by}.`);
  if (decision !== undefined)
    throw new HarnessError(
      "badInput",
      `${name} is already decided (${decision.decision}); there is nothing to approve.`,
    );
  if (stateOf(version) === "taken")
    throw new HarnessError("badInput", `${name} is already in training; there is nothing to approve.`);
}

function revisionId(version: VersionRecord): string {
  const { name } = version;
  const suffix = `-r${answersAt(version, "design").length + 2}`;
  return `${name.slice(0, 64 - suffix.length)}${suffix}`;
}

function chosenHunks(files: readonly FileChange[], asked: readonly string[] | undefined): Set<string> {
  const all = files.flatMap((f) => f.hunks.map((h) => h.id));
  if (asked === undefined) return new Set(all);
  const unknown = asked.find((id) => !all.includes(id));
  if (unknown !== undefined)
    throw new HarnessError(
      "badInput",
      `The proposal has no hunk ${unknown}; it has: ${all.join(", ")}. It may have changed in the meantime; look at it again.`,
    );
  if (asked.length === 0)
    throw new HarnessError("badInput", "No hunk is chosen; choose at least one, or reject the proposal.");
  return new Set(asked);
}

/** What a proposal would change with some of its texts replaced. */
async function withTexts(
  { ports }: AnswerGround,
  parentCommit: string,
  files: readonly FileChange[],
  texts: readonly NewText[],
): Promise<OutcomeFile[]> {
  const given = new Map(texts.map((t) => [t.file, t.text]));
  const base = ports.source(parentCommit);
  const replaced = await Promise.all(
    [...given].map(async ([path, after]) => ({ path, before: (await base.read(path)) ?? null, after })),
  );
  const left = files.filter((f) => !given.has(f.path));
  return [...left.map((f) => ({ path: f.path, before: f.base, after: f.proposed })), ...replaced];
}

/** Several factors may change only where an engine that is trusted here made the proposal of two tried versions. */
async function refuseUnsound(
  { ports }: AnswerGround,
  proposed: {
    readonly version: VersionRecord;
    readonly parentCommit: string;
    readonly files: readonly FileChange[];
  },
  files: readonly OutcomeFile[],
  verdict: string,
): Promise<void> {
  const { standing, merges, joins } = proposed.version;
  const source = ports.source(proposed.parentCommit);
  const isComposed = standing !== "claim" && (merges !== undefined || joins !== undefined);
  const factors = isComposed ? factorsOf(await loadProjectSpec(source), proposed.files.map(wholeOf)) : [];
  const problems = await outcomeProblems(source, files, factors);
  if (problems.length > 0) throw new HarnessError("specInvalid", `${verdict}: ${problemsText(problems)}`);
}
