import type { SkillUse } from "../../../shared/ledger/skillUse.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import type { ProposerSpec } from "../../../shared/spec/proposer.ts";
import { HarnessError } from "../base/errors.ts";
import { didYouMean } from "../base/similar.ts";
import type { Finding } from "../diagnosis/rules.ts";
import type { Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { withOwnedSurfaces } from "../project/ownedSurfaces.ts";
import { harnessFactor } from "../project/harnessPlaces.ts";
import type { Project } from "../project/project.ts";
import { askSearch, type SearchPorts } from "./askSearch.ts";
import { searchName } from "../project/proposersOf.ts";
import { backtestProposal, commitProposal } from "./commitProposal.ts";
import { draftOf, problemsText, type Draft } from "./draft.ts";
import type { ComposedDraft, ComposedDrafts, ComposePorts } from "./composedDraft.ts";
import { diagnosticDraft, type WrittenDiagnostic } from "./diagnosticDraft.ts";
import { harnessParent } from "./standing/harnessVersions.ts";
import { mergeDrafts } from "./mergeDrafts.ts";
import type { ProposalPorts } from "./ports.ts";
import { subtractDrafts } from "./subtractDrafts.ts";
import { failuresNearby } from "./standing/failuresNearby.ts";
import { firstFreeNumber, versionName } from "./standing/proposal.ts";

export interface MakeRequest {
  readonly lineage: Lineage;
  /** The project as it stands now: its interventions, and what it declares. */
  readonly project: Project;
  /** The version to change. */
  readonly parent: VersionRecord;
  /** Who proposes; the search chooses by itself. */
  readonly proposer: string;
  /** The intervention to propose: one of the project's by name, or one that was written for this. */
  readonly intervention?: string | InterventionSpec;
  /** The skill that the intervention was made with. */
  readonly skill?: SkillUse;
  /** Two kept versions to merge, instead. */
  readonly merge?: readonly [VersionRecord, VersionRecord];
  /** The kept version whose edit is taken out of the parent, instead. */
  readonly without?: VersionRecord;
  /** A diagnostic that somebody wrote, instead. */
  readonly diagnostic?: WrittenDiagnostic;
  /** How many at most, where the search chooses. */
  readonly count: number;
}

export type MakePorts = ProposalPorts &
  Pick<ComposePorts, "changes"> &
  SearchPorts & {
    /**
     * Asks a proposer of the project by its name, and checks its drafts; left out where only the search chooses.
     * @throws HarnessError badInput for a name that is none, specInvalid where no draft is sound, and those of the proposer
     */
    propose?(name: string, asked: ProposerAsked): Promise<PlacedDrafts>;
  };

/** What a proposer is asked about. */
export interface ProposerAsked {
  readonly parent: VersionRecord;
  readonly findings: readonly Finding[];
  /** How many drafts at most. */
  readonly count: number;
}

export interface MadeProposal {
  readonly id: string;
  readonly parent: string;
  readonly commit: string;
  readonly title: string;
  readonly because: string;
  readonly backtest: string;
  /** Why it will not be trained; null where it waits for its answer. */
  readonly dropped: string | null;
  /** What went wrong with the same edit nearby, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Makes proposals outside the loop: commits on the branches of proposals, recorded with hypothesis and backtest, that wait
 * for their answer. @throws HarnessError notFound, badInput when that cannot be proposed, nothingLeft when the search has no
 * change to propose, specInvalid when a check refuses it
 */
export async function makeProposals(request: MakeRequest, ports: MakePorts): Promise<Made> {
  const { drafts, passedOver } = await draftsFor(request, ports);
  const first = firstFreeNumber(request.lineage);
  const proposals: MadeProposal[] = [];
  for (const [i, draft] of drafts.entries())
    proposals.push(await makeOne(draft, versionName(first + i, draft.spec.name), request, ports));
  return { proposals, passedOver };
}

export interface Made {
  readonly proposals: readonly MadeProposal[];
  /** What the search would have chosen as well, and why it did not, a sentence each. */
  readonly passedOver: readonly string[];
}

/** A draft, and what it is made of where that is not the version that was asked about. */
export type PlacedDraft = Draft & Partial<Pick<ComposedDraft, "parent">>;

export interface PlacedDrafts extends Pick<Made, "passedOver"> {
  readonly drafts: readonly PlacedDraft[];
}

async function draftsFor(request: MakeRequest, ports: MakePorts): Promise<PlacedDrafts> {
  const { intervention: asked, proposer, parent, project, lineage } = request;
  const { merge, without, diagnostic } = request;
  const ground = { lineage, declared: project.spec, count: 1 };
  if (merge !== undefined) return composed(await mergeDrafts({ ...ground, of: merge }, ports));
  if (without !== undefined)
    return composed(await subtractDrafts({ ...ground, champion: parent, without }, ports));
  if (diagnostic !== undefined) {
    const onto = harnessParent(lineage, parent);
    const draft = await diagnosticDraft(diagnostic, ports.source(onto.commit));
    return { drafts: [{ ...draft, parent: onto }], passedOver: [] };
  }
  if (asked !== undefined) {
    const spec = typeof asked === "string" ? namedIntervention(project, asked) : asked;
    const onto = spec.factor === harnessFactor ? harnessParent(lineage, parent) : parent;
    const source = ports.source(onto.commit);
    const { skill } = request;
    const idea = {
      ...{ spec, because: spec.hypothesis.because, finding: null },
      ...(skill === undefined ? {} : { skill }),
    };
    const drafted = await draftOf(idea, { parent: source, declared: project.spec });
    if (drafted.type === "sound") return { drafts: [{ ...drafted.draft, parent: onto }], passedOver: [] };
    throw new HarnessError(drafted.reason, `${spec.name}: ${problemsText(drafted.problems)}`);
  }
  const specialist = project.spec.proposers.find(({ name }) => name === proposer);
  if (proposer !== searchName && specialist?.kind !== "search") return proposedBy(request, ports);
  const { findings, passedOver, ...chosen } = await askSearch(
    asSpecialist(request, specialist),
    specialist?.feedback === "off" ? { ...ports, cases: () => Promise.resolve([]) } : ports,
  );
  if (chosen.drafts.length === 0)
    throw new HarnessError(
      "nothingLeft",
      [nothingLeft(parent, findings), ...passedOver, whatElse(parent)].join(" "),
    );
  const drafts = chosen.drafts.map((draft) =>
    draft.spec.factor === harnessFactor ? { ...draft, parent: harnessParent(lineage, parent) } : draft,
  );
  return { drafts, passedOver };
}

/** The question as a search that owns some of the surfaces is asked it. */
function asSpecialist(request: MakeRequest, specialist: ProposerSpec | undefined): MakeRequest {
  const { project } = request;
  if (specialist === undefined) return request;
  return { ...request, project: { ...project, spec: withOwnedSurfaces(project.spec, specialist) } };
}

/** The drafts of a proposer that chooses by itself. @throws HarnessError those of the proposer */
async function proposedBy(
  { proposer: name, parent, lineage, count }: MakeRequest,
  ports: MakePorts,
): Promise<PlacedDrafts> {
  if (ports.propose === undefined)
    throw new HarnessError(
      "badInput",
      `${name} cannot choose by itself; name an intervention, or let the search propose.`,
    );
  const findings = await ports.findings(parent.name);
  const { drafts, passedOver } = await ports.propose(name, { parent, findings, count });
  const placed = drafts.map((draft) =>
    draft.spec.factor === harnessFactor ? { ...draft, parent: harnessParent(lineage, parent) } : draft,
  );
  return { drafts: placed, passedOver };
}

/** @throws HarnessError badInput with the reason why there is no such draft */
function composed(made: ComposedDrafts): ComposedDrafts {
  if (made.drafts.length === 0) throw new HarnessError("badInput", made.passedOver.join(" "));
  return made;
}

/** Why the search proposes nothing for a version. */
export function nothingLeft(
  { name }: Pick<VersionRecord, "name">,
  findings: readonly Pick<Finding, "name">[],
): string {
  return findings.length === 0
    ? `Nothing is wrong with ${name}, so the search has nothing to propose.`
    : `The search has nothing left for ${name}: every change that answers ${findings.map((f) => f.name).join(", ")} was proposed before, does not fit its values, or makes them worse on the archive. \`evotrainer propose --parent ${name} --explain\` says what it looked at.`;
}

/** What somebody can do who wants a proposal all the same. */
const whatElse = ({ name }: Pick<VersionRecord, "name">): string =>
  `Write a change yourself and propose it with \`evotrainer propose --intervention <name>\`, or ask about another version than ${name} with \`--parent <version>\`.`;

/** @throws HarnessError notFound */
function namedIntervention({ spec, interventions }: Project, name: string): InterventionSpec {
  const found = interventions.find((i) => i.spec.name === name)?.spec;
  if (found !== undefined) return found;
  const names = interventions.map((i) => i.spec.name);
  throw new HarnessError(
    "notFound",
    `There is no intervention ${name} in ${spec.interventions.join(", ")}.${didYouMean(name, names)}`,
  );
}

async function makeOne(
  draft: PlacedDraft,
  id: string,
  { lineage, parent: asked, proposer }: MakeRequest,
  ports: ProposalPorts,
): Promise<MadeProposal> {
  const { parent = asked } = draft;
  const place = {
    ...{ id, domain: lineage.domain, parent, generation: parent.generation + 1, at: ports.now() },
    proposer,
  };
  const { commit, title, entries } = await commitProposal(draft, place, ports);
  const tested = await backtestProposal({ ...place, commit }, ports);
  await ports.appendToLedger([...entries, ...tested.entries]);
  const { summary: backtest, dropped } = tested;
  const warnings = failuresNearby(lineage, parent, draft).map(({ text }) => text);
  return { id, parent: parent.name, commit, title, because: draft.because, backtest, dropped, warnings };
}
