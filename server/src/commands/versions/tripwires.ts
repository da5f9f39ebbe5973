import { counted, percentInterval, percentOf, setPercent, value } from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addTripwires: AddVerb = (program, { io, cwd }) => {
  program
    .command("tripwires")
    .description(
      "show how often each alarm on training curves was false on archived runs, and which alarms may stop a job",
    )
    .action(async () => tripwires(io(), cwd));
};

/** `evotrainer tripwires`: an alarm per row. */
async function tripwires(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const result = await engine.request("versions.tripwires", {});
    printResult(io, result, (result) => render(io, result));
  });
}

function render(
  io: Io,
  { alarms, runs, limit, healthyNeeded, unknown }: ResultOf<"versions.tripwires">,
): string {
  if (runs === 0) return "The archive has no training metrics: import a run, or train one.";
  return [
    paint(io, "bold", `Alarms on training curves, replayed on ${counted(runs, "archived run")}`),
    table(
      [
        ["alarm", "false alarms", "95 %", "collapses foreseen", "steps before", "stops a job"],
        ...alarms.map((a) => [
          a.name,
          a.healthy === 0
            ? "not known"
            : `${a.falseAlarms}/${a.healthy} (${percentOf(a.falseAlarms, a.healthy)})`,
          a.healthy === 0 ? "–" : percentInterval(a.low, a.high),
          a.collapsed === 0 ? "–" : `${a.early}/${a.collapsed}`,
          a.leadSteps === null ? "–" : value(a.leadSteps),
          a.mayStop
            ? a.isWanted
              ? "yes"
              : "may, if named in tripwires.stop"
            : a.isWanted
              ? "not yet"
              : "no",
        ]),
      ],
      [3, 4],
      io,
    ),
    wrap(
      `false alarms: healthy runs, whose score rose, in which the alarm fired at any step. collapses foreseen: runs whose score fell from its best, in which it fired before half of the fall was lost. An alarm may stop a job if the whole interval lies below ${setPercent(limit)}, which takes ${counted(healthyNeeded, "healthy run")} without a false alarm.`,
      io.columns,
    ),
    ...unknown.map(
      (name) => `tripwires.stop names ${name}, which is not a diagnostic over training metrics.`,
    ),
  ].join("\n");
}
