import type { LabelCount, Score } from "../../../shared/model/ledger.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../base/errors.ts";
import { labelRollouts } from "../evidence/labels.ts";
import { metricSummaries, type MetricSummary } from "../evidence/metricSummary.ts";
import { groupSignals, stopReasons, type StopReasonCount } from "../evidence/signals.ts";
import type { EvidenceScope, SplitScope } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import { scoreOf } from "../statistics/score.ts";
import type { Aggregator } from "../statistics/outcomes.ts";
import { behaviourSignals } from "./behaviour.ts";
import { compileLabel } from "./compileLabel.ts";
import { itemOutcomes } from "./outcomes.ts";
import { bySeverity, findings, type Finding, type Signals } from "./rules.ts";
import { keyMetrics, trainingFindings, type KeyMetric } from "./training.ts";

/** What a version's archived evidence says, layer by layer: scores, signals, behaviours. */
export interface Diagnosis {
  readonly version: string;
  readonly score: Score | null;
  /** The score when every rollout with an invalidating label counts as a fail. */
  readonly cleanScore: Score | null;
  readonly signals: Signals;
  readonly labels: readonly LabelCount[];
  readonly stopReasons: readonly StopReasonCount[];
  /** Metrics of training under the names of the field, and all of them. */
  readonly training: { readonly key: readonly KeyMetric[]; readonly all: readonly MetricSummary[] };
  readonly findings: readonly Finding[];
}

export interface DiagnoseOptions {
  readonly version: string;
  readonly domain: string;
  readonly diagnostics: readonly DiagnosticSpec[];
  readonly aggregator: Aggregator;
  /** Split whose behaviours and score are looked at; signals come from training where there is any. */
  readonly scope?: SplitScope;
}

const selection: SplitScope = { split: "selection" };
const training: SplitScope = { split: "train" };

/**
 * Labels the version's rollouts by the diagnostics and draws the conclusions of domain.md §4.
 * @throws HarnessError specInvalid when a diagnostic does not compile
 */
export function diagnose(store: Store, options: DiagnoseOptions): Promise<Diagnosis> {
  // Scores read the labels that were just set: nobody may set others between, say by diagnostics of another commit.
  return store.exclusive("diagnose", () => diagnoseAlone(store, options));
}

async function diagnoseAlone(store: Store, options: DiagnoseOptions): Promise<Diagnosis> {
  const { version, aggregator, scope = selection } = options;
  const within: EvidenceScope = { ...scope, version };
  const diagnostics = options.diagnostics.filter((d) => d.domains?.includes(options.domain) ?? true);
  const labels: LabelCount[] = [];
  for (const spec of diagnostics) labels.push(await labelWith(store, spec, within));
  const invalidating = new Set(labels.filter((l) => l.invalidates).map((l) => l.name));
  const score = scoreOf(await itemOutcomes(store, within), { aggregator });
  const signals = await signalsOf(store, version, within);
  const all = await metricSummaries(store, version);
  const key = keyMetrics(all);
  return {
    version,
    score,
    cleanScore: scoreOf(await itemOutcomes(store, within, invalidating), { aggregator }),
    signals,
    labels,
    stopReasons: await stopReasons(store, within),
    training: { key, all },
    findings: bySeverity([...findings(signals, labels, score), ...trainingFindings(key)]),
  };
}

async function labelWith(store: Store, spec: DiagnosticSpec, scope: EvidenceScope): Promise<LabelCount> {
  const compiled = compileLabel(spec);
  if (!compiled.ok)
    throw new HarnessError(
      "specInvalid",
      `The diagnostic ${spec.name} cannot be used: label.${compiled.key}: ${compiled.problems[0]?.message ?? ""} \`evotrainer check\` says where.`,
    );
  const { when, evidence, revision } = compiled.label;
  const { rollouts, labelled } = await labelRollouts(store, {
    scope,
    label: spec.name,
    revision,
    where: { sql: when, params: [] },
    ...(evidence === null ? {} : { evidence: { sql: evidence, params: [] } }),
  });
  return {
    name: spec.name,
    severity: spec.label.severity,
    labelled,
    rollouts,
    alert: alertOf(spec, rollouts === 0 ? 0 : labelled / rollouts),
    invalidates: spec.label.invalidates,
    revision,
  };
}

function alertOf({ alert }: DiagnosticSpec, rate: number): LabelCount["alert"] {
  if (alert === undefined) return null;
  if (alert.critical !== undefined && rate > alert.critical) return "critical";
  return rate > alert.above ? "warning" : null;
}

async function signalsOf(store: Store, version: string, within: EvidenceScope): Promise<Signals> {
  const trained = await groupSignals(store, { ...training, version });
  const groups = trained.groups > 0 ? trained : await groupSignals(store, within);
  return {
    dead_group_ratio: groups.deadGroupRatio,
    top_reward_share: groups.topShare,
    reward_spread: groups.spread,
    ...(await behaviourSignals(store, within)),
  };
}
