import { harnessFactor } from "../project/harnessPlaces.ts";
import type { Lineage } from "../lineage/graph.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import type { Project } from "../project/project.ts";
import { chooseDrafts, seedOf, skillsOf, type Chosen } from "./chooseDrafts.ts";
import type { ProposalPorts } from "./ports.ts";
import type { Finding } from "../diagnosis/rules.ts";
import type { Tried } from "./search/novelty.ts";
import { failuresNearby } from "./standing/failuresNearby.ts";
import { isHarness } from "./standing/harnessVersions.ts";
import { isProposal } from "./standing/proposal.ts";

export interface SearchRequest {
  readonly lineage: Lineage;
  readonly project: Project;
  /** The version to change. */
  readonly parent: VersionRecord;
  readonly count: number;
}

/** To be asked outside the loop one has to know what is found wrong with a version. */
export interface SearchPorts extends Pick<
  ProposalPorts,
  "source" | "cases" | "profile" | "skills" | "trainGroups" | "trainLabels"
> {
  findings(version: string): Promise<readonly Finding[]>;
}

export interface SearchAnswer extends Chosen {
  readonly findings: readonly Finding[];
}

/** What the search would propose of a version outside the loop: without what was proposed of it before, or failed nearby. */
export async function askSearch(request: SearchRequest, ports: SearchPorts): Promise<SearchAnswer> {
  const { lineage, project, parent, count } = request;
  const findings = await ports.findings(parent.name);
  const tried = lineage.versions
    .filter((v) => isProposal(v) && (v.parent === parent.name || isHarness(v)))
    .flatMap(triedIn);
  const known = new Set(tried.map(({ name }) => name));
  const failed = project.interventions
    .filter(({ spec }) => !known.has(spec.name))
    .flatMap(({ spec }) => {
      const [last] = failuresNearby(lineage, parent, { spec }).slice(-1);
      return last === undefined ? [] : [{ name: spec.name, why: last.text }];
    });
  const chosen = await chooseDrafts({
    ...{ project, findings, count, version: parent.name, answered: {} },
    parent: ports.source(parent.commit),
    tried: [...tried, ...failed.map(({ name }) => ({ version: null, name, edit: null, isHere: true }))],
    ...{ cases: await ports.cases(), profile: await ports.profile(parent.name), archive: ports },
    skills: await ports.skills(skillsOf(project)),
    seed: seedOf(project),
  });
  const passedOver = [
    ...chosen.passedOver,
    ...failed.map(
      ({ name, why }) =>
        `${name} is passed over: ${why} Propose it all the same with \`--intervention ${name}\`.`,
    ),
  ];
  return { ...chosen, passedOver, findings };
}

/** A diagnostic that somebody wrote changes files by no edits, and is judged by its name. */
function triedIn({ name: version, intervention, factor, hypothesis }: VersionRecord): Tried[] {
  const edit = hypothesis?.spec?.edit ?? null;
  if (intervention === null || (factor === harnessFactor && edit === null)) return [];
  return [{ version, name: intervention, edit, isHere: true }];
}
