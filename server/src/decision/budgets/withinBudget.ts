import { counted, plural } from "../../../../shared/words/numbers.ts";
import { budgetNames, type Amounts, type BudgetName, type Limits } from "./spending.ts";
import type { Estimate } from "./estimate.ts";

export interface BudgetQuestion {
  readonly limits: Limits;
  readonly spent: Amounts;
  /** What the next spending will take, or null where it is only asked whether anything is left. */
  readonly next: Estimate | null;
}

/** Whether the next spending fits, or which budget ends it. `spent`: nothing is left; `tooLittle`: it would not be enough. */
export type Within =
  | { readonly fits: true }
  | {
      readonly fits: false;
      readonly budget: BudgetName;
      readonly how: "spent" | "tooLittle";
      readonly limit: number;
      readonly spent: number;
      readonly next: number;
    };

const slack = 1e-9;

/**
 * Asked before each spending. An estimate that nothing was measured for is a bound and not an expectation: it ends nothing
 * while something is left, or else a first version could never be measured.
 */
export function withinBudget({ limits, spent, next }: BudgetQuestion): Within {
  for (const budget of budgetNames) {
    const limit = limits[budget];
    if (limit === undefined) continue;
    const [used, wanted] = [spent[budget], next?.each[budget] ?? 0];
    const about = { budget, limit, spent: used, next: wanted };
    // Training uses no tokens: a project that allows none may train as long as nobody asks a model.
    const isCount = budget === "versions" || budget === "trainings";
    const isUsed = budget === "tokens" ? used > 0 : !isCount || next === null || wanted > 0;
    const isOver = used >= limit - slack && isUsed;
    if (isOver) return { fits: false, how: "spent", ...about };
    const isKnown = isCount || (next !== null && next.from > 0);
    if (isKnown && used + wanted > limit + slack) return { fits: false, how: "tooLittle", ...about };
  }
  return { fits: true };
}

/** The amount of a budget with its unit. */
export function amountText(budget: BudgetName, value: number, currency: string | null): string {
  switch (budget) {
    case "gpuHours":
      return `${rounded(value)} GPU hours`;
    case "money":
      return `${rounded(value)} ${currency ?? "of money"}`;
    case "wallClockHours":
      return `${rounded(value)} ${plural(value, "hour")}`;
    case "versions":
      return counted(value, "version");
    case "trainings":
      return counted(value, "training");
    case "tokens":
      return counted(Math.round(value), "token");
  }
}

const rounded = (value: number): string =>
  value === 0 ? "0" : value < 0.01 ? value.toPrecision(2) : String(Math.round(value * 100) / 100);

/** Why an evolution stops at its budget, what is left undone, and how it goes on. */
export function budgetText(
  within: Extract<Within, { fits: false }>,
  { currency, undone }: { readonly currency: string | null; readonly undone: string },
): string {
  const { budget, how, limit, spent, next } = within;
  const of = amountText(budget, limit, currency);
  const state =
    how === "spent"
      ? `The budget of ${of} is spent (${amountText(budget, spent, currency)} used).`
      : `The budget of ${of} is not enough: ${amountText(budget, spent, currency)} are used, and the next version takes about ${amountText(budget, next, currency)}.`;
  return `${state} ${undone} Raise \`budgets.${budget}\` in evotrainer.yaml, commit, and run \`evotrainer evolve\` to continue from here.`;
}
