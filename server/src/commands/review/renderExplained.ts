import { counted, percent, points, pointsWithin } from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { paint, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";

type Explained = ResultOf<"proposals.explain">;
type PaidMost = NonNullable<NonNullable<Explained["ranked"][number]["backtest"]>["paidMost"]>;

/** What the search did, for a terminal. */
export function renderExplained(io: Io, explained: Explained): string {
  const { parent, seed, findings, consulted, made, ranked, refused } = explained;
  const asked =
    findings.length === 0
      ? `Nothing is wrong with ${parent}, so the search had nothing to answer.`
      : `The search was asked what answers ${findings.join(", ")} in ${parent}.`;
  const replayed =
    consulted.rollouts === 0
      ? "No changed reward could be replayed."
      : `It replayed changed rewards on ${counted(consulted.rollouts, "archived rollout")}.`;
  return [
    wrap(
      `${asked} It made ${counted(made.intervention, "idea")} from interventions, ${made.skill} from skills, ${counted(made.move, "general move")} and ${counted(made.combination, "combination")} with what was tried, and consulted ${counted(consulted.cases, "decided version")}. ${replayed} Seed ${seed}.`,
      io.columns,
    ),
    ...(ranked.length === 0 ? [] : [paint(io, "bold", "Ranked"), rankedTable(io, ranked)]),
    ...ranked.flatMap((one) =>
      one.chosenFor === null && one.cases.length === 0
        ? []
        : [wrap(`${one.name}: ${one.why}`, io.columns, "  ")],
    ),
    ...(refused.length === 0
      ? []
      : [
          paint(io, "bold", "Refused"),
          ...refused.map(({ name, edits, stage, why }) =>
            wrap(`${name} (${edits.join("; ")}), ${stage}: ${why}`, io.columns, "  "),
          ),
        ]),
    wrap(
      "expected: its effect on the score, in points, with the 90 % interval. worth: the mean of the part of that effect above 0, at the cost of a usual version. * would be proposed.",
      io.columns,
    ),
  ].join("\n");
}

function rankedTable(io: Io, ranked: Explained["ranked"]): string {
  return table(
    [
      ["", "idea", "source", "change", "expected", "worth", "cost", "cases", "backtest"],
      ...ranked.map((one) => [
        one.chosenFor === null ? "" : "*",
        one.name,
        one.source,
        one.edits.join("; "),
        pointsWithin(one.expected.mean, one.expected.low, one.expected.high),
        points(one.worth),
        `×${one.cost}${one.seconds === null ? "" : `, ${Math.round(one.seconds)} s`}`,
        one.cases.length === 0 ? "–" : one.cases.map(({ version }) => version).join(" "),
        backtestText(one.backtest),
      ]),
    ],
    [5],
    io,
  );
}

const paidMostText = ({ rollouts, passed, usual }: PaidMost): string =>
  `of those it pays most ${percent(passed / rollouts)} passed (of all ${percent(usual)})`;

function backtestText(backtest: Explained["ranked"][number]["backtest"]): string {
  if (backtest === null) return "–";
  const { groups, deadBefore, deadAfter, rarer, moreFrequent, paidMost } = backtest;
  return [
    `dead groups ${deadBefore} → ${deadAfter} of ${groups}`,
    ...(rarer.length === 0 ? [] : [`less: ${rarer.join(" ")}`]),
    ...(moreFrequent.length === 0 ? [] : [`more: ${moreFrequent.join(" ")}`]),
    ...(paidMost === null ? [] : [paidMostText(paidMost)]),
  ].join("; ");
}
