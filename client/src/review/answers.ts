import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import type { Proposal } from "../../../shared/protocol/views/proposals.ts";
import type { ServiceParams } from "../../../shared/protocol/editorServices.ts";
import { askEngine } from "../connection/engineAnswer.ts";
import type { HunkChoice } from "./hunkChoice.ts";
import type { Asks, ProposalsSource } from "./proposalsSource.ts";

export type GivenAnswer =
  | { readonly type: "approve" }
  | { readonly type: "revise"; readonly comment: string; readonly withWorkTree: boolean }
  | { readonly type: "reject"; readonly reason: string };

/** What an answer led to, in a sentence; or why it was refused. */
export type AnswerResult = { readonly kind: "done" | "refused"; readonly text: string };

/** How long the evolution is given to begin. */
const startsWithinMs = 10_000;
const continueCommand = "evotrainer.continueEvolution";

/** Answers the gate of a proposal with the hunks that are chosen, and goes on with the evolution where that can be done here. */
export async function answerProposal(
  {
    server,
    source,
    choice,
  }: { readonly server: Asks; readonly source: ProposalsSource; readonly choice: HunkChoice },
  { root, id }: { readonly root: string; readonly id: string },
  given: GivenAnswer,
): Promise<AnswerResult> {
  const shown = await source.show(id, { root });
  if (shown.type === "none") return refused(`${shown.cause} ${shown.advice}`);
  const answer = await answerOf(root, shown.value, choice, given);
  if (answer.type === "none") return refused(answer.why);
  const question = { root, service: "proposals.answer", params: { id, answer: answer.params } } as const;
  const reply = await askEngine(server, question);
  if (reply.type === "none") return refused(`${reply.cause} ${reply.advice}`.trim());
  await source.refresh();
  const { state, branch, hunks } = reply.value;
  switch (state) {
    case "taken": {
      const part = hunks === null || hunks.taken === hunks.of ? "" : ` ${hunks.taken} of ${hunks.of} hunks`;
      return done(`Approved${part}: the commit is on ${branch ?? id}. ${await goOn(server, root)}`);
    }
    case "waiting":
      return done("The changed text now waits for approval instead of the proposed one.");
    case "revising":
      return done("Sent back: the next proposer sees the comment.");
    case "rejected":
    case "dropped":
      return done("Rejected: it stays in the lineage with the reason.");
  }
}

const done = (text: string): AnswerResult => ({ kind: "done", text: text.trim() });
const refused = (text: string): AnswerResult => ({ kind: "refused", text: text.trim() });

type Given = ServiceParams<"proposals.answer">["answer"];

/** The answer as the engine takes it, or why there is none to give. */
type Prepared =
  | { readonly type: "answer"; readonly params: Given }
  | { readonly type: "none"; readonly why: string };

const prepared = (params: Given): Prepared => ({ type: "answer", params });
const none = (why: string): Prepared => ({ type: "none", why });

async function answerOf(
  root: string,
  proposal: Proposal,
  choice: HunkChoice,
  given: GivenAnswer,
): Promise<Prepared> {
  switch (given.type) {
    case "reject":
      return prepared({ type: "reject", reason: given.reason });
    case "revise": {
      if (given.comment.trim() === "") return none("Say what should be different.");
      const texts = given.withWorkTree ? await workTreeTexts(root, proposal) : undefined;
      return prepared({ type: "revise", comment: given.comment, ...(texts ? { texts } : {}) });
    }
    case "approve": {
      const hunks = choice.taken(root, proposal);
      if (hunks?.length === 0) return none("Every hunk is left out; take one, or reject the proposal.");
      return prepared({ type: "approve", ...(hunks ? { hunks: [...hunks] } : {}) });
    }
  }
}

/** The files of a proposal as the editor has them, saved or not. */
async function workTreeTexts(root: string, { files }: Proposal): Promise<{ file: string; text: string }[]> {
  return Promise.all(
    files.map(async ({ path }) => {
      const uri = vscode.Uri.joinPath(vscode.Uri.file(root), path);
      return { file: path, text: (await vscode.workspace.openTextDocument(uri)).getText() };
    }),
  );
}

/** Whether the evolution goes on by itself is up to who runs it. */
async function goOn(server: Asks, root: string): Promise<string> {
  const commands = await vscode.commands.getCommands(true);
  if (!commands.includes(continueCommand)) return "Run `evotrainer evolve` to go on.";
  const question = { root, service: "evolution.status", params: {} } as const;
  const before = await askEngine(server, question);
  // One that is over cannot go on: the command would only fail, with a message that waits for a click.
  if (before.type !== "none" && before.value.state === "done") return notRunning(before.value);
  // What is true after the command is asked of the engine, too.
  await Promise.race([vscode.commands.executeCommand(continueCommand, { root }), wait(startsWithinMs)]);
  const status = await askEngine(server, question);
  if (status.type === "none") return `It is not known whether the evolution continues: ${status.cause}`;
  return status.value.state === "running" ? "The evolution goes on." : notRunning(status.value);
}

const notRunning = ({ message }: { readonly message: string }): string =>
  `The evolution is not running now: ${message}`;
