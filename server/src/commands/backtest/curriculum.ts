import { counted, figure, percentOf, value } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { numbers, positive, seedNumber, splitOption } from "../terminal/options.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

interface Options {
  readonly prompts: number;
  readonly group?: number;
  readonly steps: number;
  readonly keep: readonly number[];
  readonly seed: number;
  readonly split?: "train" | "selection";
}

export const addCurriculum: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("curriculum [version]")
    .description(
      "try samplers and a gate on archived pass rates: how many groups of a step would give a gradient, and which items would be seen",
    )
    .option("--prompts <n>", "items of a step", positive, 16)
    .option("--group <n>", "rollouts of an item; by default as in the archive", positive)
    .option("--steps <n>", "steps of training", positive, 100)
    .option("--keep <n>", "pass rates that the gate lets in, the lowest and the highest", numbers, [0.1, 0.9])
    .option("--seed <n>", "which draw", seedNumber, 1)
    .addOption(splitOption())
    .action(async (version: string | undefined, o: Given<Options>) =>
      exitWith(await curriculum(io(), cwd, version, o)),
    );
};

/** `evotrainer curriculum [version]`: samplers on archived pass rates. Answers with the exit code. */
async function curriculum(
  io: Io,
  cwd: string,
  asked: string | undefined,
  options: Given<Options>,
): Promise<number> {
  const [low, high, ...more] = options.keep;
  if (low === undefined || high === undefined || more.length > 0 || low > high || low < 0 || high > 1)
    throw new HarnessError(
      "badInput",
      "--keep takes two shares from 0 to 1, the smaller one first, such as 0.1,0.9.",
    );
  return inspect(cwd, async (inspection) => {
    const version = await evidenceVersion(inspection, asked);
    const report = await inspection.engine.request("backtest.curriculum", {
      ...{ ...options, version, keep: [low, high] },
      ...(options.group === undefined ? {} : { group: Math.round(options.group) }),
      ...{ prompts: Math.round(options.prompts), steps: Math.round(options.steps) },
    });
    printResult(io, report, (shown) => render(io, shown));
    return exitCodes.success;
  });
}

const words = {
  uniform: "every item once per pass",
  "easy-first": "the easiest first, from 15 % of the items to all",
  gate: "the gate",
  weighted: "by p · (1 − p)",
} as const;

function render(io: Io, report: ResultOf<"backtest.curriculum">): string {
  const { version, split, items, withoutOutcome, prompts, group, steps, keep, archived, samplers } = report;
  if (items === 0)
    return `No item of ${version} has a known outcome in the ${split} split; import it with --pass-when to say what counts as solved.`;
  const rows = samplers.map(({ kind, admitted, live, starved, covered, most }) => [
    kind === "gate" ? `${words.gate} ${keep[0]} to ${keep[1]}` : words[kind],
    `${admitted}`,
    live === null ? "–" : `${value(live.mean)} of ${prompts}`,
    live === null ? "–" : `${value(live.least)} to ${value(live.most)}`,
    percentOf(starved, steps),
    percentOf(covered, items),
    `${most}`,
  ]);
  const left =
    withoutOutcome === 0 ? "" : ` ${counted(withoutOutcome, "item")} without a known outcome left out.`;
  return [
    paint(
      io,
      "bold",
      `${version}, ${split} split: ${counted(items, "item")}, ${steps} steps of ${prompts} groups of ${group}`,
    ),
    table(
      [["sampler", "items", "live groups", "from to", "starved", "covered", "most often"], ...rows],
      [1, 2, 3, 4, 5, 6],
      io,
    ),
    "",
    ...(archived.groups === 0
      ? []
      : [
          wrap(
            `In the archive ${archived.live} of ${counted(archived.groups, "group")} have both outcomes; ${figure(archived.expected)} are expected from these pass rates.`,
            io.columns,
          ),
        ]),
    wrap(
      `Live: one rollout passes and another fails. Starved: fewer than half of the groups of a step are live.${left} Pass rates stay as they are in the archive; a policy that learns changes them.`,
      io.columns,
    ),
  ].join("\n");
}
