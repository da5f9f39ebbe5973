import { HarnessError } from "../../base/errors.ts";
import { distrustText } from "../../../../shared/model/distrust.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { distrustOfRecord } from "../../decision/distrustOfRecord.ts";
import { reportedScores } from "../../evidence/queries/reportedScores.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { flipsOf } from "../../statistics/comparison/flips.ts";
import type { ItemMetric } from "../../statistics/scores/outcomes.ts";
import { pairItems, whyNotPaired } from "../../statistics/scores/pairs.ts";
import { performanceProfile } from "../../statistics/comparison/profiles.ts";
import { varianceParts } from "../../statistics/scores/varianceParts.ts";
import { runScores } from "../../statistics/scores/runScores.ts";
import { projectOrBare } from "../project/bareProject.ts";
import {
  compareBy,
  evaluated,
  itemMetricOf,
  measuredVersions,
  metricOrThrow,
  scoreBy,
  type Evaluated,
} from "../comparison/chosen.ts";
import { withoutBroken } from "../comparison/broken.ts";
import { guardrailReports } from "../comparison/guardrails.ts";
import { improvementOf } from "../comparison/improvementOf.ts";
import { noiseOf } from "../comparison/noise.ts";
import { familyOf, pickReport } from "../comparison/picked.ts";
import { comparisonSentences } from "../comparison/sentences.ts";
import { bestStepOf } from "../comparison/steps.ts";
import { unmeasured } from "../comparison/unmeasured.ts";
import { flipDivergence, type FlipDivergence } from "./flipDivergence.ts";
import { assertComparable } from "../project/comparable.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { defineService } from "../workspace/service.ts";

const thresholds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/**
 * Paired comparison of version `b` with `a` on the selection split, with the items that flipped; for the `divergences`
 * largest flips also where a passing and a failing rollout part. docs/statistics.md says what each field means.
 * @throws HarnessError notComparable when they were not measured on the same
 */
export const versionsCompare = defineService("versions.compare", {
  repeatable: true,
  async run(
    { store, root },
    { a: nameA, b: nameB, divergences, step, pickedFrom, guardrails, with: given, ...asked },
  ) {
    const { aggregator, domain } = await projectOrBare(root, given);
    const named = metricOrThrow(asked.metric, aggregator);
    const { metric } = named;
    const lineage = await knownLineage(root, domain);
    const byName = lineage.byName();
    const doubts = await assertComparable(lineage, nameA, nameB);
    const choice = { step, metric };
    const a = await evaluated(store, nameA, choice);
    const b = await evaluated(store, nameB, choice);
    const comparison = compareBy(named, a, b, { confidence: 0.95 });
    if (comparison === null) {
      const scores = await scoresInstead(store, [a, b]);
      const lacks = scores === "" && typeof step !== "number" ? await unmeasured(store, [a, b]) : "";
      const why = lacks === "" ? whyNone(a, b, step, itemMetricOf(metric)) : lacks;
      throw new HarnessError("notFound", `${why}${scores}`);
    }
    const measured = await measuredVersions(store);
    const family = familyOf(nameA, nameB, byName, measured);
    const others = [];
    for (const name of family.versions.length > 1 ? family.versions : [])
      others.push(name === nameB ? b : await evaluated(store, name, choice));
    const steps = step === "best" ? Math.max(1, a.steps.length) * Math.max(1, b.steps.length) : 1;
    const compared = { store, root, given, a, b, aggregator };
    const { flips: found, ...counts } = flipsOf(a.outcomes, b.outcomes);
    const flips = [];
    for (const [i, flip] of found.entries()) {
      const divergence: FlipDivergence | null =
        i < divergences ? await flipDivergence(store, flip, { a: a.rollouts, b: b.rollouts }) : null;
      flips.push({ ...flip, divergence });
    }
    const whole = step === "all" ? b : await evaluated(store, nameB, { step: "all", metric });
    const result = {
      version: nameB,
      ...comparison,
      ...(await withoutBroken(store, named, { a, b }, comparison)),
      metric: named.name,
      scores: { a: scoreBy(named, a), b: scoreBy(named, b) },
      improvement: improvementOf(a.outcomes, b.outcomes),
      noise: noiseOf(a, b, metric, comparison.difference),
      pick: pickReport(named, a, b, { family, asked: pickedFrom, steps, others }),
      evaluations: {
        used: step,
        a: { steps: [...a.steps], step: a.step },
        b: { steps: [...b.steps], step: b.step },
        best: bestStepOf(whole, metric),
      },
      guardrails: await guardrailReports(compared, guardrails, byName.get(nameB)?.intervention ?? null),
      variance: varianceParts(pairItems(a.outcomes, b.outcomes, itemMetricOf(metric))),
      profile: asked.profile ? { a: profileOf(a), b: profileOf(b) } : null,
      flipped: counts,
      flips,
      ...notValidOf([byName.get(nameA), byName.get(nameB)]),
    };
    const sentences = [...comparisonSentences({ a: nameA, b: nameB }, result), ...doubts];
    return { ...result, sentences };
  },
});

/** Of these versions, those that are not to be trusted: a difference to one of them says nothing. */
function notValidOf(versions: readonly (VersionRecord | undefined)[]): {
  notValid?: { version: string; says: string }[];
} {
  const notValid = versions.flatMap((version) => {
    const distrust = version === undefined ? undefined : distrustOfRecord(version);
    if (version === undefined || distrust === undefined) return [];
    return [{ version: version.name, says: distrustText(distrust, version.decision?.reason ?? "") }];
  });
  return notValid.length === 0 ? {} : { notValid };
}

const profileOf = ({ outcomes }: Evaluated): ReturnType<typeof performanceProfile> =>
  performanceProfile(
    runScores(outcomes).filter((runs) => runs.length > 0),
    thresholds,
  );

/** What is left to compare where a version came as a score. */
async function scoresInstead(store: Store, versions: readonly Evaluated[]): Promise<string> {
  for (const { name, rollouts } of versions)
    if (rollouts.length === 0 && (await reportedScores(store, name)).length > 0)
      return ` ${name} is known by a score without rollouts; \`evotrainer compare\` says how far scores can be compared.`;
  return "";
}

function whyNone(a: Evaluated, b: Evaluated, step: string | number, metric: ItemMetric): string {
  if (typeof step === "number") {
    const lacking = [a, b].filter((v) => v.steps.length > 0 && !v.steps.includes(step));
    const [first] = lacking;
    if (first !== undefined)
      return `${first.name} was not evaluated at step ${step}; it was at ${first.steps.join(", ")}.`;
  }
  return whyNotPaired(a, b, metric)?.message ?? `${a.name} and ${b.name} cannot be compared.`;
}
