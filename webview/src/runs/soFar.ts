import type { RunCurves } from "../../../shared/protocol/views/runs.ts";
import { versionLook } from "../../../shared/words/comparedText.ts";
import { decisionLooks, verdictLooks, type Look, type VerdictWord } from "../../../shared/words/decisions.ts";
import { points, value } from "../../../shared/words/numbers.ts";
import { shortName } from "../../../shared/words/shortName.ts";

type Series = Pick<RunCurves["series"][number], "steps" | "values">;
export type SoFar = {
  /** The last step that both have. */
  readonly step: number;
  readonly difference: number;
  readonly verdict: Exclude<VerdictWord, "withheld">;
};

/** Steps that are looked at: fewer say what the last items were, more what the run was before. */
const window = 20;
const fewest = 5;
/** Standard errors that a difference has to be away from 0. */
const errors = 2;

/**
 * How one curve lies beside another over the last steps that both have; undefined of too few. The steps of one seed have the
 * same items, so that what differs at each of them is less noisy than the curves are.
 */
export function soFar(own: Series, other: Series): SoFar | undefined {
  const at = new Map(other.steps.map((step, i) => [step, other.values[i]]));
  const pairs = own.steps.flatMap((step, i) => {
    const [a, b] = [own.values[i], at.get(step)];
    return a === undefined || b === undefined ? [] : [{ step, by: a - b }];
  });
  const last = pairs.slice(-window);
  const step = last.at(-1)?.step;
  if (step === undefined || last.length < fewest) return undefined;
  const difference = last.reduce((sum, { by }) => sum + by, 0) / last.length;
  const spread = last.reduce((sum, { by }) => sum + (by - difference) ** 2, 0) / (last.length - 1);
  const isClear = Math.abs(difference) > errors * Math.sqrt(spread / last.length);
  return {
    step,
    difference,
    verdict: !isClear ? "inside_noise" : difference > 0 ? "improved" : "regressed",
  };
}

/** Arrows and not the triangles of better and worse: nothing is decided by the items of the training. */
const looks = {
  improved: { mark: "↑", word: "above" },
  regressed: { mark: "↓", word: "below" },
  inside_noise: { mark: verdictLooks.inside_noise.mark, word: "inside the noise of" },
} as const;
const isShare = ({ values }: Series): boolean => values.every((one) => one >= 0 && one <= 1);

/** What is said of a run beside its name, with its sign; no words where nothing is known. */
export function verdictLook(
  run: RunCurves,
  runs: readonly RunCurves[],
): Pick<Look, "mark" | "colour" | "word"> {
  const { job, parent } = run;
  const unknown = (of: string) => ({
    ...verdictLooks.withheld,
    word: `not compared with ${shortName(of)} yet`,
  });
  const { mark, colour } = decisionLooks.invalid;
  if (job.notValid === true) return { mark, colour, word: "not to be trusted" };
  if (job.compared !== undefined) return versionLook(job.version, job.compared);
  const against = runs.filter((one) => one.job.version === parent);
  const beside = against.find((one) => one.job.seed === job.seed) ?? against[0];
  if (beside === undefined) return parent == null ? { ...verdictLooks.withheld, word: "" } : unknown(parent);
  if (beside.job.notValid === true) return { mark, colour, word: "its parent is not to be trusted" };
  for (const metric of ["score", "reward"] as const) {
    const [own, other] = [run, beside].map(({ series }) => series.find((one) => one.metric === metric));
    // Rewards of other terms are on another scale.
    if (metric === "reward" && run.terms?.of !== beside.terms?.of) continue;
    const found = own && other && soFar(own, other);
    if (!found) continue;
    const by =
      isShare(own) && isShare(other) && metric === "score"
        ? points(found.difference)
        : signed(found.difference);
    const what = metric === "score" ? "" : "reward ";
    const { mark: side, word } = looks[found.verdict];
    return {
      mark: side,
      colour: "foreground",
      word: `so far ${what}${word} ${shortName(beside.job.version)} in training, ${by}`,
    };
  }
  return unknown(beside.job.version);
}

const signed = (difference: number): string => `${difference > 0 ? "+" : ""}${value(difference)}`;
