import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { newWayText } from "../../../../shared/ledger/newWayText.ts";
import { noVersionNamed } from "../../../../shared/words/refusals.ts";
import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { didYouMean } from "../../base/similar.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import { findGaps, unexplainedBySteps, type LabelledRollout } from "../../gaps/findings.ts";
import { loadProject, projectFile } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { join } from "node:path";
import { knownLineage } from "../project/knownLineage.ts";
import { placeIn } from "../project/placeInLineage.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { commonSplit, splitOrDefault } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";
import { draftGaps } from "./draftGaps.ts";
import { gapEvidence, type GapEvidence } from "./gapEvidence.ts";

/** What the labels in force leave open in a version, and drafts of diagnostics that would say it. Stores nothing. */
export const versionsGaps = defineService("versions.gaps", {
  repeatable: true,
  async run(
    { store, root },
    { version, against: asked, split: wanted, seed, without, with: given },
    { signal, progress },
  ) {
    const { domain, diagnostics, problems } = await usableDiagnostics(root, given);
    const named = new Set(diagnostics.map(({ name }) => name));
    const unknown = without.find((name) => !named.has(name));
    if (unknown !== undefined)
      throw new HarnessError(
        "notFound",
        `There is no label ${unknown}: no diagnostic over rollouts has this name.${didYouMean(unknown, [...named])}`,
      );
    const { entries } = await knownLineage(root, domain);
    const parent = asked ?? placeIn(entries, version).parent;
    const split =
      asked === undefined
        ? await splitOrDefault(store, version, wanted)
        : await commonSplit(store, [version, asked], wanted);
    const own: EvidenceScope = { split, version };
    const other: EvidenceScope | null = parent === null ? null : { split, version: parent };
    const evidence = await gapEvidence(store, other === null ? [own] : [own, other]);
    const has = (isOwn: boolean): boolean => evidence.rollouts.some((r) => r.own === isOwn);
    if (!has(true))
      throw new HarnessError(
        "notFound",
        `${noVersionNamed(version)} The ${split} split has none of its rollouts.`,
      );
    if (asked !== undefined && !has(false))
      throw new HarnessError("notFound", `The archive has no rollouts of ${asked} in the ${split} split.`);
    const scopes = other === null || !has(false) ? [own] : [own, other];
    const inForce = diagnostics.filter(({ name }) => !without.includes(name));
    const withheld = diagnostics.filter(({ name }) => without.includes(name));
    const held = await evidence.held([...inForce, ...withheld]);
    const heldBy = (spec: DiagnosticSpec, i: number) => ({ name: spec.name, held: held[i] ?? "" });
    const { labelled, compared } = labelledOf(evidence, held.slice(0, inForce.length));
    const answered = await answeredLabels(root);
    const known = inForce.map(({ name, label, alert }) => ({
      ...{ name, severity: label.severity, answered: answered.has(name) },
      ...(alert === undefined ? {} : { alert }),
    }));
    const { drafts, newWays, ...induced } = await draftGaps(store, {
      ...{ evidence, scopes, domain, seed },
      inForce: inForce.map(heldBy),
      withheld: withheld.map((spec, i) => heldBy(spec, inForce.length + i)),
      taken: [...named],
      onRollouts: (done, total) => {
        signal.throwIfAborted();
        progress({ message: "reading rollouts", done, total });
      },
    });
    return {
      ...{ version, against: scopes.length < 2 ? null : parent, split, seed, rollouts: labelled.length },
      gaps: [
        ...newWays.map((way) => ({
          ...{
            kind: "new-way" as const,
            label: way.label,
            message: newWayText(way, parent ?? "the other version"),
          },
        })),
        ...findGaps(labelled, compared, known),
      ],
      newWays: [...newWays],
      trend: unexplainedBySteps(labelled),
      ...{ induced, drafts: [...drafts], problems: [...problems] },
    };
  },
});

function labelledOf(
  { rollouts }: GapEvidence,
  held: readonly string[],
): { readonly labelled: LabelledRollout[]; readonly compared: LabelledRollout[] } {
  const all = rollouts.map(({ own, outcome, step }, i) => ({
    ...{ own, outcome, step },
    labels: held.map((text) => text[i] ?? "?"),
  }));
  return { labelled: all.filter(({ own }) => own), compared: all.filter(({ own }) => !own) };
}

/** The labels that an intervention of the project has among its targets. */
async function answeredLabels(root: string): Promise<ReadonlySet<string>> {
  if (!(await exists(join(root, projectFile)))) return new Set();
  const { interventions } = await loadProject(workTree(root));
  return new Set(interventions.flatMap(({ spec }) => spec.targets));
}
