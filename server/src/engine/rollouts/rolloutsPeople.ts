import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { LabelByPeople } from "../../../../shared/protocol/results/people.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { allHumanLabels, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { labelByPeople, peopleTallies } from "../../diagnosis/people/peopleTallies.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { defineService } from "../workspace/service.ts";

/** Precision and recall of labels by what people answered, over all open rollouts of the archive. */
export const rolloutsPeople = defineService("rollouts.people", {
  repeatable: true,
  run: async ({ store, root }, { labels, with: given }) => ({
    people: await peopleOn(store, root, labels, given),
  }),
});

/** The same by the diagnostics of the work tree and those given. */
export async function peopleOn(
  store: Store,
  root: string,
  labels: readonly string[] | undefined,
  given: readonly DiagnosticFile[] = [],
): Promise<LabelByPeople[]> {
  if (labels?.length === 0) return [];
  // Where nobody has answered yet, no spec has to be read.
  if ((await allHumanLabels(humanLabelsPath(engineFolderOf(root)))).length === 0) return [];
  const { diagnostics } = await projectOrBare(root, given);
  const specs = diagnostics.map(({ spec }) => spec);
  return labelsByPeople(store, root, specs, labels);
}

/** The labels that people answered about, in the order of their names; of all labels where none are named. */
export async function labelsByPeople(
  store: Store,
  root: string,
  diagnostics: readonly DiagnosticSpec[],
  labels?: readonly string[],
): Promise<LabelByPeople[]> {
  const said = await allHumanLabels(humanLabelsPath(engineFolderOf(root)));
  const asked = labels === undefined ? said : said.filter(({ label }) => labels.includes(label));
  // A judge labels no rollout: how far it agrees with people stands beside what it says.
  const judges = new Set(diagnostics.filter((d) => d.label.judge !== undefined).map(({ name }) => name));
  const tallies = await peopleTallies(
    store,
    asked.filter(({ label }) => !judges.has(label)),
    diagnostics,
  );
  return [...tallies]
    .map(([label, tally]) => labelByPeople(label, tally))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
}
