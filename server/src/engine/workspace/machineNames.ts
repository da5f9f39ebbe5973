import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";

/** This machine among the names of hosts. */
export const here = "here";
/** All hosts of evotrainer.yaml. */
const any = "any";

/** The machines that jobs run on: those that are wanted, or those of trainer.hosts, or this one. @throws HarnessError badInput */
export function machineNames(
  { trainer }: ProjectSpec,
  hosts: object,
  wanted: readonly string[] | undefined,
): string[] {
  const given = wanted ?? trainer.hosts ?? [here];
  const names = given.flatMap((name) =>
    name === any && !Object.hasOwn(hosts, any) ? Object.keys(hosts) : [name],
  );
  if (names.length === 0)
    throw new HarnessError(
      "badInput",
      "`--host any` needs hosts in evotrainer.yaml; add one under hosts, or leave --host out.",
    );
  return [...new Set(names)];
}
