import { HarnessError } from "../../base/errors.ts";
import { runsFolder } from "../workspace/archive.ts";
import { parseRunId, runId, type RunName } from "../workspace/runs.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { executorOf, hostsOf } from "./jobList.ts";
import { jobRow } from "./jobRow.ts";
import { jobNames } from "./lookUp.ts";

const mayRunAgain = ["failed", "cancelled", "lost"];

/** A clean evaluation is not repeated: its version was decided with what came of it. */
type NextAttempt = Required<RunName> & { readonly work: Exclude<RunName["work"], "clean"> };

/**
 * The name that a rerun of a job gets: the next of the same version, work and seed.
 * @throws HarnessError badInput when its last run is not over or finished, notFound
 */
export async function nextAttempt(root: string, job: string): Promise<NextAttempt> {
  const name = parseRunId(job);
  if (name === undefined)
    throw new HarnessError("badInput", `No evolution started ${job}, so it cannot be rerun.`);
  const { work } = name;
  if (work === "clean")
    throw new HarnessError(
      "badInput",
      `${job} evaluated ${name.version} once more without the leak, and ${name.version} was decided with what came of it; it cannot be rerun.`,
    );
  const same = (await jobNames(runsFolder({ engineFolder: engineFolderOf(root) })))
    .map(parseRunId)
    .filter((n) => n?.version === name.version && n.work === name.work && n.seed === name.seed)
    .flatMap((n) => (n === undefined ? [] : [n.attempt]));
  const last = Math.max(name.attempt, ...same);
  const latest = runId({ ...name, attempt: last });
  const row = await jobRow(executorOf(root), latest, await hostsOf(root));
  if (!mayRunAgain.includes(row.state))
    throw new HarnessError(
      "badInput",
      row.state === "finished"
        ? `${latest} finished, and a rerun would only blur what was measured; change the version instead.`
        : `${latest} is not over (${row.state}); cancel it first, or wait for it.`,
    );
  return { ...name, work, attempt: last + 1 };
}
