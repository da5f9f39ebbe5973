import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import { countLabels } from "./countLabels.ts";
import type { Store } from "../evidence/archive/store.ts";
import { namesPassedTo } from "../predicate/compileValue.ts";
import { namedFacts, type Facts, type VersionFacts } from "../predicate/facts.ts";
import {
  alternatives,
  canFire,
  metricFunctions,
  metricsOfCondition,
  neededOf,
  type Curves,
} from "./curves.ts";
import { firingOf, firingText, heldSince } from "./firing.ts";
import { compileVersion } from "./compileVersion.ts";
import { unusable } from "./label/compileLabel.ts";
import { compileMessage } from "./label/message.ts";
import type { Finding } from "./rules.ts";
import type { MetricNames } from "../../../shared/spec/metricNames.ts";
import { metricAskedFor } from "./metricNames.ts";
import { metricsNamed } from "./training.ts";
import type { VersionValues } from "./versionFacts.ts";

/** What a diagnostic over a version says of it; nothing where it does not hold. @throws HarnessError specInvalid */
export function findingOf(spec: DiagnosticSpec, facts: Facts): Finding | undefined {
  const { label } = spec;
  if (compileVersion(spec, "when").test(facts) !== true) return undefined;
  const isCritical = label.critical !== undefined && compileVersion(spec, "critical").test(facts) === true;
  const curves = facts.version?.metric;
  const isOverCurves = metricsOfCondition(spec).length > 0;
  const firing = curves === undefined || !isOverCurves ? undefined : firingOf(spec, curves);
  const since = firing === undefined || curves === undefined ? undefined : heldSince(spec, curves);
  const message = [messageOf(spec, facts), ...fromRolloutsText(spec, curves)].join(" ");
  return {
    name: spec.name,
    severity: isCritical ? "critical" : label.severity,
    message: firing === undefined ? message : `${message} ${firingText(firing, since)}`,
    ...(firing === undefined ? {} : { firing }),
  };
}

/** Says that a curve which the condition reads was not logged, and what stands in its place. */
function fromRolloutsText(spec: DiagnosticSpec, curves: Curves | undefined): string[] {
  const computed = metricsOfCondition(spec)
    .map((name) => curves?.(name) ?? null)
    .filter((found) => found?.rollouts !== undefined);
  const [first] = computed;
  if (first?.rollouts === undefined) return [];
  const each = Math.round(first.rollouts / first.values.length);
  return [
    `The run logs no such metric: this was computed from ${first.rollouts} rollouts, at ${first.values.length} points of about ${each}.`,
  ];
}

function messageOf(spec: DiagnosticSpec, facts: Facts): string {
  const { label, params, name, description } = spec;
  if (label.message === undefined) return description ?? `${name} holds.`;
  const message = compileMessage(label.message, params);
  if (!message.ok) throw unusable(spec, "message", message.problems);
  return message.render(facts);
}

export interface VersionFactsInput {
  readonly version: string;
  readonly values: VersionValues;
  readonly labels: readonly (LabelTally & Pick<LabelCount, "name">)[];
  readonly parent?: { readonly values: VersionValues; readonly scope: EvidenceScope } | undefined;
  /** All diagnostics in use: those over versions are asked what they need, the others how often they hold. */
  readonly diagnostics: readonly DiagnosticSpec[];
  /** What the project calls the metrics of training. */
  readonly metricNames?: MetricNames | undefined;
}

