import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { metricOf } from "../../decision/decide.ts";
import type { RecordedVersion } from "../../decision/replay/replayLineage.ts";
import type { ReplayRules } from "../../decision/replay/rules.ts";

/**
 * Refuses rules that name what no version of the lineage has: a replay by them would say that nothing changes.
 * @throws HarnessError badInput
 */
export function refuseUnknown(
  versions: readonly RecordedVersion[],
  { guardrails, without }: ReplayRules,
  { diagnostics }: { readonly diagnostics: readonly string[] },
): void {
  const measured = versions.flatMap(({ decided }) => (decided === null ? [] : [decided.trained.measured]));
  const labels = new Set([...diagnostics, ...measured.flatMap((m) => m.labels.map(({ name }) => name))]);
  for (const name of without)
    if (!labels.has(name) && !versions.some(({ targets }) => targets.includes(name)))
      throw new HarnessError(
        "badInput",
        `There is no diagnostic ${name} in this lineage or in the project; \`evotrainer diagnose\` lists those that there are.${didYouMean(name, labels)}`,
      );
  for (const { metric } of guardrails) {
    if (measured.some((m) => metricOf(m, metric) !== null)) continue;
    const known = [
      "solve_rate",
      ...labels,
      ...measured.flatMap((m) => [
        ...Object.keys(m.signals),
        ...(m.training?.all ?? []).map(({ name }) => name),
      ]),
    ];
    throw new HarnessError(
      "badInput",
      `No version of this lineage has a value of ${metric}, so it cannot be a guardrail; use solve_rate, a label, or a signal that \`evotrainer diagnose\` shows.${didYouMean(metric, new Set(known))}`,
    );
  }
}
