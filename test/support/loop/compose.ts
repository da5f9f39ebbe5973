import { findVersion } from "../../../server/src/lineage/graph.ts";
import type { VersionRecord } from "../../../server/src/lineage/records/versionRecord.ts";
import { isAbove, standingOn } from "../../../server/src/engine/training/keptVersions.ts";
import type { ComposeRequest } from "../../../server/src/loop/ports.ts";
import type { ComposedDraft } from "../../../server/src/proposals/composedDraft.ts";
import { isProposal } from "../../../server/src/proposals/standing/proposal.ts";
import { harness, projectOf } from "./project.ts";
import type { World } from "./world.ts";

const valuesOf = (world: World, { commit }: VersionRecord): string =>
  world.commits.get(commit)?.get(harness) ?? "";
const raisedIn = (text: string): string[] => [...text.matchAll(/^(\w): high$/gm)].map(([, k = ""]) => k);

/** Merges and subtractions of a simulated project, whose versions differ by which of its values are raised. */
export async function composeIn(world: World, asked: ComposeRequest): Promise<ComposedDraft | null> {
  const { lineage } = world;
  const kept = standingOn(lineage, "v1").filter(isProposal);
  if (asked.type === "merge") {
    const named = asked.of?.map((name) => findVersion(lineage, name));
    const [a, b] = named ?? openPair(world, kept) ?? [];
    if (a === undefined || b === undefined) return null;
    const raised = raisedIn(valuesOf(world, b));
    const after = valuesOf(world, a).replace(/^(\w): low$/gm, (line, knob: string) =>
      raised.includes(knob) ? `${knob}: high` : line,
    );
    return draftOf(world, a, after, { merges: b.name });
  }
  const champion = findVersion(lineage, asked.champion);
  if (champion === undefined) return null;
  const tried = lineage.versions.flatMap((v) => (v.parent === champion.name ? (v.without ?? []) : []));
  const edit = kept.find((v) =>
    asked.without === undefined
      ? v.name !== champion.name && isAbove(lineage, champion, v.name) && !tried.includes(v.name)
      : v.name === asked.without,
  );
  const knob = /raise-(\w)$/.exec(edit?.name ?? "")?.[1];
  if (edit === undefined || knob === undefined) return null;
  const after = valuesOf(world, champion).replace(`${knob}: high`, `${knob}: low`);
  return draftOf(world, champion, after, { without: edit.name });
}

/** Two kept versions of which neither comes from the other and that were not merged before. */
function openPair(
  { lineage }: World,
  kept: readonly VersionRecord[],
): readonly [VersionRecord, VersionRecord] | undefined {
  for (const a of kept)
    for (const b of kept) {
      const isTried = lineage.versions.some(
        (v) => (v.parent === a.name && v.merges === b.name) || (v.parent === b.name && v.merges === a.name),
      );
      if (!isTried && !isAbove(lineage, a, b.name) && !isAbove(lineage, b, a.name)) return [a, b];
    }
  return undefined;
}

async function draftOf(
  world: World,
  parent: VersionRecord,
  after: string,
  of: { readonly merges: string } | { readonly without: string },
): Promise<ComposedDraft | null> {
  const before = valuesOf(world, parent);
  const spec = (await projectOf(world.plan)).interventions[0]?.spec;
  if (spec === undefined || before === after) return null;
  const name = "merges" in of ? `merge-${of.merges}` : `without-${of.without}`;
  const files = [{ path: harness, before, after }];
  return { spec: { ...spec, name }, files, parent, because: name, finding: null, ...of };
}
