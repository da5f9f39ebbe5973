import { plural } from "../../../../shared/words/numbers.ts";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import type { Scalar } from "../../../../shared/spec/common.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Finding } from "../../diagnosis/rules.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { VersionRecord } from "../../lineage/graph.ts";
import { createProposal } from "../../lineage/versions.ts";
import { readLoopState } from "../../loop/state.ts";
import { titleOf, versionName } from "../../loop/steps/hypothesise.ts";
import { editedFiles, hypothesisEntry } from "../../loop/steps/intervene.ts";
import { proposeFromCatalogue } from "../../proposal/catalogue.ts";
import { loadProject, type Project } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { surfaceViolations } from "../../project/surfaces.ts";
import { readValue } from "../../project/values.ts";
import { commitSource } from "../project/commitSource.ts";
import { labelProgramsOf, refusedFor } from "../project/labelPrograms.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { backtestOf } from "./backtestEntries.ts";
import { openDomain, versionIn, type OpenDomain } from "./openDomain.ts";
import { outcomeProblems } from "./outcomeProblems.ts";
import { firstFreeNumber, isProposal } from "./proposal.ts";

export interface MakeOptions {
  readonly root: string;
  readonly store: Store;
  readonly trusted: boolean;
  readonly signal: AbortSignal;
  /** The version to change; the one that the evolution goes on from where left out. */
  readonly parent?: string;
  /** Who proposes; the catalogue chooses among the project's interventions. */
  readonly proposer: string;
  /** The intervention to propose: one of the project's by name, or one that was written for this. */
  readonly intervention?: string | InterventionSpec;
  /** How many at most, where the catalogue chooses. */
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
}

interface Idea {
  readonly spec: InterventionSpec;
  readonly because: string;
}

/**
 * Makes proposals: commits on branches of their own, recorded with hypothesis and backtest, that wait for their answer.
 * @throws HarnessError notFound, badInput when nothing can be proposed, specInvalid when it is no sound version
 */
export async function makeProposals(options: MakeOptions): Promise<MadeProposal[]> {
  const open = await openDomain(options.root);
  const parent = await parentOf(open, options.parent);
  const project = await loadProject(workTree(options.root));
  const ideas = await ideasFor(options, open, parent, project);
  const made: MadeProposal[] = [];
  const first = firstFreeNumber(open.lineage);
  for (const [i, { spec, because }] of ideas.entries())
    made.push(await makeOne(options, open, parent, { spec, because, id: versionName(first + i, spec.name) }));
  return made;
}

async function parentOf(
  { workspace, lineage, domain }: OpenDomain,
  asked: string | undefined,
): Promise<VersionRecord> {
  if (asked !== undefined) return versionIn(lineage, asked);
  const state = await readLoopState(workspace.engineFolder);
  const champion = state?.domain === domain ? state.champion : null;
  const found =
    lineage.versions.find((v) => v.name === champion) ??
    lineage.versions.findLast((v) => v.decision?.decision === "keep" || v.decision?.decision === "base");
  if (found === undefined)
    throw new HarnessError("notFound", "There is no version to change yet; run `evotrainer evolve` first.");
  return found;
}

