import { moments } from "../../../server/src/statistics/distributions/moments.ts";
import { studentQuantile } from "../../../server/src/statistics/distributions/student.ts";
import type { Plan } from "../plan.ts";
import { bounds, percent, points, table } from "../report/cells.ts";
import { crossedDifference, pairedRows, type Difference } from "../report/statistics.ts";
import { mean } from "../trainings.ts";
import { filters, type FilterKind, type PhantomResult } from "./phantomResult.ts";

type Step = PhantomResult["steps"][number];

/** Results by filter, in the order of the seeds. */
type ByFilter = Readonly<Record<FilterKind, readonly PhantomResult[]>>;

const byFilter = (plan: Plan, results: readonly PhantomResult[]): ByFilter => {
  const of = (kind: FilterKind): PhantomResult[] =>
    plan.seeds.flatMap((seed) => results.find((one) => one.filter === kind && one.seed === seed) ?? []);
  return { none: of("none"), std: of("std"), outcome: of("outcome") };
};

/** The section on phantom signal: nothing while nothing is here, all of it once everything is. */
export function phantomReport(plan: Plan, results: readonly PhantomResult[]): string[] {
  if (results.length === 0) return [];
  const of = byFilter(plan, results);
  const wanted = filters.length * plan.seeds.length;
  const head = [
    "## Phantom signal",
    `The reward of math's baseline also pays an answer that is close, so rewards differ in groups in which every rollout fails. The plan \`${plan.name}\` asks [at which step \`phantom-signal\` warns of that, and at which the score falls](experiment-plan.md#phantom-signal). ${results.length} of its ${wanted} trainings are here.`,
  ];
  if (results.length < wanted) return head;
  const steps = (of.none[0]?.steps ?? []).map(({ step }) => step);
  return [
    ...head,
    `Means over ${plan.seeds.length} seeds. *Phantom*: of the groups whose rewards differ, the share in which all rollouts have the same outcome, with \`filter.kind: none\`. *Warns*: with how many seeds \`phantom-signal\` labels the rollouts of this step alone, because that share is above 30 %, by filter. The other columns are percent of the step's training rollouts that pass, by filter, and the differences in points, paired by seed, each interval with 95 % by itself.`,
    stepTable(steps, of),
    warningText(of.none),
    ...filters.map((kind) => fallText(kind, steps, of[kind])),
    "At the end:",
    endTable(of),
  ];
}

const stepOf = ({ steps }: PhantomResult, wanted: number): Step | undefined =>
  steps.find(({ step }) => step === wanted);
const warningsAt = (all: readonly PhantomResult[], step: number): string =>
  `${all.filter((one) => stepOf(one, step)?.warns === true).length} of ${all.length}`;
const passedAt = (all: readonly PhantomResult[], step: number): number[] =>
  all.map((one) => stepOf(one, step)?.passed ?? NaN);

function stepTable(steps: readonly number[], of: ByFilter): string {
  const heads = [
    ...["step", "phantom", ...filters.map((kind) => `warns, ${kind}`)],
    ...[...filters, "std − none", "outcome − none"],
  ];
  const rows = steps.map((step) => {
    const at = of.none.flatMap((one) => stepOf(one, step) ?? []);
    const shares = at.flatMap(({ phantom }) => phantom ?? []);
    return [
      String(step),
      shares.length === 0 ? "–" : percent(mean(shares)),
      ...filters.map((kind) => warningsAt(of[kind], step)),
      ...filters.map((kind) => percent(mean(passedAt(of[kind], step)))),
      ...(["std", "outcome"] as const).map((kind) =>
        differenceText(pairedDifference(passedAt(of[kind], step), passedAt(of.none, step))),
      ),
    ];
  });
  return table(heads, rows);
}

/** The mean of what the first has more than the other, seed by seed, with its 95 % interval; null with fewer than two seeds. */
export function pairedDifference(a: readonly number[], b: readonly number[]): Difference | null {
  const all = a.map((value, i) => value - (b[i] ?? NaN));
  if (all.length < 2) return null;
  const { n, variance } = moments(all);
  const half = studentQuantile(0.975, n - 1) * Math.sqrt(variance / n);
  return { difference: mean(all), low: mean(all) - half, high: mean(all) + half };
}

const differenceText = (found: Difference | null): string =>
  found === null ? "–" : `${points(found.difference)} ${bounds(found)}`;

function warningText(none: readonly PhantomResult[]): string {
  const first = none.map(({ steps }) => steps.find(({ warns }) => warns)?.step ?? null);
  const at = new Map<number | null, number>();
  for (const step of first) at.set(step, (at.get(step) ?? 0) + 1);
  const said = [...at].map(([step, seeds]) => `${step === null ? "never" : `at step ${step}`} with ${seeds}`);
  return `Without a filter, \`phantom-signal\` first warns ${said.join(", ")} of the ${none.length} seeds.`;
}

/**
 * The first step whose score lies below that of the step with the highest mean before it, by an interval that excludes 0, paired by
 * seed; null where there is none.
 */
export function fallOf(
  steps: readonly number[],
  all: readonly PhantomResult[],
): { readonly from: number; readonly step: number; readonly by: Difference } | null {
  let highest = steps[0] ?? 0;
  for (const step of steps.slice(1)) {
    const by = pairedDifference(passedAt(all, step), passedAt(all, highest));
    if (by !== null && by.high < 0) return { from: highest, step, by };
    if (mean(passedAt(all, step)) > mean(passedAt(all, highest))) highest = step;
  }
  return null;
}

function fallText(kind: FilterKind, steps: readonly number[], all: readonly PhantomResult[]): string {
  const fall = fallOf(steps, all);
  return fall === null
    ? `With \`${kind}\`, the score falls at no step by the rule of the plan.`
    : `With \`${kind}\`, the score falls at step ${fall.step}: ${differenceText(fall.by)} points against step ${fall.from}.`;
}

function endTable(of: ByFilter): string {
  const scores = (kind: FilterKind, what: "audit" | "shifted"): string =>
    percent(mean(of[kind].map((one) => mean(one[what]))));
  const against = (kind: FilterKind, what: "audit" | "shifted"): string =>
    kind === "none"
      ? ""
      : differenceText(
          crossedDifference(
            pairedRows(
              of[kind].map((one) => one[what]),
              of.none.map((one) => one[what]),
            ),
            0.95,
          ),
        );
  return table(
    ["filter", "selection", "audit", "against none", "shifted", "against none"],
    filters.map((kind) => [
      ...[`\`${kind}\``, percent(mean(of[kind].map(({ selection }) => selection)))],
      ...[scores(kind, "audit"), against(kind, "audit"), scores(kind, "shifted"), against(kind, "shifted")],
    ]),
  );
}
