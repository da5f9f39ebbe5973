import { HarnessError } from "../../base/errors.ts";
import { refusedFor } from "../project/labelPrograms.ts";
import { promoteVersion } from "./promoteVersion.ts";
import { defineService } from "../workspace/service.ts";

/** Opens the audit split for a kept version and the baseline, and promotes it. It runs the project's trainer. */
export const versionsPromote = defineService("versions.promote", {
  // Its jobs and entries have fixed names: a second time finds them.
  repeatable: true,
  run({ root, store, trusted: owner }, { trusted: caller, ...params }, { signal, progress }) {
    const refused = refusedFor({ caller, owner });
    if (refused !== null) throw new HarnessError("badInput", `The promotion cannot be measured: ${refused}`);
    return promoteVersion({
      ...{ root, store, signal, ...params },
      emit: (event) => {
        if (event.type === "jobStarted") progress({ message: `${event.what} ${event.version}` });
      },
    });
  },
});
