import { fatesOf, tallyOf } from "../../changes/fates.ts";
import { versionHeld } from "../../diagnosis/versionConditions.ts";
import type { PlaceInLineage } from "../project/placeInLineage.ts";
import type { Measures } from "../comparison/namedChanges.ts";
import { saidReason } from "../../../../shared/words/guardrailText.ts";
import type { Proposal } from "../../../../shared/protocol/views/proposals.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { casesOf, editsOf, type Case, type CaseEdit } from "../../memory/cases/case.ts";
import { editText } from "./editText.ts";

type Tried = NonNullable<Proposal["tried"]>[number];

/** Of changes that only share the factor, so many are told: they say less about this one. */
const mostOfFactor = 3;
const order = ["same change", "same value", "same factor"] as const;

/** What became of earlier versions with the same change, of the same value, or of the same factor; the nearest and newest first. */
export function triedBefore(lineage: Lineage, version: VersionRecord): Tried[] {
  const edits = editsOf(version);
  const cases = casesOf(lineage).filter((one) => one.version !== version.name);
  const told = cases.reverse().flatMap((one): Tried[] => {
    const how = likeness(one, { factor: version.factor, edits });
    if (how === null) return [];
    return [
      {
        ...{ version: one.version, on: one.parent, how, ended: one.ended },
        edits: one.edits.map(editText),
        difference: one.effect?.difference ?? null,
        reason: reasonOf(findVersion(lineage, one.version)),
      },
    ];
  });
  return order.flatMap((how) => {
    const alike = told.filter((one) => one.how === how);
    return how === "same factor" ? alike.slice(0, mostOfFactor) : alike;
  });
}

const reasonOf = (version: VersionRecord | undefined): string =>
  saidReason(version?.decision?.reason ?? "", version?.evidence.selection?.labels ?? []);

function likeness(
  one: Case,
  { factor, edits }: { readonly factor: Case["factor"]; readonly edits: readonly CaseEdit[] },
): Tried["how"] | null {
  const isSame =
    edits.length > 0 &&
    edits.length === one.edits.length &&
    edits.every((edit) => one.edits.some((other) => isTo(edit, other)));
  if (isSame) return "same change";
  if (edits.some((edit) => one.edits.some((other) => isOfValue(edit, other)))) return "same value";
  return factor !== null && factor === one.factor ? "same factor" : null;
}

const isOfValue = (a: CaseEdit, b: CaseEdit): boolean =>
  a.type === "value" && b.type === "value" && a.file === b.file && a.path === b.path;

const isTo = (a: CaseEdit, b: CaseEdit): boolean =>
  a.type === "patch"
    ? b.type === "patch" && a.patch === b.patch
    : b.type === "value" && isOfValue(a, b) && a.to === b.to;

/** The findings of the parent that a proposal answers, with what they were counted from. */
export function answeredFindings(
  lineage: Lineage,
  version: VersionRecord,
): NonNullable<Proposal["answersTo"]> {
  const parent = version.parent === null ? undefined : findVersion(lineage, version.parent);
  const labels = parent?.evidence.selection?.labels ?? [];
  return (version.hypothesis?.targets ?? []).flatMap((target) =>
    labels
      .filter(({ name }) => name === target)
      .map(({ name, labelled, rollouts, over }) => ({
        ...{ name, labelled, rollouts },
        ...(over === "group" ? { over } : {}),
      })),
  );
}

/** Targets that are no label: whether they hold of a version, and what they say of it. Stores nothing. */
export async function answeredConditions(
  { store, aggregator, usable, metricNames }: Measures,
  {
    version,
    targets,
    place,
  }: {
    readonly version: string;
    readonly targets: readonly string[];
    readonly place: PlaceInLineage;
  },
): Promise<NonNullable<Proposal["answersFound"]>> {
  const over = usable.overVersions.filter(({ name }) => targets.includes(name));
  if (over.length === 0) return [];
  const fates = await fatesOf(store, { split: "selection", version }, usable.diagnostics);
  const held = await versionHeld(store, {
    ...place,
    version,
    aggregator,
    labels: usable.diagnostics.map(({ name }) => ({ name, ...tallyOf(fates, name) })),
    diagnostics: [...usable.diagnostics, ...over],
    metricNames,
  });
  return over.map(({ name }) => ({ name, holds: null, message: null, ...held.get(name) }));
}
