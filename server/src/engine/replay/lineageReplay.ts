import type { MetricNames } from "../../../../shared/spec/metricNames.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import { replayLineage, type RecordedVersion } from "../../decision/replay/replayLineage.ts";
import { recordedRules, type ReplayRules } from "../../decision/replay/rules.ts";
import { rulesText, summaryOf } from "../../decision/replay/sentences.ts";
import { keyMetrics } from "../../diagnosis/training.ts";
import { metricSummaries } from "../../evidence/queries/metricSummary.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { buildLineage, domainsOf } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { Repository } from "../../lineage/repository.ts";
import { loadProject, type Project } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { commitSource } from "../project/commitSource.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { defineService } from "../workspace/service.ts";
import { archivedVersion } from "./archivedVersion.ts";
import { refuseUnknown } from "./refuseUnknown.ts";
import { recordedVersion } from "./recordedVersion.ts";

/** Decides every version of a lineage again by other rules. Trains nothing and stores nothing. */
export const lineageReplay = defineService("lineage.replay", {
  repeatable: true,
  async run({ store, root }, given, { signal, progress }) {
    const { domain: asked, ...others } = given;
    const rules: ReplayRules = { ...recordedRules, ...others };
    const here = await loadProject(workTree(root));
    const { repository, entries } = await knownLineage(root, here.spec.domain);
    const domain = asked ?? here.spec.domain;
    const domains = domainsOf(entries);
    if (repository === undefined || !domains.includes(domain))
      throw new HarnessError(
        "notFound",
        domains.length === 0
          ? "There is nothing to replay yet; run `evotrainer evolve`, or import a lineage with `evotrainer import`."
          : `There is no domain "${domain}" in the lineage; choose from ${listed(domains)}.`,
      );
    const lineage = buildLineage(entries, domain);
    const byName = new Map(lineage.versions.map((v) => [v.name, v]));
    const sources = new Sources(repository, byName, here);
    if (rules.harness !== null) await sources.of(versionIn(lineage, rules.harness));
    const versions: RecordedVersion[] = [];
    for (const version of lineage.versions) {
      signal.throwIfAborted();
      progress({
        message: `reading ${version.name}`,
        done: versions.length,
        total: lineage.versions.length,
      });
      const project = await sources.labelling(version, rules);
      const recorded = version.evidence.selection?.score ?? null;
      const diagnostics = asksForLabels(rules) ? diagnosticsOf(project, domain, rules) : null;
      versions.push(
        recordedVersion(version, {
          archived: await archivedVersion(store, { version: version.name, recorded, diagnostics }),
          training: await trainingOf(store, version.name, project.spec.metricNames),
          interventions: project.interventions.map(({ spec }) => spec),
          parent: version.parent === null ? undefined : byName.get(version.parent),
        }),
      );
    }
    refuseUnknown(versions, rules, { diagnostics: here.diagnostics.map(({ spec }) => spec.name) });
    const newest = lineage.versions.at(-1);
    // The gates and the metric are those that the evolution began with.
    const { gates, metric } = (newest === undefined ? here : await sources.beganWith(newest)).spec;
    const replayed = replayLineage(versions, { rules, gates, aggregator: metric.aggregator });
    return { domain, rules: rulesText(rules), summary: summaryOf(replayed), versions: replayed.map(plain) };
  },
});

/** Lists of the contract may be changed by who gets them. */
function plain({ notes, ...version }: ReturnType<typeof replayLineage>[number]) {
  return { ...version, notes: [...notes] };
}

/** Whether the rules change which rollouts a label counts, or which of them an invalid version loses. */
const asksForLabels = ({ seeds, harness, without }: ReplayRules): boolean =>
  seeds !== null || harness !== null || without.length > 0;

function diagnosticsOf(project: Project, domain: string, { without }: ReplayRules): DiagnosticSpec[] {
  return project.diagnostics
    .map(({ spec }) => spec)
    .filter(({ name, domains }) => !without.includes(name) && (domains?.includes(domain) ?? true));
}

async function trainingOf(store: Store, version: string, metricNames: MetricNames) {
  const all = await metricSummaries(store, version);
  return { key: keyMetrics(all, metricNames), all };
}

/** The project as commits of the lineage have it; that of the work tree where a commit has none. */
class Sources {
  readonly #repository: Repository;
  readonly #versions: ReadonlyMap<string, VersionRecord>;
  readonly #otherwise: Project;
  readonly #known = new Map<string, Promise<Project>>();

  constructor(repository: Repository, versions: ReadonlyMap<string, VersionRecord>, otherwise: Project) {
    this.#repository = repository;
    this.#versions = versions;
    this.#otherwise = otherwise;
  }

  /** @throws HarnessError projectMissing, projectInvalid, gitFailed */
  of({ commit }: VersionRecord): Promise<Project> {
    const known = this.#known.get(commit) ?? loadProject(commitSource(this.#repository, commit));
    this.#known.set(commit, known);
    return known;
  }

  /** What labels a version: the version that the rules name, or the harness that its evolution began with. */
  labelling(version: VersionRecord, { harness }: ReplayRules): Promise<Project> {
    const named = harness === null ? undefined : this.#versions.get(harness);
    return named === undefined ? this.beganWith(version) : this.of(named);
  }

  /** The harness that the evolution of a version began with: its base policy has it. */
  async beganWith(version: VersionRecord): Promise<Project> {
    const seen = new Set<string>();
    let at = version;
    while (at.parent !== null && !seen.has(at.name)) {
      seen.add(at.name);
      const above = this.#versions.get(at.parent);
      if (above === undefined) break;
      at = above;
    }
    try {
      return await this.of(at);
    } catch (e) {
      // An imported version has no project, and a commit of an earlier release may not be readable.
      if (HarnessError.is(e)) return this.#otherwise;
      throw e;
    }
  }
}
