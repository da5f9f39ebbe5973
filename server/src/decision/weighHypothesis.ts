import type {
  BestSteps,
  CheckedName,
  HypothesisResult,
  Movement,
  SideEffect,
} from "../../../shared/ledger/hypothesisResult.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { checkPrediction, type NamedShift } from "../changes/predictions.ts";

/** What a label or a finding did from the parent to the version, with the shares behind it. */
export interface NamedChange extends NamedShift {
  readonly over: CheckedName["over"];
  readonly from: number | null;
  readonly to: number | null;
  /** Of the difference, 95 %. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The metric of a hypothesis in the parent and in the version. */
export interface MetricMove {
  readonly unit: HypothesisResult["unit"];
  readonly from: number | null;
  readonly to: number | null;
  /** Of the difference; null where no interval keeps its level, and `because` says why. */
  readonly low: number | null;
  readonly high: number | null;
  readonly because: string | null;
}

export interface HypothesisFacts {
  readonly hypothesis: Pick<InterventionSpec["hypothesis"], "metric" | "direction">;
  /** What it answers: if that becomes rarer it was aimed at, whether or not it was predicted. */
  readonly targets: readonly string[];
  readonly fixes: readonly string[];
  readonly risks: readonly string[];
  /** Null where nothing measures the metric. */
  readonly metric: MetricMove | null;
  readonly changes: readonly NamedChange[];
  readonly bestSteps: BestSteps | null;
}

/** What became of a hypothesis: whether its metric moved as it said, what of its predictions came true, and what else moved. */
export function weighHypothesis(facts: HypothesisFacts): HypothesisResult {
  const { hypothesis, targets, metric, changes, bestSteps } = facts;
  const by = new Map(changes.map((change) => [change.label, change]));
  const checked = checkPrediction({
    ...{ version: "", parent: "", proposer: "" },
    ...{ fixes: facts.fixes, risks: facts.risks, shifts: changes },
  });
  const named = (list: typeof checked.fixes): CheckedName[] =>
    list.map(({ label: name, result }) => ({ name, result, ...spanOf(by.get(name)) }));
  const isOwn = (name: string): boolean => name === hypothesis.metric;
  const unforeseen = [
    ...checked.unforeseenFixes.filter((name) => !targets.includes(name)),
    ...checked.unforeseenRisks,
  ].filter((name) => !isOwn(name) && !facts.fixes.includes(name) && !facts.risks.includes(name));
  const { moved, because } = movement(hypothesis, metric);
  return {
    metric: hypothesis.metric,
    direction: hypothesis.direction,
    unit: metric?.unit ?? "value",
    from: metric?.from ?? null,
    to: metric?.to ?? null,
    low: metric?.low ?? null,
    high: metric?.high ?? null,
    moved,
    ...(because === null ? {} : { because }),
    fixes: named(checked.fixes),
    risks: named(checked.risks),
    sideEffects: unforeseen.flatMap((name): SideEffect[] => {
      const change = by.get(name);
      return change === undefined ? [] : [{ name, kind: change.kind, ...spanOf(change) }];
    }),
    ...(bestSteps === null ? {} : { bestSteps }),
  };
}

function spanOf(change: NamedChange | undefined): Omit<CheckedName, "name" | "result"> {
  if (change === undefined) return { over: "rollout", from: null, to: null, low: null, high: null };
  const { over, from, to, low, high } = change;
  return { over, from, to, low, high };
}

function movement(
  { metric: name, direction }: HypothesisFacts["hypothesis"],
  metric: MetricMove | null,
): { readonly moved: Movement; readonly because: string | null } {
  if (metric === null) return { moved: "cannot_tell", because: `nothing measures ${name}` };
  const { from, to, low, high, because } = metric;
  if (low === null || high === null) {
    if (from !== null && from === to) return { moved: "not", because: null };
    return { moved: "cannot_tell", because: because ?? `${name} has no interval` };
  }
  if (low <= 0 && high >= 0) return { moved: "not", because: null };
  return { moved: low > 0 === (direction === "increase") ? "as_said" : "against", because: null };
}
