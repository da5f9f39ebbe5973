import { join } from "node:path";
import { passedReward } from "../../backtest/rewardMeans.ts";
import { exists } from "../../base/files.ts";
import { humanLabelsOf, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { readRolloutNotes, rolloutNotesPath } from "../../diagnosis/rolloutNotes.ts";
import { readRollout, type FullRollout } from "../../evidence/queries/readRollout.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { unsealAudit } from "../../evidence/store/split.ts";
import { loadProjectSpec, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { rewardParts, type RewardPart } from "../../../../shared/reward/rewardParts.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { versionRewards } from "../project/versionReward.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { awaitsLabels } from "./awaitsLabels.ts";
import { withoutStep } from "./withoutStep.ts";
import { labelGiven } from "./labelGiven.ts";
import { labelsByPeople } from "./rolloutsPeople.ts";
import { defineService } from "../workspace/service.ts";

/** One trajectory with its labels, what people said and noted of it, the turns that show the labels, and the diagnostics behind them as the work tree has them. */
export const rolloutsShow = defineService("rollouts.show", {
  repeatable: true,
  async run({ store, root }, { within, id, with: given }) {
    const unsealed = (await isReported(root, within)) ? unsealAudit("reported with a promotion") : undefined;
    const read = () => readRollout(store, { within, id, ...(unsealed === undefined ? {} : { unsealed }) });
    const asStored = await read();
    const { version, rollout } = asStored;
    const { split } = rollout;
    const justSet = split === "audit" ? undefined : await labelGiven(store, root, given, { version, split });
    const found = justSet === undefined ? asStored : await read();
    const awaits =
      split !== "audit" &&
      justSet !== undefined &&
      found.labels.every(({ label }) => justSet.has(label)) &&
      (await awaitsLabels(store, root, { version, split, given, justSet }));
    const labels = new Set(found.labels.map(({ label }) => label));
    // Evidence can be read while the project is being mended.
    const diagnostics = await projectOrBare(root, given).then(
      (project) => project.diagnostics,
      () => [],
    );
    // As the archive has them: the start of a name is enough to ask by.
    const { run, id: fullId } = rollout;
    const notes = await readRolloutNotes(rolloutNotesPath(engineFolderOf(root)));
    const specs = diagnostics.map(({ spec }) => spec);
    return {
      ...found,
      ...(awaits ? { unlabelled: true } : {}),
      ...(await steplessOf(store, found)),
      ...(await rewardOf(root, version, rollout)),
      ...(await passedOf(store, found)),
      people: await labelsByPeople(store, root, specs, [...labels]),
      said: (await humanLabelsOf(humanLabelsPath(engineFolderOf(root)), { run, id: fullId })).map(
        ({ label, labelled, by, at }) => ({ label, labelled, by, at }),
      ),
      notes: notes
        .filter((one) => one.run === run && one.id === fullId)
        .map(({ note, by, at }) => ({ note, by, at })),
      diagnostics: diagnostics
        .filter(({ spec }) => labels.has(spec.name))
        .map(({ path, spec }) => ({
          name: spec.name,
          severity: spec.label.severity,
          description: spec.description ?? null,
          when: spec.label.when ?? null,
          path,
          invalidates: spec.label.invalidates,
        })),
    };
  },
});

/** What the reward that the version trained with gives for a rollout, term by term; nothing where it is not known. */
async function rewardOf(
  root: string,
  version: string,
  { components }: { readonly components: Readonly<Record<string, number>> },
): Promise<{ reward?: RewardPart[] }> {
  const reward = (await versionRewards(root, [version])).get(version);
  return reward?.type === "spec" ? { reward: rewardParts(reward.spec, components) } : {};
}

/** What passing gives in its version; nothing of the sealed split. */
async function passedOf(
  store: Store,
  { version, rollout: { split } }: FullRollout,
): Promise<{ passed?: number }> {
  const passed = split === "audit" ? null : await passedReward(store, { version, split });
  return passed === null ? {} : { passed };
}

async function steplessOf(
  store: Store,
  { rid, rollout: { step } }: FullRollout,
): Promise<{ stepless?: true }> {
  const [shown] = await withoutStep(store, [{ rid, step }]);
  return shown?.step === null ? { stepless: true } : {};
}

/** Whether `within` is an audit run of a promoted version: its audit has been reported, so it is public. */
async function isReported(root: string, within: string): Promise<boolean> {
  // A run that was imported may have such a name, too, in a folder that has no versions.
  if (!within.includes(".audit") || !(await exists(join(root, projectFile)))) return false;
  const { domain } = await loadProjectSpec(workTree(root));
  const { own } = await knownLineage(root, domain);
  return own.some((v) => within.startsWith(`${v.name}.audit`) && v.evidence.audit !== undefined);
}
