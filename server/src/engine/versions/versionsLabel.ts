import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import { labelSplit } from "../../diagnosis/diagnose.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { withoutTrialPower } from "../project/trials.ts";
import { defineService } from "../workspace/service.ts";

/** Labels the rollouts of all versions in one reading, with the diagnostics that `versions.diagnose` takes. */
export const versionsLabel = defineService("versions.label", {
  repeatable: true,
  async run({ store, root }, { split }) {
    const project = await projectOrBare(root);
    const known = await knownLineage(root, project.domain);
    const specs = project.diagnostics.map(({ spec }) => spec);
    const { diagnostics } = await withoutTrialPower(specs, known, project.domain);
    const { domain } = project;
    await refuseLettingThrough(store, { versions: known.own, diagnostics, domain });
    const counts = await labelSplit(store, { diagnostics, domain, scope: { split } });
    return { labels: counts.length };
  },
});
