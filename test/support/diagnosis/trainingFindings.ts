import { metricAskedFor } from "../../../server/src/diagnosis/metricNames.ts";
import type { Finding } from "../../../server/src/diagnosis/rules.ts";
import { findingOf } from "../../../server/src/diagnosis/versionRules.ts";
import { namedFacts, type MetricFacts } from "../../../server/src/predicate/facts.ts";
import { shippedDiagnostics } from "../../../server/src/project/library.ts";

/** What the diagnostics over a version say of these training metrics, under the names that trainers give them. */
export function trainingFindings(
  metrics: Readonly<Record<string, readonly number[]>>,
  lostFrom: Readonly<Record<string, number>> = {},
): Finding[] {
  const facts = namedFacts(
    {},
    {
      version: {
        rate: () => null,
        metric: (asked): MetricFacts | null => {
          const name = metricAskedFor(asked, new Set(Object.keys(metrics)));
          const values = name === undefined ? undefined : metrics[name];
          return name === undefined || values === undefined
            ? null
            : { name, values, steps: values.map((_, i) => i), lostFrom: lostFrom[name] };
        },
      },
    },
  );
  return shippedDiagnostics()
    .filter(({ spec }) => spec.over === "version")
    .map(({ spec }) => findingOf(spec, facts))
    .filter((f) => f !== undefined);
}
