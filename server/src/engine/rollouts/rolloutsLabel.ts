import { join } from "node:path";
import { addHumanLabel, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { didYouMean } from "../../base/similar.ts";
import { readRollout } from "../../evidence/queries/readRollout.ts";
import { projectFile } from "../../project/project.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { sayableIn } from "../project/diagnosticFiles.ts";
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
    // A judge in a folder without a project is asked only when it is named; what people say of its label asks nothing.
    const unasked = (await exists(join(root, projectFile))) ? [] : await sayableIn(root);
    const overRollouts = [...diagnostics, ...unasked].filter(({ spec }) => spec.over === "rollout");
    const names = [...new Set(overRollouts.map(({ spec }) => spec.name))];
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
