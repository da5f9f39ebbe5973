import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { modelNamed } from "../../diagnosis/judge/model.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { withOwnedSurfaces } from "../../project/ownedSurfaces.ts";
import type { Project } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { agentProposer } from "../../proposals/agent/agentProposer.ts";
import type { OpenProposer } from "../../proposals/makeProposals.ts";
import { openModel } from "../../proposals/model/callModel.ts";
import { modelProposer } from "../../proposals/model/modelProposer.ts";
import { readPrompt } from "../../proposals/model/promptFile.ts";
import type { Proposer } from "../../proposals/proposers/proposer.ts";
import type { AgentProposer, ModelProposer } from "../../../../shared/spec/proposer.ts";
import { localExecutor } from "../workspace/localExecutor.ts";
import { evidenceToolsOf } from "./evidenceTools.ts";
import type { OpenDomain } from "./openDomain.ts";
import { openQuestionBooks, proposersFolder } from "./questionBooks.ts";

export interface ProposerGround {
  readonly open: OpenDomain;
  /** The project as it stands now. */
  readonly project: Project;
  readonly store: Store;
  /** Why no model is asked and no program run, as the end of a sentence; null in a trusted workspace. */
  readonly refused: string | null;
  /** What people said that the proposer should look at. */
  readonly hints?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Opens a proposer of evotrainer.yaml by its name. @throws HarnessError badInput for a name that is none, and in a workspace
 * that is not trusted; projectInvalid, notFound
 */
export async function openProposer(name: string, ground: ProposerGround): Promise<OpenProposer> {
  const { project, open, store, refused, hints = [], signal } = ground;
  const spec = project.spec.proposers.find((one) => one.name === name);
  if (spec === undefined) {
    const known = project.spec.proposers.map((one) => one.name);
    throw new HarnessError(
      "badInput",
      `${name} cannot choose by itself: evotrainer.yaml has no proposer of that name${known.length === 0 ? "" : `, only ${known.join(", ")}`}; name an intervention, or let the catalogue propose.${didYouMean(name, known)}`,
    );
  }
  const given = {
    hints,
    project: { ...project, spec: withOwnedSurfaces(project.spec, spec) },
    tools: await evidenceToolsOf({ root: open.workspace.root, store }),
  };
  if (spec.kind === "search")
    throw new HarnessError(
      "badInput",
      `${name} is a proposer of the kind search, which is not in this release.`,
    );
  if (refused !== null) throw new HarnessError("badInput", `${name} was not asked: ${refused}`);
  const proposer = spec.kind === "model" ? await modelOf(spec, ground) : agentOf(spec, ground);
  return { proposer, given, signal };
}

async function modelOf(spec: ModelProposer, { open, project }: ProposerGround): Promise<Proposer> {
  const { models } = project.spec;
  const ready = modelNamed(spec.model, models, process.env);
  if (typeof ready === "string")
    throw new HarnessError("projectInvalid", `${spec.name} cannot be asked: ${ready}`);
  const price = Object.hasOwn(models, spec.model) ? models[spec.model]?.price : undefined;
  return modelProposer({
    ...{ spec, price },
    prompt: await readPrompt(spec.prompt, workTree(open.workspace.root)),
    open: () => openModel(ready),
    books: ({ parent }) => openQuestionBooks(open, { version: parent.name, proposer: spec.name, price }),
  });
}

function agentOf(spec: AgentProposer, { open }: ProposerGround): Proposer {
  const { workspace } = open;
  return agentProposer({
    spec,
    repository: workspace.repository,
    folder: proposersFolder(workspace),
    environment: process.env,
    confinement: () => localExecutor(workspace).confinement(),
    books: ({ parent }) => openQuestionBooks(open, { version: parent.name, proposer: spec.name }),
  });
}
