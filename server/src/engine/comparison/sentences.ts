import { inLine } from "../../base/plainText.ts";
import { verdictLooks } from "../../../../shared/words/decisions.ts";
import {
  counted,
  figure,
  percent,
  percentInterval,
  percentWithin,
  points,
  pointsApart,
  pointsInterval,
  pointsWithin,
  setPercent,
} from "../../../../shared/words/numbers.ts";
import type { PairedComparison } from "../../../../shared/protocol/results/pairedComparison.ts";
import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { VersionScore } from "./chosen.ts";
import type { GuardrailReport } from "./guardrails.ts";
import type { NoiseReport } from "./noise.ts";
import type { PickReport } from "./picked.ts";
import type { BestStep } from "./steps.ts";
import { doubtText } from "../../statistics/comparison/doubts.ts";
import type { Improvement } from "../../statistics/comparison/improvement.ts";
import type { Answer } from "../../statistics/intervals/refusal.ts";
import type { VarianceParts } from "../../statistics/scores/varianceParts.ts";

/** The comparison in sentences: difference, verdict, how it was made, what more would tell, what to doubt. */
export function comparisonText(
  version: string,
  c: Comparison,
  {
    metric = "solve_rate",
    pick,
    notValid = [],
    broken,
  }: {
    readonly metric?: string;
    readonly pick?: PickReport;
    readonly notValid?: PairedComparison["notValid"];
    readonly broken?: PairedComparison["broken"];
  } = {},
): string {
  const what = metric === "solve_rate" ? "" : `, ${metric}`;
  const lines = [
    `${version} against ${c.against}${what}: ${pointsWithin(c.difference, c.low, c.high)}, ${notValid.length > 0 ? "not valid" : verdictLooks[c.verdict].word}, ${c.items} paired items.`,
    ...notValid.map(({ version: name, says }) => `The numbers of ${name} are not to be trusted. ${says}`),
    ...aloneLines(version, c),
    ...selectedLines(version, c),
    ...(broken === undefined ? [] : brokenLines(version, c, broken)),
    ...(pick === undefined || notValid.length > 0 ? [] : pickLines(version, pick)),
  ];
  if (c.method !== undefined) lines.push(`${setPercent(c.confidence)} interval: ${c.method}.`);
  if (c.outer !== undefined)
    lines.push(
      `With unknown outcomes counted either way: ${pointsInterval(...c.outer)} points at ${setPercent(c.confidence)}.`,
    );
  if (c.itemsNeeded !== null)
    lines.push(`About ${c.itemsNeeded} items are needed to detect a difference of this size.`);
  if (c.seedsNeeded !== undefined && c.seedsNeeded !== null)
    lines.push(`About ${c.seedsNeeded} seeds of each version are needed for that.`);
  if (c.detectable !== undefined && c.detectable !== null)
    lines.push(`With these items, a difference of ${pointsApart(c.detectable)} is found in 80 of 100 cases.`);
  return [...lines, ...(c.doubts ?? []).map(doubtText)].join("\n");
}

/** What the difference leaves out, where the versions did not run the same items. */
function aloneLines(version: string, { against, items, alone }: Comparison): string[] {
  if (alone === undefined) return [];
  const rest = [
    [alone[0], against],
    [alone[1], version],
  ] as const;
  const said = rest.filter(([n]) => n > 0).map(([n, name]) => `${n} of ${name}`);
  return [
    `It is about the ${counted(items, "item")} that both have a known outcome of; further items are left out: ${said.join(" and ")}.`,
  ];
}

/** Why there is no verdict, where one version ran a selection of the items of the other one. */
function selectedLines(version: string, { against, selected }: Comparison): string[] {
  if (selected === undefined) return [];
  const { of, items, all, rate, rateOfAll } = selected;
  const [whole, part] = of === "a" ? [against, version] : [version, against];
  return [
    `${part} has ${items} of the ${all} items of ${whole}, and ${whole} solves ${percent(rate)} of these against ${percent(rateOfAll)} of all. These items seem to have been selected by how ${whole} did on them, and on such items its score would move back towards its mean by chance alone, so there is no verdict. Run ${part} on all items of ${whole}.`,
  ];
}

/** Stop reasons are texts of the evidence: each stays in its line, and a few of them say enough. */
function reasonsText(reasons: readonly string[]): string {
  const shown = reasons.slice(0, 3).map(inLine).join(", ");
  return `stop reason ${shown}${reasons.length > 3 ? ` and ${reasons.length - 3} more` : ""}`;
}

