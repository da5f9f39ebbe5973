import { join } from "node:path";
import {
  runProgram,
  type ProgramCommand,
  type ProgramEnd,
  type ProgramStart,
} from "../../lineage/gitProcess/program.ts";
import { smallProcess } from "../../lineage/gitProcess/smallProcess.ts";
import { jobFiles } from "../job/jobEnd.ts";
import { baseEnvironment } from "../job/jobSpec.ts";

/**
 * Runs one verb of the keeper. It may be run once more when the process that started it has ended: every verb can be
 * repeated. Ctrl+C in a terminal goes to all of its group: a job that is being handed over is handed over whole.
 */
export async function runKeeper(
  keeper: string,
  args: readonly string[],
  input?: Buffer,
): Promise<Pick<ProgramEnd, "out" | "err">> {
  const command: ProgramCommand = {
    ...{ program: "/bin/sh", args: [keeper, ...args], cwd: "/", env: baseEnvironment() },
    ...(input === undefined ? {} : { input }),
  };
  const small = smallProcess();
  if (small === undefined) return runProgram(command);
  return small.program(command).catch(() => runProgram(command));
}

/** Starts the keeper of a job, which outlives this process. @returns whether it has failed, as soon as it is over */
export async function startKeeper(
  keeper: string,
  directory: string,
  onStart: (start: ProgramStart) => void,
): Promise<boolean> {
  const command: ProgramCommand = {
    ...{ program: "/bin/sh", args: [keeper, "keep", directory], cwd: directory, env: baseEnvironment() },
    log: join(directory, jobFiles.keeperLog),
  };
  try {
    return (await (smallProcess()?.program(command, onStart) ?? runProgram(command, onStart))).code !== 0;
  } catch {
    // Nobody saw its end, so that nobody can say that it failed; whether it lives is seen from its files.
    return false;
  }
}
