import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import type { AgentProposer } from "../../../../shared/spec/proposer.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { jsonOf } from "../../base/jsonLines.ts";
import { inBlock } from "../../base/plainText.ts";
import { addCheckout, checkoutDirectory, removeCheckout } from "../../lineage/checkouts/checkout.ts";
import type { Repository } from "../../lineage/repository.ts";
import { evaluationEntries, withheldFiles } from "../../project/identity/evaluationEntries.ts";
import type { CannotConfine, Confine } from "../../runner/confine/step.ts";
import { draftOf, problemsText, type Idea } from "../draft.ts";
import { titleOf } from "../difference/difference.ts";
import { ideaOf, WrittenDraft } from "../proposers/ideaOf.ts";
import type { Proposer, ProposerQuestion } from "../proposers/proposer.ts";
import type { QuestionBooks } from "../proposers/questionBooks.ts";
import { agentChanges, type AgentChanges } from "./agentChanges.ts";
import { AgentAnswer, answerPath, questionFolder, writeQuestion } from "./agentQuestion.ts";
import { agentView } from "./agentView.ts";
import { editsOf } from "../difference/editsOf.ts";
import { runAgent, type AgentEnd } from "./runAgent.ts";

export interface AgentSetup {
  readonly spec: AgentProposer;
  readonly repository: Repository;
  /** Holds a folder for each run while it lasts. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How this machine confines programs. */
  readonly confinement: () => Promise<Confine | CannotConfine>;
  readonly books: (question: ProposerQuestion) => Promise<QuestionBooks>;
}

/** How often an agent is run for one question: a change that is refused is sent back once. */
const attempts = 2;

/** Any program that edits a checkout as a proposer. Its change is taken where it stays on declared surfaces. */
export function agentProposer(setup: AgentSetup): Proposer {
  const { spec } = setup;
  return {
    name: spec.name,
    async propose(question, signal) {
      if (process.platform === "win32")
        throw new HarnessError(
          "badInput",
          `${spec.name} was not run: agents need Linux or macOS; use a model.`,
        );
      const books = await setup.books(question);
      let ended = { drafts: [] as readonly string[], outcome: "It failed." };
      try {
        let refusal: string | null = null;
        for (let attempt = 1; attempt <= attempts; attempt++) {
          const made: Idea | string = await once({ setup, books, question, refusal, signal });
          if (typeof made !== "string") {
            ended = { drafts: [made.spec.name], outcome: `Its change passed the checks.` };
            return [made];
          }
          await books.trace(`Refusal ${attempt}`, made);
          refusal = made;
        }
        throw new HarnessError(
          "specInvalid",
          `${spec.name} was run ${attempts} times and its change was refused each time: ${refusal ?? ""}`,
        );
      } catch (e) {
        if (HarnessError.is(e)) ended = { drafts: [], outcome: e.message };
        throw e;
      } finally {
        await books.close(ended);
      }
    },
  };
}

interface Attempt {
  readonly setup: AgentSetup;
  readonly books: QuestionBooks;
  readonly question: ProposerQuestion;
  /** Why the change before was refused. */
  readonly refusal: string | null;
  readonly signal: AbortSignal;
}

/** Runs the agent in a checkout of its own. Its idea, or why what it did is refused. */
async function once(attempt: Attempt): Promise<Idea | string> {
  const { setup, books, question, refusal, signal } = attempt;
  const { repository, folder } = setup;
  const { commit } = question.parent;
  const id = `proposer-${randomBytes(8).toString("hex")}`;
  const checkout = checkoutDirectory(repository, id);
  const withheld = await withheldFiles(repository, commit, question.project.spec, ["train", "selection"]);
  const run = join(folder, id);
  try {
    await addCheckout(repository, commit, checkout, withheld);
    await mkdir(run, { recursive: true, mode: 0o700 });
    const project = join(checkout, repository.prefix);
    // What the version itself has there is not for the agent.
    await rm(join(project, questionFolder), { recursive: true, force: true });
    await writeQuestion(project, { question, refusal, signal });
    const end = await runIn(attempt, { id, run, checkout, project, withheld });
    await books.trace("What it printed last", end.output);
    await books.spend({ tokens: 0, money: 0 });
    refuseEnd(setup.spec, end);
    const changes = await agentChanges({
      ...{ repository, commit, directory: checkout, withheld, source: question.parent.source },
      own: `${repository.prefix}${questionFolder}`,
    });
    return await ideaFrom(setup.spec, question, { changes, answer: await readAnswer(project) });
  } finally {
    await removeCheckout(repository, checkout);
    await rm(run, { recursive: true, force: true });
  }
}

interface Places {
  readonly id: string;
  readonly run: string;
  readonly checkout: string;
  readonly project: string;
  readonly withheld: readonly string[];
}

