import { refuseLettingThrough } from "../../backtest/quarantine.ts";
import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { labelSplit } from "../../diagnosis/diagnose.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { knownLineage } from "../project/knownLineage.ts";
import { withoutTrialPower } from "../project/trials.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";

/** Labels the rollouts of versions in one reading, with the diagnostics that `versions.diagnose` takes. */
export const versionsLabel = defineService("versions.label", {
  repeatable: true,
  async run({ store, root }, { versions, split, with: given }) {
    const project = await projectOrBare(root, given);
    const known = await knownLineage(root, project.domain);
    const specs = project.diagnostics.map(({ spec }) => spec);
    const { diagnostics } = await withoutTrialPower(specs, known, project.domain);
    const { domain } = project;
    await refuseLettingThrough(store, { versions: known.own, diagnostics, domain });
    const scopes =
      versions === undefined
        ? [{ split: split ?? "selection" } as const]
        : await scopesOf(store, versions, split);
    let labels = 0;
    for (const scope of scopes) labels = (await labelSplit(store, { diagnostics, domain, scope })).length;
    return { labels };
  },
});

/** The versions by the split that is looked at of them. */
async function scopesOf(
  store: Store,
  versions: readonly string[],
  asked: OpenSplit | undefined,
): Promise<readonly EvidenceScope[]> {
  const bySplit = new Map<OpenSplit, string[]>();
  for (const version of versions) {
    const split = await splitOrDefault(store, version, asked);
    bySplit.set(split, [...(bySplit.get(split) ?? []), version]);
  }
  return [...bySplit].map(([split, some]) => ({ split, versions: some }));
}
