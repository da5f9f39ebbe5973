import { addHumanLabel, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { readRollout } from "../../evidence/queries/readRollout.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { defineService } from "../workspace/service.ts";

/**
 * Writes down what a person says of a rollout: judges are held against it. What is said again stands in place of what was said
 * before, so that it may be asked twice.
 */
export const rolloutsLabel = defineService("rollouts.label", {
  repeatable: true,
  async run({ store, root }, { version, label, ...said }) {
    const { diagnostics } = await projectOrBare(root);
    const names = diagnostics.filter(({ spec }) => spec.over === "rollout").map(({ spec }) => spec.name);
    if (!names.includes(label))
      throw new HarnessError(
        "notFound",
        `There is no label ${label}: no diagnostic over rollouts has this name.${didYouMean(label, names)}`,
      );
    const found = await readRollout(store, { within: said.run, id: said.id });
    if (found.version !== version)
      throw new HarnessError(
        "badInput",
        `The rollout ${said.run}/${said.id} belongs to ${found.version}, not to ${version}.`,
      );
    const { run, id } = found.rollout;
    const written = { ...said, run, id, label, at: new Date().toISOString() };
    await addHumanLabel(humanLabelsPath(engineFolderOf(root)), written);
    return { version, ...written };
  },
});