/** What failures that the policy did not make do to the difference. */
function brokenLines(
  version: string,
  { against, verdict, confidence }: Comparison,
  { a, b, reasons, without }: NonNullable<PairedComparison["broken"]>,
): string[] {
  const counts = [
    [a, against],
    [b, version],
  ] as const;
  const of = counts.filter(([n]) => n > 0).map(([n, name]) => `${counted(n, "rollout")} of ${name}`);
  const because = `Because the grader or the machine broke, ${of.join(" and ")} ${a + b === 1 ? "counts" : "count"} as failed (${reasonsText(reasons)}).`;
  if (without === null) return [`${because} Without them there is nothing to compare.`];
  const rest = `Without them: ${pointsWithin(without.difference, without.low, without.high)} at ${setPercent(confidence)}, ${verdictLooks[without.verdict].word}`;
  return verdict === "withheld" && without.verdict !== "withheld"
    ? [
        `${because} ${rest}, so there is no verdict. Evaluate them again, or import them with the outcome unknown.`,
      ]
    : [`${because} ${rest}.`];
}

/** The two scores, where they are not those that `diagnose` shows. */
export function scoreLine(
  names: { readonly a: string; readonly b: string },
  {
    metric,
    scores,
  }: { readonly metric: string; readonly scores: { readonly a: VersionScore; readonly b: VersionScore } },
): string[] {
  if (metric === "solve_rate") return [];
  const of = ({ type, score, value }: VersionScore): string => {
    if (value === null) return "unknown";
    if (score === null || ("type" in score && score.type === "refused")) return percent(value);
    return `${percentWithin(value, score.low, score.high)}${type === "over_runs" ? " over runs" : ""}`;
  };
  return [`${metric}: ${names.a} ${of(scores.a)}, ${names.b} ${of(scores.b)}.`];
}

/** What having picked the version does to its verdict; nothing when nothing was picked. */
function pickLines(version: string, pick: PickReport): string[] {
  const { corrected, candidates, steps, because, from, best, bias, biasAtMost, refused } = pick;
  if (corrected === null) return [];
  const of = [
    ...(candidates > 1 ? [`${candidates} versions${from === "asked" ? "" : ` (${because})`}`] : []),
    ...(steps > 1 ? [`${steps} pairs of evaluations`] : []),
  ].join(" and ");
  const isPicked = from === "asked" || best === version || steps > 1;
  const flattery =
    bias !== null
      ? `; the pick adds about ${pointsApart(bias)}${biasAtMost === null ? "" : `, at most ${pointsApart(biasAtMost)}`}`
      : isPicked && biasAtMost !== null
        ? `; the pick adds at most ${pointsApart(biasAtMost)}`
        : best !== null && best !== version
          ? `; ${best} is the best of them`
          : "";
  const line = `${isPicked ? "Picked from" : "One of"} ${of}: ${pointsInterval(corrected.low, corrected.high)} points at ${setPercent(corrected.confidence)}, ${verdictLooks[corrected.verdict].word}${flattery}.`;
  return refused === null ? [line] : [line, refused.message];
}

/** What else the outcomes say, one line each; details are behind options and in --json. */
export function furtherLines(result: {
  readonly version: string;
  readonly verdict: Comparison["verdict"];
  readonly seeds?: Comparison["seeds"];
  readonly improvement: Answer<Improvement & { readonly outer: readonly [number, number] | null }>;
  readonly noise: NoiseReport;
  readonly evaluations: {
    readonly used: string | number;
    readonly a: { readonly step: number | null };
    readonly b: { readonly step: number | null; readonly steps: readonly number[] };
    readonly best: Answer<BestStep> | null;
  };
  readonly guardrails: readonly GuardrailReport[];
  readonly variance: Answer<VarianceParts>;
}): string[] {
  const { version, improvement, noise, guardrails, variance, seeds = [1, 1] } = result;
  return [
    ...guardrails.map(guardrailLine),
    ...noiseLines(noise, noise.repeats === "seeds" && Math.max(...seeds) > 1),
    ...(improvement.type === "refused"
      ? []
      : [
          `Probability of improvement on an item, ties count half: ${percentWithin(improvement.value, improvement.low, improvement.high)}${improvement.outer === null ? "" : `, with unknown outcomes either way ${percentInterval(...improvement.outer)}`}.`,
        ]),
    ...evaluationLines(version, result.evaluations),
    ...(result.verdict === "inside_noise" ? varianceLines(variance) : []),
  ];
}

