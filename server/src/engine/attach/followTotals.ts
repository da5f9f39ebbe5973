import { diagnose } from "../../diagnosis/diagnose.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { defineService } from "../workspace/service.ts";
import { compareAtStep } from "./compareAtStep.ts";
import { wholeSteps } from "./completeness.ts";
import { labelFollowed, labelsFound } from "./followedLabels.ts";
import { newestSteps } from "./standing.ts";

/** What is computed over all rollouts of a followed version. Nobody waits for it: labels of new rollouts do not. */
export const followTotals = defineService("evidence.followTotals", {
  repeatable: true,
  async run({ store, root }, { version, split, compare, with: given }) {
    const project = await projectOrBare(root, given);
    const within = { split: split ?? "train", version } as const;
    const labelled = await labelFollowed(store, project, within);
    const { labels, findings } = await diagnose(store, {
      version,
      domain: project.domain,
      diagnostics: project.diagnostics.map((d) => d.spec),
      aggregator: project.aggregator,
      metricNames: project.metricNames,
      scope: { split: within.split },
      labelled,
    });
    const told =
      compare === undefined || split === null
        ? null
        : await compareAtStep(store, root, {
            ours: version,
            theirs: compare,
            split,
            whole: wholeSteps(await newestSteps(store, within)),
            with: given,
          });
    const said = new Set(labelled.map(({ name }) => name));
    return {
      labels: labelsFound(labels.filter(({ name }) => !said.has(name))),
      alarms: findings.filter(({ severity }) => severity !== "info"),
      comparison: typeof told === "string" ? null : told,
      notes: typeof told === "string" ? [told] : [],
    };
  },
});