async function runIn({ setup, books, question, signal }: Attempt, places: Places): Promise<AgentEnd> {
  const { spec, repository, folder, confinement } = setup;
  const { id, run, checkout, project, withheld } = places;
  const declared = question.project.spec;
  const fixed = (await evaluationEntries(repository, question.parent.commit, declared)).filter(
    ({ path }) => !withheld.includes(path),
  );
  const { confine, unconfined } = await agentView(
    { repository, spec: declared, command: spec.command, run, checkout, fixed },
    confinement,
  );
  await books.trace("How it runs", unconfined === null ? "Confined." : `Unconfined: ${unconfined}`);
  return runAgent({
    ...{ command: spec.command, cwd: project, confine, mark: id, signal },
    ...{ seconds: spec.seconds, processes: spec.processes, outputBytes: spec.outputBytes },
    scratch: join(`${folder}.scratch`, id),
    environment: {
      ...variablesOf(setup),
      EVO_QUESTION: join(project, questionFolder, "question.md"),
      EVO_ANSWER: join(project, answerPath),
    },
  });
}

/** @throws HarnessError badInput for a variable that is not set */
function variablesOf({ spec, environment }: AgentSetup): Record<string, string> {
  return Object.fromEntries(
    spec.environment.map((name) => {
      const value = environment[name];
      if (value === undefined)
        throw new HarnessError(
          "badInput",
          `${spec.name} was not run: the environment variable ${name}, which it needs by evotrainer.yaml, is not set.`,
        );
      return [name, value];
    }),
  );
}

/** @throws HarnessError jobFailed, cancelled: of an agent that did not end well nothing is taken */
function refuseEnd(spec: AgentProposer, { code, stopped, output, failure }: AgentEnd): void {
  const { name } = spec;
  const failed = (what: string): HarnessError =>
    new HarnessError("jobFailed", `${name} ${what}; nothing of it was taken.`);
  if (failure !== null) throw failed(`could not be started: ${failure}`);
  switch (stopped) {
    case "time":
      throw failed(
        `was stopped, because it had not ended after ${spec.seconds} s (\`seconds\` of this proposer)`,
      );
    case "processes":
      throw failed(`was stopped, because it had more than ${spec.processes} processes`);
    case "output":
      throw failed(`was stopped, because it printed more than ${spec.outputBytes} bytes`);
    case "cancelled":
      throw new HarnessError("cancelled", `${name} was cancelled.`);
    case null:
      break;
  }
  if (code === 0) return;
  const last = inBlock(output.trimEnd().split("\n").slice(-3).join(" / ")).slice(0, 600);
  throw failed(
    `ended with ${code === null ? "a signal" : `the code ${code}`}${last === "" ? "" : ` and said last: ${last}`}`,
  );
}

const mostAnswer = 100_000;

/** What the agent wrote of its change; undefined where it wrote nothing that can be read. */
async function readAnswer(project: string): Promise<unknown> {
  try {
    const file = await open(
      join(project, answerPath),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > mostAnswer) return null;
      return jsonOf(await file.readFile("utf8")) ?? null;
    } finally {
      await file.close();
    }
  } catch (e) {
    if (codeOf(e) === "ENOENT") return undefined;
    if (codeOf(e) === "ELOOP" || codeOf(e) === "ENOTDIR" || codeOf(e) === "EISDIR") return null;
    throw e;
  }
}

/** The idea of a change, after every check that a proposal has to pass; otherwise why it is refused. */
async function ideaFrom(
  { name }: AgentProposer,
  { project, parent, findings }: ProposerQuestion,
  { changes, answer }: { readonly changes: AgentChanges; readonly answer: unknown },
): Promise<Idea | string> {
  const { files, problems } = changes;
  if (problems.length > 0) return problemsText(problems);
  const { edit, factor } = editsOf(project.spec, files);
  if (edit.length === 0) return "No file differs, so there is no change to propose.";
  const said = AgentAnswer.safeParse(answer ?? {});
  if (answer === null || !said.success)
    return `${answerPath} is not what was asked for${said.success ? "." : `: ${said.error.issues[0]?.path.join(".") ?? ""}: ${said.error.issues[0]?.message ?? ""}`}`;
  const written = WrittenDraft.safeParse({
    because: `${name} made this change without saying why: ${titleOf(files)}`.slice(0, 4000),
    ...said.data,
    name: said.data.name ?? name,
    edit,
    factor: factor ?? "optimisation",
  });
  if (!written.success) {
    const [issue] = written.error.issues;
    return `The change cannot be written as edits: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  }
  const idea = ideaOf(written.data, findings);
  const drafted = await draftOf(idea, { parent: parent.source, declared: project.spec });
  return drafted.type === "sound" ? idea : problemsText(drafted.problems);
}
