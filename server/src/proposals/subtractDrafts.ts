import { listed } from "../base/similar.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { Ancestry } from "./standing/ancestry.ts";
import type { ComposedDraft, ComposedDrafts, ComposeGround, ComposePorts } from "./composedDraft.ts";
import { claimsOf, composedSpec } from "./composedSpec.ts";
import { checkComposed, problemsText } from "./draft.ts";
import { factorsOf } from "./outcomeProblems.ts";
import { versionName } from "./standing/proposal.ts";
import { mergeThreeWay } from "./difference/threeWay.ts";

export interface SubtractRequest extends ComposeGround {
  /** The version to take an edit out of: the one that the evolution goes on from. */
  readonly champion: VersionRecord;
  /** The version whose edit goes; every kept edit in turn where it is left out. */
  readonly without?: VersionRecord;
  /** How many drafts at most. */
  readonly count: number;
}

/**
 * Drafts that take one kept edit each out of a champion: leave one out of all that it was made of. To be called when drafts
 * for the next candidates are chosen (after failures in a row, or before a promotion), and again with `without` to make the
 * same draft after a crash. The version is decided by `equivalent` through `TrainedVersion.subtraction`. What was tried on
 * this champion before is left out where every edit is asked for. The oldest edit comes first: the most was built on it.
 */
export async function subtractDrafts(request: SubtractRequest, ports: ComposePorts): Promise<ComposedDrafts> {
  const ancestry = new Ancestry(request.lineage);
  const edits = request.without === undefined ? openEdits(request, ancestry) : [request.without];
  const drafts: ComposedDraft[] = [];
  const passedOver: string[] = [];
  for (const edit of edits) {
    if (drafts.length >= request.count) break;
    const made = await draftWithout(edit, { ...request, ancestry }, ports);
    if (typeof made === "string") passedOver.push(made);
    else drafts.push(made);
  }
  return { drafts, passedOver };
}

/**
 * The kept edits that a champion was made of, the oldest first, without those that were taken out since. A kept version that
 * has the edits of a tried one as well is two of them: the tried one stands for its part.
 */
function keptStack(champion: VersionRecord, ancestry: Ancestry): readonly VersionRecord[] {
  const above = ancestry.of(champion);
  const gone = new Set(above.flatMap(({ without }) => without ?? []));
  return above
    .filter((v) => v.merges === undefined && v.without === undefined)
    .filter((v) => ancestry.whyNotKept(v) === null)
    .flatMap((v) => [v, ...ancestry.joinedIn(v)])
    .filter((v) => !gone.has(v.name))
    .toReversed();
}

function openEdits({ lineage, champion }: SubtractRequest, ancestry: Ancestry): readonly VersionRecord[] {
  const tried = lineage.versions.flatMap((v) => (v.parent === champion.name ? (v.without ?? []) : []));
  // Without its last edit the champion is its parent, which was measured: that edit was decided by it.
  return keptStack(champion, ancestry).filter((v) => v.name !== champion.name && !tried.includes(v.name));
}

/** The champion without an edit, or why there can be no such version, in a sentence. */
async function draftWithout(
  edit: VersionRecord,
  { champion, declared, ancestry }: SubtractRequest & { readonly ancestry: Ancestry },
  ports: ComposePorts,
): Promise<ComposedDraft | string> {
  const what = `The edit of ${edit.name} cannot be taken out of ${champion.name}`;
  const isPart = keptStack(champion, ancestry).some((v) => v.name === edit.name);
  const why = isPart ? null : ancestry.whyNotKept(edit);
  if (why !== null) return `${what}: ${why}`;
  if (edit.name === champion.name)
    return `${what}: without its own edit, ${champion.name} would be the same as ${edit.parent ?? "its parent"}, which was already measured; run \`evotrainer revert ${edit.name}\` to go back to it.`;
  if (!isPart) return `${what}: ${champion.name} does not come from it, or it was taken out already.`;
  const before = ancestry.parentOf(edit);
  if (before === undefined) return `${what}: the parent of ${edit.name} is not in the lineage.`;
  const undone = mergeThreeWay(
    await ports.changes(edit.commit, champion.commit),
    await ports.changes(edit.commit, before.commit),
  );
  if (undone.type === "conflict")
    return `${what}: a later version changed ${listed(undone.places.slice(0, 3), "and")} again.`;
  const { files } = undone;
  if (files.length === 0) return `${what}: ${champion.name} has nothing left of it.`;
  const [factor = edit.factor] = factorsOf(declared, files);
  if (factor === null) return `${what}: what it changes is on no surface that evotrainer.yaml declares now.`;
  const because = `nobody has tried since ${edit.name} (${edit.title}) whether ${champion.name} still needs it`;
  const { targets, fixes, guardrails, confidence } = claimsOf([edit]);
  const spec = composedSpec(
    {
      name: versionName(0, `without-${edit.name}`).slice("v0-".length),
      ...{ because, factor, targets, confidence, guardrails },
      // What the edit was to make rarer may come back without it.
      ...{ fixes: [], risks: fixes, atLeast: 0 },
    },
    files,
    declared,
  );
  const problems = await checkComposed(spec, files, { parent: ports.source(champion.commit), declared }, []);
  if (problems.length > 0) return `${what}: ${problemsText(problems)}`;
  return {
    ...{ spec, files, parent: champion, without: edit.name },
    ...{ effect: { against: champion.name, difference: 0, parts: [] }, finding: null },
    because: `nobody has tried since ${edit.name} (${edit.title}) whether ${champion.name} still needs it.`,
  };
}
