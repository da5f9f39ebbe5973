import type { ProposerExam } from "../../../../shared/protocol/results/exam.ts";
import { HarnessError } from "../../base/errors.ts";
import { withOwnedSurfaces } from "../../project/ownedSurfaces.ts";
import { loadProject } from "../../project/project.ts";
import { searchName } from "../../project/proposersOf.ts";
import { workTree, type FileSource } from "../../project/source.ts";
import { seedOf } from "../../proposals/chooseDrafts.ts";
import { examMoments } from "../../proposals/exam/examMoments.ts";
import { examResult, type AnsweredMoment } from "../../proposals/exam/examResult.ts";
import { proposerAsExaminee, searchAsExaminee, type Examinee } from "../../proposals/exam/sitExam.ts";
import { importedChange } from "../importing/importedChange.ts";
import { refusedFor } from "../project/labelPrograms.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { defineService, type ServiceContext } from "../workspace/service.ts";
import { readLineage } from "../workspace/workspace.ts";
import { evidenceToolsOf } from "./evidenceTools.ts";
import { openDomain } from "./openDomain.ts";
import { openProposerNamed } from "./openProposer.ts";

/** The exam of a proposer on a lineage: whoever it is, it is shown no outcome. */
export const proposalsExam = defineService("proposals.exam", {
  // A model would be asked, and paid, twice.
  repeatable: false,
  async run(context, { trusted, proposer, domain: asked }, { signal, progress }): Promise<ProposerExam> {
    const open = await openDomain(context.root);
    const domain = asked ?? open.domain;
    const lineage = await readLineage(open.workspace, domain);
    const { repository } = open.workspace;
    const { moments, leftOut } = await examMoments(lineage, {
      metric: open.spec.metric.name,
      changeOf: (version, parent) => importedChange(repository, open.spec, { version, parent }),
    });
    if (moments.length === 0)
      throw new HarnessError(
        "notFound",
        `The lineage of ${domain} has nothing to ask about: the exam needs a version from which two or more changes were made, trained and measured.${leftOut.length === 0 ? "" : ` Its versions: ${leftOut.map(({ because, versions }) => `${versions}: ${because}`).join("; ")}.`}`,
      );
    const examinee = await examineeNamed(proposer, { ...context, open, domain, caller: trusted, signal });
    const answered: AnsweredMoment[] = [];
    for (const moment of moments) {
      progress({ done: answered.length, total: moments.length, message: `drafts of ${moment.parent.name}` });
      answered.push({ moment, expected: await examinee(moment, signal) });
    }
    const byScore = moments.flatMap(({ drafts }) => drafts.filter(({ by }) => by === "score")).length;
    return {
      ...{ proposer, domain, ...examResult(answered), byScore, leftOut: [...leftOut] },
      answers: answered.map(answerOf),
    };
  },
});

async function examineeNamed(
  name: string,
  {
    open,
    domain,
    store,
    root,
    trusted: owner,
    caller,
    signal,
  }: Pick<ServiceContext, "store" | "root" | "trusted"> & {
    readonly open: Awaited<ReturnType<typeof openDomain>>;
    readonly domain: string;
    readonly caller: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Examinee> {
  const project = await loadProject(workTree(root));
  const archive = proposalPorts(open.workspace, { store, domain });
  const source = (commit: string): FileSource => archive.source(commit);
  const specialist = project.spec.proposers.find((one) => one.name === name);
  if (name === searchName || specialist?.kind === "search") {
    const spec = specialist === undefined ? project.spec : withOwnedSurfaces(project.spec, specialist);
    return searchAsExaminee({ project: { ...project, spec }, source }, archive, seedOf(project));
  }
  if (specialist?.kind === "agent") throw new HarnessError("badInput", ranksNothing(name));
  const { proposer } = await openProposerNamed(name, {
    // The question is one about this lineage, where the ledger has the version.
    ...{ open: { ...open, domain }, project, store, hints: [], signal },
    refused: refusedFor({ caller, owner }),
  });
  const { rank } = proposer;
  if (rank === undefined) throw new HarnessError("badInput", ranksNothing(name));
  return proposerAsExaminee(
    { ...proposer, rank },
    { project, source },
    await evidenceToolsOf({ root, store }),
  );
}

const ranksNothing = (name: string): string =>
  `${name} is an agent, which makes one change of files at a time and ranks nothing; the exam is for the search and for models.`;

function answerOf({ moment, expected }: AnsweredMoment): ProposerExam["answers"][number] {
  const { parent, generation, drafts } = moment;
  const places = expected.map((one) => 1 + expected.filter((other) => other > one).length);
  return {
    ...{ parent: parent.name, generation },
    drafts: drafts
      .map(({ version, effect, by, metric }, i) => ({
        ...{ version, by, metric, place: places[i] ?? 0 },
        effect: Number.isFinite(effect) ? effect : null,
      }))
      .sort((a, b) => a.place - b.place),
  };
}
