import type { LabelCount, Score } from "../../../shared/ledger/measures.ts";
import type { MetricNames } from "../../../shared/spec/metricNames.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { metricSummaries, type MetricSummary } from "../evidence/queries/metricSummary.ts";
import { countRollouts } from "../evidence/queries/query.ts";
import { stopReasons, type StopReasonCount } from "../evidence/queries/signals.ts";
import type { EvidenceScope, SplitScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { scoreOf } from "../statistics/scores/score.ts";
import type { Aggregator } from "../statistics/scores/outcomes.ts";
import { runAnalyzers } from "./analyzerLabels.ts";
import { askJudges, type JudgedLabel, type Judgements } from "./judge/judgeVersion.ts";
import { dropOtherLabels } from "../evidence/labels/dropLabels.ts";
import type { LabelKey } from "../evidence/labels/labelKeys.ts";
import { usableLabel } from "./label/compileLabel.ts";
import type { LabelledSoFar } from "./labelledSoFar.ts";
import { labelDiagnostics, labelRollouts } from "./labelDiagnostics.ts";
import { itemOutcomes } from "./countOutcomes.ts";
import { coincidingLabels, foldFindings, foldLabels, withoutTraining } from "./foldFindings.ts";
import type { NotRun, LabelPrograms } from "./label/labelPrograms.ts";
import { alertFindings, bySeverity, judgedFindings, type Finding, type Signals } from "./rules.ts";
import { computedMetrics, keyMetrics, type KeyMetric } from "./training.ts";
import { comparedWith, signalScope, versionValues, type VersionValues } from "./versionFacts.ts";
import {
  findingOf,
  lackingMetrics,
  shortCurves,
  versionFacts,
  type LackingMetric,
  type ShortCurves,
} from "./versionRules.ts";

/** What a version's archived evidence says, layer by layer: scores, signals, behaviours. */
export interface Diagnosis {
  readonly version: string;
  /** The version whose evidence it was compared with; null when there is none. */
  readonly parent: string | null;
  readonly score: Score | null;
  /** The score when every rollout with an invalidating label counts as a fail. */
  readonly cleanScore: Score | null;
  readonly signals: Signals;
  readonly labels: readonly LabelCount[];
  /** What judges estimate from a sample. */
  readonly judged: readonly JudgedLabel[];
  /** Programs that were not run over all rollouts, and judges that were not asked. */
  readonly notRun: readonly NotRun[];
  readonly stopReasons: readonly StopReasonCount[];
  /** Metrics of training under the names of the field, with those that were computed from rollouts, and all that were logged. */
  readonly training: {
    readonly key: readonly KeyMetric[];
    readonly all: readonly MetricSummary[];
    /** What diagnostics asked for in vain, where the version has any metric. */
    readonly lacking: readonly LackingMetric[];
    /** Those that have too few steps for a verdict; null where every one has enough. */
    readonly short: ShortCurves | null;
  };
  readonly findings: readonly Finding[];
}

export interface DiagnoseOptions {
  readonly version: string;
  readonly domain: string;
  readonly diagnostics: readonly DiagnosticSpec[];
  readonly aggregator: Aggregator;
  /** Split whose behaviours and score are looked at; signals come from training where there is any. */
  readonly scope?: SplitScope;
  /** Its parent in the lineage: conditions read it as `parent`, where it has evidence. */
  readonly parent?: string | null | undefined;
  /** Its ancestors, the parent first: evaluations in a row go on through them. */
  readonly ancestors?: readonly string[] | undefined;
  /** Failure class of its last training job. */
  readonly jobFailure?: string | null | undefined;
  /** Whether its reward is made otherwise than its parent's: then their mean rewards are not compared. */
  readonly rewardDiffers?: boolean | undefined;
  /** What the project calls the metrics of training. */
  readonly metricNames?: MetricNames | undefined;
  /** How many rollouts carry each label, of a version that grows and was labelled just now: then nothing is labelled. */
  readonly labelled?: readonly Omit<LabelCount, "alert">[];
  /** For programs and judges, which are passed over without it. */
  readonly outside?: LabelPrograms;
}

const selection: SplitScope = { split: "selection" };

/**
 * Labels the version's rollouts by the diagnostics, counts its groups, and draws the conclusions of those over versions.
 * @throws HarnessError specInvalid when a diagnostic does not compile
 */
export async function diagnose(store: Store, options: DiagnoseOptions): Promise<Diagnosis> {
  const { version, scope = selection, outside } = options;
  const diagnostics = ofDomain(options.diagnostics, options.domain);
  // They take their time, and nobody has to wait for it.
  const rest =
    outside === undefined
      ? { judged: [], notRun: [] }
      : await askOutside(store, diagnostics, {
          scope: { ...scope, version },
          parent: options.parent == null ? undefined : { ...scope, version: options.parent },
          outside,
        });
  const conclude = (): Promise<Diagnosis> => diagnoseAlone(store, { ...options, diagnostics }, rest);
  // Of a version that grows the next look says it anew, and the labels of new rollouts must not wait for this.
  if (options.labelled !== undefined) return conclude();
  // Scores read the labels that were just set: nobody may set others between, say by diagnostics of another commit.
  return store.exclusive("diagnose", conclude);
}

/**
 * Labels the rollouts of a version that came since the last time, by the diagnostics whose condition is over rollouts, and
 * counts those of all of it. Takes as long as there are new rollouts, however many there were before.
 * @throws HarnessError specInvalid when a diagnostic does not compile
 */
export function labelNew(
  store: Store,
  {
    domain,
    scope,
    soFar,
    ...of
  }: Pick<DiagnoseOptions, "diagnostics" | "domain"> & {
    readonly scope: EvidenceScope;
    readonly soFar: LabelledSoFar;
  },
): Promise<Omit<LabelCount, "alert">[]> {
  const diagnostics = ofDomain(of.diagnostics, domain);
  return store.exclusive("diagnose", async () => {
    await dropOtherLabels(store, keysOf(diagnostics), scope);
    return labelRollouts(store, diagnostics, { rollouts: scope, soFar });
  });
}

/**
 * Labels the rollouts of a split, of all versions or of those that the scope names, by the diagnostics whose condition is over
 * rollouts: much faster than one version after the other, because the turns are read once and the conditions planned once. A
 * diagnosis of one of the named versions after that finds its labels set.
 * @throws HarnessError specInvalid when a diagnostic does not compile
 */
export function labelSplit(
  store: Store,
  {
    domain,
    scope,
    ...of
  }: Pick<DiagnoseOptions, "diagnostics" | "domain"> & { readonly scope: EvidenceScope },
): Promise<Omit<LabelCount, "alert">[]> {
  const diagnostics = ofDomain(of.diagnostics, domain);
  return store.exclusive("diagnose", async () => {
    await dropOtherLabels(store, keysOf(diagnostics), scope);
    return labelRollouts(store, diagnostics, { rollouts: scope });
  });
}

const ofDomain = (diagnostics: readonly DiagnosticSpec[], domain: string): DiagnosticSpec[] =>
  diagnostics.filter((d) => d.domains?.includes(domain) ?? true);

async function askOutside(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  within: {
    readonly scope: EvidenceScope;
    readonly parent: EvidenceScope | undefined;
    readonly outside: LabelPrograms;
  },
): Promise<Judgements> {
  const notRun = await runAnalyzers(store, diagnostics, within);
  const { judged, notRun: notAsked } = await askJudges(store, diagnostics, within);
  return { judged, notRun: [...notRun, ...notAsked] };
}

async function diagnoseAlone(
  store: Store,
  options: DiagnoseOptions,
  { judged, notRun }: Judgements,
): Promise<Diagnosis> {
  const { version, aggregator, scope = selection, jobFailure, ancestors, diagnostics, metricNames } = options;
  const within: EvidenceScope = { ...scope, version };
  const groups = await signalScope(store, { version, scope });
  if (options.labelled === undefined) await dropOtherLabels(store, keysOf(diagnostics), within);
  const labels = await labelDiagnostics(store, diagnostics, {
    ...{ rollouts: within, groups },
    ...(options.labelled === undefined ? {} : { labelled: options.labelled }),
  });
  const invalidating = new Set(labels.filter((l) => l.invalidates).map((l) => l.name));
  const values = await versionValues(store, { version, scope, aggregator, jobFailure, ancestors });
  const parent = await parentOf(store, options, scope);
  const facts = await versionFacts(store, { version, values, labels, parent, diagnostics, metricNames });
  const found = diagnostics.filter((d) => d.over === "version").map((spec) => findingOf(spec, facts));
  const all = await metricSummaries(store, version);
  const isTrained = groups.split === "train" || all.length > 0;
  const findings = [
    ...found.filter((f) => f !== undefined),
    ...alertFindings(labels),
    ...judgedFindings(judged),
  ];
  const coinciding = await coincidingLabels(store, labels, within);
  const folded = foldFindings(
    bySeverity(isTrained ? findings : withoutTraining(findings, diagnostics)),
    diagnostics,
    coinciding,
  );
  const computed = computedMetrics((name) => facts.version?.metric(name) ?? null);
  return {
    version,
    parent: parent === undefined ? null : (options.parent ?? null),
    score: scoreOf(await itemOutcomes(store, within), { aggregator }),
    cleanScore: scoreOf(await itemOutcomes(store, within, invalidating), { aggregator }),
    signals: numbersOf(values),
    labels: foldLabels(labels, folded, coinciding),
    judged,
    notRun,
    stopReasons: await stopReasons(store, within),
    training: {
      key: [...keyMetrics(all, metricNames), ...computed],
      all,
      lacking:
        all.length === 0
          ? []
          : lackingMetrics(
              diagnostics,
              [...all.map(({ name }) => name), ...computed.map(({ role }) => role)],
              metricNames,
            ),
      short: facts.version === undefined ? null : shortCurves(diagnostics, facts.version.metric),
    },
    findings: folded,
  };
}

/** The labels that the diagnostics set on rollouts; a judge sets none. */
const keysOf = (diagnostics: readonly DiagnosticSpec[]): LabelKey[] =>
  diagnostics
    .filter(({ over, label }) => over === "rollout" && label.judge === undefined)
    .map((spec) => ({ label: spec.name, revision: usableLabel(spec).revision }));

async function parentOf(
  store: Store,
  { parent, ancestors, aggregator, rewardDiffers }: DiagnoseOptions,
  scope: SplitScope,
): Promise<{ values: VersionValues; scope: EvidenceScope } | undefined> {
  if (parent === undefined || parent === null) return undefined;
  const within: EvidenceScope = { ...scope, version: parent };
  if ((await countRollouts(store, within)).total === 0) return undefined;
  const before = ancestors?.slice(ancestors.indexOf(parent) + 1);
  const values = await versionValues(store, { version: parent, scope, aggregator, ancestors: before });
  return { values: comparedWith(values, rewardDiffers), scope: within };
}

const numbersOf = (values: VersionValues): Signals =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number | null] => typeof entry[1] !== "string"),
  );