/**
 * How much repeated runs differ. The interval of versions with several seeds contains it already; held against the noise floor
 * once more, a difference could be outside the one and inside the other.
 */
function noiseLines(
  { version, repeats, floor, needed, exceeded }: NoiseReport,
  isInInterval: boolean,
): string[] {
  if (floor.type === "refused") return floor.reason === "one_run" ? [] : [floor.message];
  if (needed === null) return [];
  const what = {
    seeds: "seeds",
    runs: "runs, whose seeds are not recorded,",
    runs_of_one_seed: "runs with the same seed",
  }[repeats];
  const spread = `${floor.runs} ${what} of ${version} differ by ${pointsApart(floor.sd)} (standard deviation, at most ${pointsApart(floor.sdHigh)})`;
  return [
    isInInterval
      ? `${spread}; the interval takes this into account.`
      : `${spread}: noise alone explains a difference of up to ${pointsApart(needed)}, and this one is ${exceeded === true ? "larger" : "not larger"}.`,
  ];
}

function evaluationLines(
  version: string,
  { used, a, b, best }: Parameters<typeof furtherLines>[0]["evaluations"],
): string[] {
  if (used === "best")
    return [`Compared at their best evaluations: step ${a.step ?? "?"} and step ${b.step ?? "?"}.`];
  if (best === null) return [];
  const count = `${version} was evaluated at ${counted(b.steps.length, "step")}${used === "all" ? ", which all count" : ""}`;
  return best.type === "refused"
    ? [`${count}.`, best.message]
    : [
        `${count}; its best is step ${best.step} with ${percent(best.value)}, of which picking it adds about ${pointsApart(best.bias)}, at most ${pointsApart(best.biasAtMost)}.`,
      ];
}

function varianceLines(variance: Answer<VarianceParts>): string[] {
  if (variance.type === "refused") return [];
  const { between, sampling } = variance;
  const part = sampling / (between + sampling);
  return part > 0.5
    ? [
        `${percent(Math.min(1, part))} of the spread of items comes from sampling, so more samples of each item would help as well.`,
      ]
    : [];
}

const guardrailVerdict = { holds: "holds", violated: "violated", cannot_tell: "cannot tell" } as const;

function guardrailLine(g: GuardrailReport): string {
  const isShare = g.unit === "share";
  const rule =
    g.kind === "limit"
      ? `at most ${isShare ? setPercent(g.allowed) : figure(g.allowed)}`
      : `at most ${isShare ? pointsApart(g.allowed) : figure(g.allowed)} ${g.better === "higher" ? "lower" : "higher"}`;
  const point = g.kind === "limit" ? g.b : g.difference;
  const found = point === null ? "" : `: ${isShare ? shareFound(g, point) : figureFound(g, point)}`;
  const because = g.because === null ? "" : `, because ${g.because}`;
  const unknown = g.unknownMatter ? "; the unknown outcomes could change it" : "";
  return `Guardrail ${g.metric}, ${rule}: ${guardrailVerdict[g.verdict]}${found}${because}${unknown}.`;
}

function shareFound({ kind, low, high }: GuardrailReport, point: number): string {
  const [said, within] = kind === "limit" ? [percent, percentWithin] : [points, pointsWithin];
  return low === null || high === null ? said(point) : within(point, low, high);
}

const figureFound = ({ low, high }: GuardrailReport, point: number): string =>
  `${figure(point)}${low === null || high === null ? "" : ` [${figure(low)}, ${figure(high)}]`}`;

/** All of it, a sentence or two each, the verdict first: what a command prints and a view shows. */
export function comparisonSentences(
  names: { readonly a: string; readonly b: string },
  result: Comparison &
    Parameters<typeof furtherLines>[0] &
    Parameters<typeof scoreLine>[1] & {
      readonly pick: PickReport;
      readonly notValid?: PairedComparison["notValid"];
      readonly broken?: PairedComparison["broken"];
    },
): string[] {
  const { metric, pick, notValid, broken } = result;
  return [
    ...comparisonText(names.b, result, { metric, pick, notValid, broken }).split("\n"),
    ...scoreLine(names, result),
    ...furtherLines(result),
  ];
}
