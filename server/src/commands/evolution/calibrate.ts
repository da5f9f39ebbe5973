import { HarnessError } from "../../base/errors.ts";
import { inHangingBlock, inLine } from "../../base/plainText.ts";
import { openWorkspace, readLineage } from "../../engine/workspace/workspace.ts";
import { findVersion } from "../../lineage/graph.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { hostNames } from "../terminal/options.ts";
import { sentences } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";
import { Progress } from "./progress.ts";
import { watched } from "./watched.ts";
import { trustTheWriter } from "../../lineage/trust/standing.ts";

export const addCalibrate: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("calibrate")
    .description(
      "train the baseline on several seeds, and say how small a difference this project can detect",
    )
    .option(
      "--host <names>",
      "run the jobs on these hosts of evotrainer.yaml, such as 'gpu1,gpu2,here', or 'any' for all of them",
      hostNames,
    )
    .action(async (o: Given<{ host?: string[] }>) => exitWith(await calibrate(io(), cwd, o)));
};

/**
 * `evotrainer calibrate`: makes the base policy and the baseline if there are none, trains the baseline on further seeds, and
 * prints what that says. `evolve` goes on from there. Answers with the exit code.
 */
async function calibrate(
  io: Io,
  cwd: string,
  { host }: { readonly host?: readonly string[] | undefined },
): Promise<number> {
  const workspace = await openWorkspace(cwd);
  const progress = new Progress(io);
  const state = await watched(io, progress, {
    ...{ verb: "calibrate", workspace },
    until: "calibration",
    ...(host === undefined ? {} : { hosts: host }),
  });
  if (state.stopped !== null) {
    io.err(`${inHangingBlock(progress.failures.withLogs(state.stopped))}\n`);
    return exitCodes.finding;
  }
  const baseline = state.baseline ?? "";
  const found = findVersion(await readLineage(workspace, state.domain), baseline)?.calibration;
  if (found === undefined)
    throw new HarnessError(
      "notFound",
      `The ledger has no calibration of ${baseline}, although it was calibrated; run \`evotrainer evolve --restart\`, or ${trustTheWriter}.`,
    );
  const { seeds, seedNoise, evaluationNoise, items, resolvable } = found;
  const { secondsPerTraining, trainings, seconds, sentences: told } = found;
  const report = {
    ...{ baseline, seeds, seedNoise, evaluationNoise, items, resolvable },
    ...{ secondsPerTraining, trainings, seconds, sentences: told },
  };
  printResult(
    io,
    report,
    () => `Baseline ${inLine(baseline)}\n${told.map((s) => `  ${sentences(s)}\n`).join("")}`,
  );
  return exitCodes.success;
}
