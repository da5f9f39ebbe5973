import { letThrough } from "../../backtest/quarantine.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { defineService } from "../workspace/service.ts";

/** The quarantined versions that would be let through if a diagnostic were taken away. */
export const backtestRemoval = defineService("backtest.removal", {
  repeatable: true,
  async run({ store, root }, { diagnostic }) {
    const project = await projectOrBare(root);
    const { own } = await knownLineage(root, project.domain);
    const released = await letThrough(store, {
      versions: own,
      diagnostics: project.diagnostics.map((d) => d.spec).filter((d) => d.name !== diagnostic),
      domain: project.domain,
    });
    return { diagnostic, letThrough: released.filter((l) => l.diagnostic === diagnostic) };
  },
});