/** The facts of a version for closures; what only a query knows is fetched before, by the names that are asked for. */
export async function versionFacts(store: Store, input: VersionFactsInput): Promise<Facts> {
  const { version, values, labels, parent, diagnostics, metricNames } = input;
  const asked = namesAskedOf(diagnostics, metricFunctions);
  const metrics = await metricsNamed(store, version, asked, metricNames);
  const compared = new Set(namesAskedOf(diagnostics, ["parent_rate"]));
  // A judge is asked about a sample, so that it has no rate to be compared.
  const specs = diagnostics.filter(
    (d) => d.over === "rollout" && d.label.judge === undefined && compared.has(d.name),
  );
  const ofParent: ReadonlyMap<string, LabelTally> =
    parent === undefined ? new Map() : await countLabels(store, specs, parent.scope);
  const own = new Map<string, LabelTally>(labels.map((l) => [l.name, l]));
  const functions: VersionFacts = {
    rate: (label, of) => (of === "this" ? own : ofParent).get(label) ?? null,
    metric: (name) => metrics.get(name) ?? null,
  };
  return namedFacts(values, {
    ...(parent === undefined ? {} : { parent: parent.values }),
    version: functions,
  });
}

/** A training metric that no name is known for here, and the diagnostics that would have read it. */
export interface LackingMetric {
  readonly metric: string;
  readonly diagnostics: readonly string[];
}

/** What asks whether a metric was lost has nothing to ask of one that there never was. */
const ofLoss: ReadonlySet<string> = new Set(["lost_from", "gaps", "gap_from", "gap_to", "metric_name"]);
const valueFunctions = metricFunctions.filter((name) => !ofLoss.has(name));

/** Which metrics, by what the field calls them, the diagnostics over versions ask for in vain. */
export function lackingMetrics(
  diagnostics: readonly DiagnosticSpec[],
  names: readonly string[],
  own: MetricNames = {},
): LackingMetric[] {
  const present = new Set(names);
  const lacking = new Map<string, string[]>();
  for (const spec of diagnostics) {
    const asked = neededOf(namesAskedOf([spec], valueFunctions));
    const found = asked.filter((name) => metricAskedFor(name, present, own) !== undefined);
    for (const name of asked) {
      const same = alternatives.find((group) => group.includes(name)) ?? [name];
      if (found.some((other) => same.includes(other))) continue;
      const metric = same[0] ?? name;
      const readers = lacking.get(metric) ?? [];
      lacking.set(metric, readers);
      if (!readers.includes(spec.name)) readers.push(spec.name);
    }
  }
  return [...lacking].map(([metric, readers]) => ({ metric, diagnostics: readers }));
}

/** Diagnostics over training curves that have fewer steps than these need for a verdict. */
export interface ShortCurves {
  /** The steps of the longest curve that they read. */
  readonly steps: number;
  readonly diagnostics: readonly { readonly name: string; readonly steps: number }[];
}

/** Which diagnostics over versions could read their metrics, but have too few steps of them; by how many they need. */
export function shortCurves(diagnostics: readonly DiagnosticSpec[], curves: Curves): ShortCurves | null {
  const needing: { name: string; steps: number }[] = [];
  let longest = 0;
  for (const spec of diagnostics) {
    const needed = spec.params["steps"];
    if (typeof needed !== "number" || !canFire(spec, curves)) continue;
    const steps = Math.max(...metricsOfCondition(spec).map((name) => curves(name)?.values.length ?? 0));
    if (steps >= needed) continue;
    longest = Math.max(longest, steps);
    needing.push({ name: spec.name, steps: needed });
  }
  needing.sort((a, b) => a.steps - b.steps);
  return needing.length === 0 ? null : { steps: longest, diagnostics: needing };
}

/** The constants with which the diagnostics over versions call any of the functions. */
function namesAskedOf(diagnostics: readonly DiagnosticSpec[], functions: readonly string[]): string[] {
  const names = new Set<string>();
  for (const { over, label, params } of diagnostics) {
    if (over !== "version") continue;
    const inMessage = [...(label.message ?? "").matchAll(/\{([^{}]*?)%?\}/g)].map((m) => m[1] ?? "");
    for (const text of [label.when ?? "", label.critical ?? "", ...inMessage])
      if (text !== "") for (const name of namesPassedTo(functions, text, "version", params)) names.add(name);
  }
  return [...names];
}
