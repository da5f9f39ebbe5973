import { clusteredShare, wilson } from "../../../server/src/statistics/intervals/proportions.ts";
import { arms } from "../arms.ts";
import type { ArmName, DomainName, Plan } from "../plan.ts";
import type { CellResult } from "../result.ts";
import { mean } from "../trainings.ts";
import { percent, table } from "./cells.ts";
import { median, trainingsUntil } from "./reach.ts";
import { margin, type OtherRun } from "./summary.ts";

/** What the searches of an arm did in one domain. */
interface Own {
  readonly domain: DomainName;
  readonly arm: ArmName;
  readonly searches: readonly CellResult[];
}

const searchesOf = (plan: Plan, results: readonly CellResult[]): Own[] =>
  plan.domains.flatMap((domain) =>
    plan.arms
      .filter((arm) => arms[arm].kind === "search")
      .map((arm) => ({
        ...{ domain, arm },
        searches: results.filter((one) => one.domain === domain && one.arm === arm),
      })),
  );

/** What the protocol asks of the searches beside their scores: sections of a run whose every cell is here. */
export const searchesReport = ({ plan, results }: OtherRun): string[] => {
  const all = searchesOf(plan, results);
  return [...untilReference(plan, results, all), ...predictions(all)];
};

/** The score on selection that matches the human reference in a domain, as the run measured it; null where it has not. */
function scoreToMatch(domain: DomainName, results: readonly CellResult[]): number | null {
  const human = results.filter((one) => one.arm === "human" && one.domain === domain);
  return human.length === 0 ? null : mean(human.map(({ chosen }) => chosen.selection)) - margin;
}

interface UntilReference {
  readonly domain: DomainName;
  readonly arm: ArmName;
  readonly score: number;
  readonly searches: number;
  /** How many of them kept a version with that score, of those that open no leak. */
  readonly reached: number;
  /** In the median, those of the baseline among them; Infinity where it is never. */
  readonly trainings: number;
}

const untilReferenceOf = (results: readonly CellResult[], all: readonly Own[]): UntilReference[] =>
  all.flatMap(({ domain, arm, searches }) => {
    const score = scoreToMatch(domain, results);
    if (score === null) return [];
    const needed = searches.map((one) => trainingsUntil(one, score) ?? Infinity);
    const reached = needed.filter(Number.isFinite).length;
    const trainings = median(needed) ?? Infinity;
    return [{ domain, arm, score, searches: searches.length, reached, trainings }];
  });

function untilReference(plan: Plan, results: readonly CellResult[], all: readonly Own[]): string[] {
  const found = untilReferenceOf(results, all);
  if (found.length === 0) return [];
  return [
    "## Trainings until the human reference",
    `How many searches of each arm kept a version that matches the human reference on selection, and after how many of ${plan.trainings} trainings in the median, those of the baseline among them. Such a version opens no leak, was kept on one seed or more, and scores at least as much as the reference less ${100 * margin} points. A version's score is the mean over its seeds; that of the reference is the score of its best policy on selection, mean over its ${plan.seeds.length} cells of this run. A search that never got there counts as if it had needed infinitely many trainings. A seed that a version was given later counts with its first ones. The plan does not ask for this.`,
    "Processor time goes along with trainings, though one with longer rollouts takes more; [Performance](performance.md) says, under _A training of the examples_, what one of each domain takes. The results do not have the processor time of a search until it had such a version: each has one number for its whole cell, without the jobs of the engine, without trainings that were copied, and without what ran before the cell was continued.",
    table(
      ["domain", "arm", "score to match", "searches", "got there", "trainings, median"],
      found.map(({ domain, arm, score, searches, reached, trainings }) => [
        ...[domain, arms[arm].title, percent(score), String(searches), String(reached)],
        trainings === Infinity ? "never" : String(trainings),
      ]),
    ),
  ];
}

interface Predicted {
  readonly domain: DomainName;
  readonly arm: ArmName;
  readonly changes: number;
  readonly asSaid: number;
  readonly not: number;
  readonly against: number;
  /** Of which the decision says nothing, or that nobody can tell. */
  readonly unsaid: number;
  /** Of those of which the decision says something, with its interval; null without any. */
  readonly share: { readonly value: number; readonly low: number; readonly high: number } | null;
}

export function predictedOf({ domain, arm, searches }: Own): Predicted {
  const moves = searches.map((one) => one.predictions.map(({ moved }) => moved));
  const changes = moves.flat();
  const count = (word: string): number => changes.filter((moved) => moved === word).length;
  const [asSaid, not, against] = [count("as_said"), count("not"), count("against")];
  const share = clusteredShare(
    moves.map((own) => ({
      labelled: own.filter((moved) => moved === "as_said").length,
      decided: own.filter((moved) => moved !== null && moved !== "cannot_tell").length,
    })),
  );
  return {
    ...{ domain, arm, changes: changes.length, asSaid, not, against },
    unsaid: changes.length - asSaid - not - against,
    share: share === null ? null : { value: share.share, ...wilson(share) },
  };
}

function predictions(all: readonly Own[]): string[] {
  const found = all.map(predictedOf).filter(({ changes }) => changes > 0);
  if (found.length === 0) return [];
  return [
    "## Predictions",
    "The hypothesis of each change names a metric that should rise or fall, and the decision says [what became of it](review.md#what-a-decision-says). It _came out as said_ where the interval of the metric's difference from the parent lies on the side that the hypothesis names, and _moved the other way_ where it lies on the other side; where it holds 0, the metric _did not move_. The decision says nothing of a version that is invalid or has no score, and of one that [takes an earlier change out](review.md#versions-made-from-kept-versions); nor can it tell where nothing measures the metric. The share is of the changes of which it says something; a kept version that opens a leak is among them where no diagnostic found it. Its interval is Wilson's, with 95 %, and takes into account that changes of one search may be alike; where none or all came out as said, each search counts once. The results do not say which metric was named, nor how sure a search was, so that nothing can be said of its calibration.",
    table(
      [
        ...["domain", "arm", "changes decided", "came out as said", "did not move", "moved the other way"],
        ...["no statement", "share as said, %"],
      ],
      found.map(({ domain, arm, changes, asSaid, not, against, unsaid, share }) => [
        ...[domain, arms[arm].title, ...[changes, asSaid, not, against, unsaid].map(String)],
        share === null ? "–" : `${percent(share.value)} [${percent(share.low)}, ${percent(share.high)}]`,
      ]),
    ),
  ];
}
