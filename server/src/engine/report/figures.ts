import type { EvolutionReport, ReportedVersion } from "../../../../shared/report/evolutionReport.ts";
import { percent } from "../../../../shared/words/numbers.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";

/** The looks at the selection split that decided on versions, in the order of their times. */
export function selectionOf(versions: readonly VersionRecord[]): EvolutionReport["selection"] {
  const comparisons = versions.flatMap(({ name, screenings, decisions }) =>
    [
      ...screenings.map(({ at, comparison }) => ({ at, comparison, purpose: "screening" as const })),
      ...decisions.map(({ at, comparison }) => ({ at, comparison, purpose: "decision" as const })),
    ].flatMap(({ at, comparison, purpose }) =>
      comparison === null ? [] : [{ at, version: name, against: comparison.against, purpose }],
    ),
  );
  comparisons.sort((a, b) => a.at.localeCompare(b.at));
  return { looks: comparisons.length, comparisons };
}

/** When the audit split was opened, and for what. */
export function sealedOf(versions: readonly VersionRecord[]): EvolutionReport["sealed"] {
  return versions
    .flatMap(({ name, evidence: { audit }, promotion }) => [
      ...(audit === undefined
        ? []
        : [
            {
              ...{ at: audit.at, version: name, what: "measured" as const },
              says: audit.score === null ? "No outcome is known." : `Score ${percent(audit.score.value)}.`,
            },
          ]),
      ...(promotion === undefined
        ? []
        : [{ at: promotion.at, version: name, what: "promoted" as const, says: promotion.reason }]),
    ])
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** What the jobs took, as the ledger and the records of the machines say. */
export function costsOf(
  versions: readonly ReportedVersion[],
  machines: EvolutionReport["costs"]["machines"],
): EvolutionReport["costs"] {
  const jobs = versions.flatMap((version) => version.jobs);
  const known = jobs.flatMap(({ seconds, gpus }) => (seconds === null ? [] : [{ seconds, gpus }]));
  const onGpus = known.filter(({ gpus }) => gpus !== null);
  const prices = new Map<string, number>();
  for (const { price } of jobs)
    if (price !== null) prices.set(price.currency, (prices.get(price.currency) ?? 0) + price.amount);
  return {
    jobs: jobs.length,
    seconds: known.reduce((sum, { seconds }) => sum + seconds, 0),
    withoutSeconds: jobs.length - known.length,
    gpuHours:
      onGpus.length === 0
        ? null
        : onGpus.reduce((sum, { seconds, gpus }) => sum + (seconds * (gpus ?? 0)) / 3600, 0),
    prices: [...prices].map(([currency, amount]) => ({ amount, currency })),
    machines,
  };
}

/** What became of the proposals of each proposer, by name. */
export function proposersOf(versions: readonly ReportedVersion[]): EvolutionReport["proposers"] {
  const proposals = versions.filter(({ parent, hypothesis }) => parent !== null && hypothesis !== null);
  const names = [...new Set(proposals.map(({ author }) => author ?? "unknown"))].sort();
  return names.map((proposer) => {
    const own = proposals.filter(({ author }) => (author ?? "unknown") === proposer);
    const count = (...words: string[]): number =>
      own.filter(({ decisions }) => words.includes(decisions.at(-1)?.decision ?? "")).length;
    return {
      proposer,
      proposed: own.length,
      kept: count("keep", "merge"),
      rejected: count("reject", "revert"),
      invalid: count("invalid"),
      refused: count("prune"),
      open: own.filter(({ decisions }) => decisions.length === 0).length,
    };
  });
}

/** The diagnostics that labelled rollouts, with the newest revision of each. */
export function diagnosticsOf(versions: readonly VersionRecord[]): EvolutionReport["specs"]["diagnostics"] {
  const revisions = new Map<string, string | null>();
  for (const { evidence } of versions)
    for (const { name, revision } of evidence.selection?.labels ?? []) revisions.set(name, revision ?? null);
  return [...revisions]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, revision]) => ({ name, revision }));
}