async function ideasFor(
  options: MakeOptions,
  open: OpenDomain,
  parent: VersionRecord,
  project: Project,
): Promise<Idea[]> {
  const { intervention: asked, proposer, count } = options;
  if (asked !== undefined) {
    const spec = typeof asked === "string" ? namedIntervention(project, asked) : asked;
    const [violation] = surfaceViolations(project.spec, spec);
    if (violation !== undefined) throw new HarnessError("specInvalid", violation);
    return [{ spec, because: spec.hypothesis.because }];
  }
  if (proposer !== "catalogue")
    throw new HarnessError(
      "badInput",
      `${proposer} cannot choose by itself; name an intervention, or let the catalogue propose.`,
    );
  const earlier = open.lineage.versions.filter((v) => v.parent === parent.name && isProposal(v));
  const source = commitSource(open.workspace.repository, parent.commit);
  const files = new Map<string, string | undefined>();
  for (const { spec } of project.interventions)
    for (const { file } of spec.edit) if (!files.has(file)) files.set(file, await source.read(file));
  const findings = await findingsOf(options, open, parent, project);
  const chosen = proposeFromCatalogue({
    findings,
    interventions: project.interventions
      .map((i) => i.spec)
      .filter((spec) => surfaceViolations(project.spec, spec).length === 0),
    tried: new Set(earlier.flatMap((v) => v.intervention ?? [])),
    answered: {},
    current: (file, path): Scalar | undefined => {
      const text = files.get(file);
      return text === undefined ? undefined : readValue(text, path);
    },
  });
  if (chosen.length === 0)
    throw new HarnessError(
      "notFound",
      findings.length === 0
        ? `Nothing is found wrong with ${parent.name}, so that the catalogue has nothing to answer.`
        : `The catalogue has no intervention left for ${parent.name}: ${findings.map((f) => f.name).join(", ")} ${plural(findings.length, "is", "are")} answered by none that was not proposed before and fits its values.`,
    );
  return chosen
    .slice(0, count)
    .map(({ intervention, finding }) => ({ spec: intervention, because: finding.message }));
}

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

async function findingsOf(
  { root, store, trusted, signal }: MakeOptions,
  { domain, entries }: OpenDomain,
  parent: VersionRecord,
  { spec, diagnostics }: Project,
): Promise<readonly Finding[]> {
  const { findings } = await diagnose(store, {
    version: parent.name,
    domain,
    diagnostics: diagnostics.map((d) => d.spec),
    aggregator: spec.metric.aggregator,
    outside: labelProgramsOf(root, {
      models: spec.models,
      refused: refusedFor({ caller: trusted, owner: trusted }),
      signal,
    }),
    ...placeIn(entries, parent.name),
  });
  return findings;
}

async function makeOne(
  { store, proposer }: MakeOptions,
  open: OpenDomain,
  parent: VersionRecord,
  { spec, because, id }: Idea & { readonly id: string },
): Promise<MadeProposal> {
  const { repository, ledger } = open.workspace;
  const base = commitSource(repository, parent.commit);
  const edits = await editedFiles(spec, (file) => base.read(file));
  const before = await Promise.all(
    edits.map(async ({ path, content }) => ({
      path,
      before: (await base.read(path)) ?? null,
      after: content,
    })),
  );
  const problems = await outcomeProblems(base, before);
  if (problems.length > 0)
    throw new HarnessError("specInvalid", `${spec.name}: ${problems.slice(0, 3).join(" ")}`);
  const at = new Date();
  const title = titleOf(spec);
  const { commit } = await createProposal(repository, {
    domain: open.domain,
    id,
    parent: parent.commit,
    edits,
    message: `${title}\n\n${because}`,
    at,
  });
  const common = { at: at.toISOString(), domain: open.domain, version: id };
  const backtest = await backtestOf({
    store,
    open,
    parent: parent.name,
    parentCommit: parent.commit,
    commit,
  });
  const { summary, figures, pruned } = backtest;
  const entries: LedgerEntry[] = [
    {
      ...common,
      id: `version:${id}`,
      type: "version",
      commit,
      parent: parent.name,
      generation: parent.generation + 1,
      factor: spec.factor,
      intervention: spec.name,
      title,
    },
    { ...hypothesisEntry(spec, common), ...(proposer === "catalogue" ? {} : { proposer }) },
    { ...common, id: `backtest:${id}`, type: "backtest", summary, figures },
  ];
  if (pruned !== null)
    entries.push({
      ...common,
      id: `decision:${id}`,
      type: "decision",
      decision: "prune",
      reason: pruned,
      comparison: null,
      evidence: [],
    });
  await ledger.append(entries);
  return { id, parent: parent.name, commit, title, because, backtest: summary, dropped: pruned };
}
