import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { modelNamed } from "../../diagnosis/judge/model.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { withOwnedSurfaces } from "../../project/ownedSurfaces.ts";
import type { Project } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { agentProposer } from "../../proposals/agent/agentProposer.ts";
import type { ProposerAsked } from "../../proposals/makeProposals.ts";
import { openModel } from "../../proposals/model/callModel.ts";
import { modelProposer } from "../../proposals/model/modelProposer.ts";
import { readPrompt } from "../../proposals/model/promptFile.ts";
import { askProposer, type AskedDrafts } from "../../proposals/proposers/askProposer.ts";
import type { Proposer } from "../../proposals/proposers/proposer.ts";
import type { AgentProposer, ModelProposer } from "../../../../shared/spec/proposer.ts";
import { withoutFeedback } from "../../proposals/proposers/withoutFeedback.ts";
import { localExecutor } from "../workspace/localExecutor.ts";
import { commitSource } from "../project/commitSource.ts";
import { evidenceToolsOf } from "./evidenceTools.ts";
import { withKeptAnswer } from "./keptAnswers.ts";
import type { OpenDomain } from "./openDomain.ts";
import { openQuestionBooks, proposersFolder } from "./questionBooks.ts";

export interface ProposerGround {
  readonly open: Pick<OpenDomain, "workspace" | "spec" | "domain">;
  /** The project as it stands now. */
  readonly project: Project;
  readonly store: Store;
  /** Why no model is asked and no program run, as the end of a sentence; null in a trusted workspace. */
  readonly refused: string | null;
  /** What people said that the proposer should look at; `id` is that of the note in the ledger, where it is one. */
  readonly hints: readonly { readonly id: string | null; readonly text: string }[];
  readonly signal: AbortSignal;
  /** What tells the question from every other one, where its answer is to be kept in case it is asked again. */
  readonly question?: readonly unknown[];
}

/**
 * Asks a proposer of evotrainer.yaml by its name, and checks its drafts. @throws HarnessError badInput for a name that is none,
 * and in a workspace that is not trusted; projectInvalid, notFound, and those of the proposer
 */
export async function askProposerNamed(
  name: string,
  { parent, findings, count }: ProposerAsked,
  ground: ProposerGround,
): Promise<AskedDrafts> {
  const { project, open, store, hints, signal } = ground;
  const { spec, proposer: made } = await openProposerNamed(name, ground);
  const proposer =
    ground.question === undefined
      ? made
      : withKeptAnswer(made, proposersFolder(open.workspace), ground.question);
  const { repository, root } = open.workspace;
  const { commit } = parent;
  const tools = await evidenceToolsOf({ root, store });
  const question = {
    ...{ findings, count, hints: hints.map(({ text }) => text) },
    project: { ...project, spec: withOwnedSurfaces(project.spec, spec) },
    parent: { name: parent.name, commit, source: commitSource(repository, commit) },
    tools: spec.feedback === "off" ? withoutFeedback(tools, parent.name) : tools,
  };
  return askProposer(proposer, question, signal);
}

/** A model or an agent of evotrainer.yaml by its name. @throws HarnessError as `askProposerNamed` */
export async function openProposerNamed(
  name: string,
  ground: ProposerGround,
): Promise<{ readonly spec: ModelProposer | AgentProposer; readonly proposer: Proposer }> {
  const spec = proposerNamed(name, ground);
  return { spec, proposer: spec.kind === "model" ? await modelOf(spec, ground) : agentOf(spec, ground) };
}

/** @throws HarnessError badInput */
function proposerNamed(name: string, { project, refused }: ProposerGround): ModelProposer | AgentProposer {
  const spec = project.spec.proposers.find((one) => one.name === name);
  if (spec === undefined) {
    const known = project.spec.proposers.map((one) => one.name);
    throw new HarnessError(
      "badInput",
      `${name} cannot choose by itself: evotrainer.yaml has no proposer of that name${known.length === 0 ? "" : `, only ${known.join(", ")}`}; name an intervention, or let the search propose.${didYouMean(name, known)}`,
    );
  }
  if (spec.kind === "search")
    throw new HarnessError("badInput", `${name} is a search, which is asked without a question in words.`);
  if (refused !== null) throw new HarnessError("badInput", `${name} was not asked: ${refused}`);
  return spec;
}

/** The hints of a question as the ledger keeps them. */
const notedIn = ({ hints }: ProposerGround): string[] => hints.map(({ id, text }) => id ?? text);

async function modelOf(spec: ModelProposer, ground: ProposerGround): Promise<Proposer> {
  const { open, project } = ground;
  const { models } = project.spec;
  const ready = modelNamed(spec.model, models, process.env);
  if (typeof ready === "string")
    throw new HarnessError("projectInvalid", `${spec.name} cannot be asked: ${ready}`);
  const price = Object.hasOwn(models, spec.model) ? models[spec.model]?.price : undefined;
  return modelProposer({
    ...{ spec, price },
    prompt: await readPrompt(spec.prompt, workTree(open.workspace.root)),
    open: () => openModel(ready),
    books: ({ parent }) =>
      openQuestionBooks(open, {
        ...{ version: parent.name, proposer: spec.name, hints: notedIn(ground), price },
      }),
  });
}

function agentOf(spec: AgentProposer, ground: ProposerGround): Proposer {
  const { open } = ground;
  const { workspace } = open;
  return agentProposer({
    spec,
    repository: workspace.repository,
    folder: proposersFolder(workspace),
    environment: process.env,
    confinement: () => localExecutor(workspace).confinement(),
    books: ({ parent }) =>
      openQuestionBooks(open, {
        ...{ version: parent.name, proposer: spec.name, hints: notedIn(ground) },
      }),
  });
}
