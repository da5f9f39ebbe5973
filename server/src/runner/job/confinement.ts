import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { z } from "zod";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { CommittedFile } from "../../project/identity/evaluationEntries.ts";
import { isGlob } from "../../project/frozen/globPath.ts";
import type { Executor } from "./executor.ts";
import type { TrainerData } from "./trainerData.ts";
import { recordPath, writeRecord } from "./jobRecords.ts";
import { hiddenHere } from "../confine/hiddenHere.ts";
import { agentLogins, hide, jobView } from "../confine/jobView.ts";
import { Confine } from "../confine/step.ts";

/** How the job of a run is confined, or why it is not: decided before it is submitted, and written down. */
const Confinement = z.object({
  confine: Confine.optional(),
  unconfined: z.string().nullable(),
});
export type Confinement = z.infer<typeof Confinement>;

const record = "confinement.json";

/** A pattern may stand for any number of files, and each costs the start of a job a little. */
const mostFixed = 100;

interface RunToConfine {
  readonly repository: Repository;
  readonly project: ProjectSpec;
  readonly executor: Executor;
  readonly run: string;
  /** The folder of the run on this machine. */
  readonly directory: string;
}

/** Where things of the job are on the machine that runs it. */
interface PlacesThere {
  /** The folder of the run. */
  readonly run: string;
  /** The project in the checkout. */
  readonly cwd: string;
  readonly policyIn: string | undefined;
  readonly policyOut: string;
  readonly data: readonly TrainerData[];
}

/**
 * Decides how the job of a run is confined where it will run, and writes that down. `entries`: the evaluation in its checkout.
 * @throws HarnessError badInput where the project demands it and the machine cannot
 */
export async function decideConfinement(
  request: RunToConfine,
  entries: readonly CommittedFile[],
  there: PlacesThere,
): Promise<Confinement> {
  const decided = await decide(request, entries, there);
  await writeRecord(request.directory, record, decided);
  return decided;
}

async function decide(
  { repository, project, executor, run }: RunToConfine,
  entries: readonly CommittedFile[],
  there: PlacesThere,
): Promise<Confinement> {
  const { confine, writable } = project.trainer;
  if (confine === "off") return { unconfined: "trainer.confine in evotrainer.yaml is off" };
  const can = await executor.confinement();
  const where = executor.elsewhere?.host ?? "this machine";
  if (can.by === null) {
    if (confine === "auto") return { unconfined: `${where} cannot confine jobs: ${can.reason}` };
    throw new HarnessError(
      "badInput",
      `The job ${run} was not started, because trainer.confine in evotrainer.yaml is require and ${where} cannot confine jobs: ${can.reason}; choose another machine, mend this one as docs/confinement.md says, or set trainer.confine to auto.`,
    );
  }
  const checkout = posix.join(there.cwd, posix.relative(repository.prefix, "")).replace(/(.)\/$/, "$1");
  // A host may share folders with this machine, or have a clone at the same place.
  const hidden = await hiddenHere(repository, project);
  const steps = jobView(
    { ...hidden, steps: [...agentLogins.map(hide), ...can.steps, ...hidden.steps] },
    {
      ...there,
      checkout,
      fixed: fixedPaths(checkout, there.cwd, entries),
      data: there.data.map(({ at }) => at),
      writable,
    },
  );
  return { confine: { ...can, steps }, unconfined: null };
}

/** What was decided of a run; undefined for one that an earlier release submitted. */
export async function readConfinement(directory: string): Promise<Confinement | undefined> {
  try {
    return Confinement.parse(JSON.parse(await readFile(recordPath(directory, record), "utf8")));
  } catch (e) {
    if (codeOf(e) === "ENOENT") return undefined;
    throw e;
  }
}

/** What of a checkout no job may change: the declared evaluation, and the first files that its patterns stand for. */
function fixedPaths(checkout: string, project: string, entries: readonly CommittedFile[]): string[] {
  const fixed = entries.map(({ path, declared }) =>
    declared === undefined || isGlob(declared) ? posix.join(checkout, path) : posix.join(project, declared),
  );
  return [...new Set(fixed)].slice(0, mostFixed);
}
