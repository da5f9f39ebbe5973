import { join } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { CommittedFile } from "../../project/identity/evaluationEntries.ts";
import { hiddenHere } from "../../runner/confine/hiddenHere.ts";
import { jobView } from "../../runner/confine/jobView.ts";
import type { CannotConfine, Confine } from "../../runner/confine/step.ts";

interface AgentPlaces {
  readonly repository: Repository;
  readonly spec: ProjectSpec;
  readonly command: readonly string[];
  /** The folder of its question, which it alone uses. */
  readonly run: string;
  /** Top level of the checkout. */
  readonly checkout: string;
  /** The evaluation in the checkout. */
  readonly fixed: readonly CommittedFile[];
}

/** A pattern may stand for any number of files, and each costs the start a little. */
const mostFixed = 100;

/**
 * What an agent sees of the machine: as a job, its checkout and of the project nothing else. Undefined where it is not
 * confined, with the reason. @throws HarnessError badInput where the project demands it and the machine cannot
 */
export async function agentView(
  { repository, spec, command, run, checkout, fixed }: AgentPlaces,
  confinement: () => Promise<Confine | CannotConfine>,
): Promise<{ readonly confine: Confine | undefined; readonly unconfined: string | null }> {
  const { confine: wanted } = spec.trainer;
  if (wanted === "off")
    return { confine: undefined, unconfined: "trainer.confine in evotrainer.yaml is off" };
  const can = await confinement();
  if (can.by === null) {
    if (wanted === "auto") return { confine: undefined, unconfined: `this machine cannot: ${can.reason}` };
    throw new HarnessError(
      "badInput",
      `The agent was not started, because trainer.confine in evotrainer.yaml is require and this machine cannot confine programs: ${can.reason}; mend it as docs/confinement.md says, or set trainer.confine to auto.`,
    );
  }
  // Programs of the work tree that its command names are shown to it.
  const hidden = await hiddenHere(repository, {
    ...spec,
    trainer: { ...spec.trainer, command: [...command], environment: {} },
  });
  const steps = jobView(
    { ...hidden, steps: [...can.steps, ...hidden.steps] },
    {
      ...{ run, checkout, policyIn: undefined, policyOut: join(run, "policy"), data: [], writable: [] },
      fixed: fixed.slice(0, mostFixed).map(({ path }) => join(checkout, path)),
    },
  );
  return { confine: { ...can, steps }, unconfined: null };
}
