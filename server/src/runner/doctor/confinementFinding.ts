import type { HostFinding } from "../../../../shared/protocol/views/hosts.ts";
import type { CannotConfine, Confiner } from "../confine/step.ts";

/** Whether jobs of a machine are kept from what is not theirs. */
export function confinement(can: Confiner | CannotConfine): HostFinding {
  return can.by === null
    ? {
        about: "confine",
        state: "note",
        found: `jobs are not confined: ${can.reason}`,
        mend: "A job can then read and change whatever its user can. docs/confinement.md says what to do.",
      }
    : {
        about: "confine",
        state: "good",
        found: "jobs are confined, by namespaces of the kernel",
        mend: null,
      };
}
