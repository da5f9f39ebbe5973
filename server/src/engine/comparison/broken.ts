import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { PairedComparison } from "../../../../shared/protocol/results/pairedComparison.ts";
import { fatesOf } from "../../changes/fates.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { collectOutcomes } from "../../statistics/scores/outcomes.ts";
import type { NamedMetric } from "../../statistics/scores/metric.ts";
import { compareBy, type Evaluated } from "./chosen.ts";

const label = "verifier-error";

type Broken = NonNullable<PairedComparison["broken"]>;

/**
 * What is left of a comparison without the failures that the grader or the machine made: rollouts that count as failed and
 * whose stop reason says that something broke. No verdict stands that those alone decide. Nothing where there are none.
 */
export async function withoutBroken(
  store: Store,
  named: NamedMetric,
  { a, b }: { readonly a: Evaluated; readonly b: Evaluated },
  comparison: Comparison,
): Promise<{ verdict: Comparison["verdict"]; broken?: Broken }> {
  const { verdict } = comparison;
  const reasons = new Set([...(await brokenReasons(store, a)), ...(await brokenReasons(store, b))]);
  if (reasons.size === 0) return { verdict };
  const [of, ofB] = [spared(a, reasons), spared(b, reasons)];
  if (of.count + ofB.count === 0) return { verdict };
  const without = compareBy(named, of.evaluated, ofB.evaluated, { confidence: comparison.confidence });
  const isTold = verdict === "improved" || verdict === "regressed";
  return {
    verdict: isTold && without?.verdict !== verdict ? "withheld" : verdict,
    broken: {
      a: of.count,
      b: ofB.count,
      reasons: [...reasons].toSorted(),
      without:
        without === null
          ? null
          : {
              difference: without.difference,
              low: without.low,
              high: without.high,
              verdict: without.verdict,
            },
    },
  };
}

/** The stop reasons of failed rollouts of a version that say that the grader or the machine broke. */
async function brokenReasons(store: Store, { name, rollouts }: Evaluated): Promise<string[]> {
  if (!rollouts.some(({ outcome, stop_reason: stop }) => outcome === "fail" && stop !== null)) return [];
  const specs = shippedDiagnostics().flatMap(({ spec }) => (spec.name === label ? [spec] : []));
  const fates = await fatesOf(store, { split: "selection", version: name }, specs);
  return fates.rollouts.flatMap(({ outcome, labels, stopReason }) =>
    outcome === "fail" && stopReason !== null && labels.includes(label) ? [stopReason] : [],
  );
}

/** A version whose broken rollouts have an unknown outcome. */
function spared(
  evaluated: Evaluated,
  reasons: ReadonlySet<string>,
): { readonly count: number; readonly evaluated: Evaluated } {
  let count = 0;
  const rollouts = evaluated.rollouts.map((rollout) => {
    if (rollout.outcome !== "fail" || !reasons.has(rollout.stop_reason ?? "")) return rollout;
    count++;
    return { ...rollout, outcome: "unknown" as const };
  });
  return { count, evaluated: { ...evaluated, rollouts, outcomes: collectOutcomes(rollouts) } };
}
