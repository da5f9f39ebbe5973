import { counted } from "../../../../shared/words/numbers.ts";
import type { BudgetReport } from "../../../../shared/protocol/results/budget.ts";
import { amountText } from "../../decision/budgets/withinBudget.ts";
import { readBudget } from "../../engine/budget/readBudget.ts";
import { findProjectRoot } from "../../engine/workspace/workspace.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addBudget: AddVerb = (program, { io, cwd }) => {
  program
    .command("budget")
    .description("show what the evolution has spent, what is left, and what the next version will take")
    .action(async () => budget(io(), cwd));
};

/** `evotrainer budget`: the budgets of the evolution. */
async function budget(io: Io, cwd: string): Promise<void> {
  const report = await readBudget(await findProjectRoot(cwd));
  printResult(io, report, (report) => render(io, report));
}

const titles: Readonly<Record<BudgetReport["budgets"][number]["name"], string>> = {
  gpuHours: "GPU hours",
  money: "money",
  wallClockHours: "hours with jobs",
  versions: "versions",
  trainings: "trainings",
  tokens: "tokens",
};

function render(io: Io, { since, currency, from, untrusted, budgets }: BudgetReport): string {
  const basis =
    from === 0
      ? `The estimate is the limit of a job, because ${untrusted === null ? "no version was trained yet" : "no version that counts here was trained"}.`
      : `The estimate comes from the jobs of ${counted(from, "version")}.`;
  return [
    since === null ? "No evolution has been started yet." : `Since the evolution began at ${since}:`,
    table(
      [
        ["", "budget", "spent", "left", "next version"],
        ...budgets.map(({ name, limit, spent, left, next }) => [
          titles[name],
          limit === null ? "no limit" : amountText(name, limit, currency),
          amountText(name, spent, currency),
          left === null ? "–" : amountText(name, left, currency),
          amountText(name, next, currency),
        ]),
      ],
      [1, 2, 3, 4],
      io,
    ),
    basis,
    ...(untrusted === null ? [] : [untrusted]),
  ].join("\n");
}
