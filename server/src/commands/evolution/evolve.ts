import { userInfo } from "node:os";
import { HarnessError } from "../../base/errors.ts";
import { compileLate } from "../../base/lateCompiler.ts";
import { inHangingBlock } from "../../base/plainText.ts";
import { readLineageReport } from "../../engine/versions/lineageReport.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { Progress } from "./progress.ts";
import { watched } from "./watched.ts";
import { renderLineage } from "../versions/renderLineage.ts";
import { Option } from "commander";
import { hostNames, positive } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addEvolve: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("evolve")
    .description("run the loop, or continue it")
    .option("--generations <n>", "how many generations in all, by default budgets.generations", positive)
    .addOption(new Option("--autonomy <who>", "who answers the gates").choices(["full", "human_gated"]))
    .option(
      "--approve",
      "approve the gates of this run in advance, including the promotion; after several failures in a row a person is still asked, and budgets still count",
      false,
    )
    .option("--restart", "start a new evolution from HEAD; the old one stays in the lineage", false)
    .option(
      "--host <names>",
      "run the jobs on these hosts of evotrainer.yaml, such as 'gpu1,gpu2,here', or 'any' for all of them",
      hostNames,
    )
    .action(
      async (
        o: Given<{
          host?: string[];
          generations?: number;
          autonomy?: "full" | "human_gated";
          approve: boolean;
          restart: boolean;
        }>,
      ) => exitWith(await evolve(io(), cwd, o)),
    );
};

export interface EvolveCommand {
  readonly generations?: number;
  readonly autonomy?: "full" | "human_gated";
  readonly approve: boolean;
  readonly restart: boolean;
  /** Names of hosts in evotrainer.yaml, here for this machine; left out: those of trainer.hosts, or this machine. */
  readonly host?: readonly string[];
}

/** `evotrainer evolve`: the loop, from where it stands to its end. Answers with the exit code. */
export async function evolve(io: Io, cwd: string, options: EvolveCommand): Promise<number> {
  compileLate();
  const workspace = await openWorkspace(cwd);
  const progress = new Progress(io);
  const { failures } = progress;
  const printLineage = async (): Promise<void> => {
    const report = await readLineageReport(workspace.root);
    printResult(io, report, (report) => {
      // A failure was said when it happened.
      const versions = report.versions.map((v) => ({ ...v, reason: failures.withLogs(v.reason) }));
      return `\n${renderLineage(io, { ...report, versions })}`;
    });
  };
  try {
    const state = await watched(io, progress, {
      ...{ verb: "evolve", workspace },
      ...(options.host === undefined ? {} : { hosts: options.host }),
      ...(options.generations === undefined ? {} : { generations: options.generations }),
      ...(options.autonomy === undefined ? {} : { autonomy: options.autonomy }),
      ...(options.approve ? { approvedBy: `${userInfo().username}, in advance by --approve` } : {}),
      restart: options.restart,
    });
    // Where the first version cannot be used, a lineage of it alone would say again what the last line says.
    if (state.stopped === null || io.json) await printLineage();
    if (state.stopped === null) return exitCodes.success;
    io.err(`${inHangingBlock(failures.withLogs(state.stopped))}\n`);
    return exitCodes.finding;
  } catch (e) {
    // A gate that waits and a budget that is spent are no failures: what there is so far is shown as at the end, and then what is waited for.
    if (HarnessError.is(e, "gateWaiting") || HarnessError.is(e, "budgetSpent")) await printLineage();
    throw e;
  }
}
