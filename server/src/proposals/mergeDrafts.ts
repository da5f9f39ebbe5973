import type { PredictedEffect } from "../../../shared/ledger/ledger.ts";
import { points } from "../../../shared/words/numbers.ts";
import { listed } from "../base/similar.ts";
import type { VersionRecord } from "../lineage/records/versionRecord.ts";
import { isSetAside } from "./standing/heldVersion.ts";
import { Ancestry } from "./standing/ancestry.ts";
import type { ComposedDraft, ComposedDrafts, ComposeGround, ComposePorts } from "./composedDraft.ts";
import { claimsOf, composedSpec } from "./composedSpec.ts";
import { checkComposed, problemsText } from "./draft.ts";
import { factorsOf } from "./outcomeProblems.ts";
import { mergeThreeWay } from "./difference/threeWay.ts";
import { versionName } from "./standing/proposal.ts";

export interface MergeRequest extends ComposeGround {
  /** The two versions to merge; every pair of kept versions where it is left out. */
  readonly of?: readonly [VersionRecord, VersionRecord];
  /** How many drafts at most. */
  readonly count: number;
}

/**
 * Drafts that give the better of two kept versions the edits of the other one as well. To be called when drafts for the
 * next candidates are chosen, and again with `of` to make the same draft after a crash. What was merged before is left out
 * where every pair is asked for; a pair that cannot be merged is passed over with the reason. The draft's parent is the
 * better one, against which the version is decided.
 */
export async function mergeDrafts(request: MergeRequest, ports: ComposePorts): Promise<ComposedDrafts> {
  const ancestry = new Ancestry(request.lineage);
  const pairs = request.of === undefined ? openPairs(request, ancestry) : [request.of];
  const drafts: ComposedDraft[] = [];
  const passedOver: string[] = [];
  for (const pair of pairs) {
    if (drafts.length >= request.count) break;
    const made = await mergeOf(pair, { ...request, ancestry }, ports);
    if (typeof made === "string") passedOver.push(made);
    else drafts.push(made);
  }
  return { drafts, passedOver };
}

type Pair = readonly [VersionRecord, VersionRecord];

/** Pairs of kept versions of which neither comes from the other and that nobody merged, the largest expected sum first. */
function openPairs({ lineage }: MergeRequest, ancestry: Ancestry): Pair[] {
  // A person may merge what is held; nobody does it unasked.
  const kept = lineage.versions.filter((v) => ancestry.whyNotKept(v) === null && !isSetAside(v, lineage));
  const pairs = kept.flatMap((a, i) =>
    kept.slice(i + 1).flatMap((b): { pair: Pair; sum: number }[] => {
      if (isAbove(ancestry, a, b) || isAbove(ancestry, b, a)) return [];
      const base = ancestry.common(a, b);
      const isTried = lineage.versions.some((v) => isOf(v, a, b));
      if (base === undefined || isTried) return [];
      return [{ pair: [a, b], sum: (effectOf(a, base) ?? 0) + (effectOf(b, base) ?? 0) }];
    }),
  );
  return pairs.sort((x, y) => y.sum - x.sum).map(({ pair }) => pair);
}

const isOf = ({ parent, merges }: VersionRecord, a: VersionRecord, b: VersionRecord): boolean =>
  (parent === a.name && merges === b.name) || (parent === b.name && merges === a.name);

const isAbove = (ancestry: Ancestry, a: VersionRecord, b: VersionRecord): boolean =>
  ancestry.of(b).some((v) => v.name === a.name);

/** What a version gained over one that it comes from: as it was decided, or by their scores; null where nobody measured it. */
function effectOf(version: VersionRecord, base: VersionRecord): number | null {
  const { decision, evidence } = version;
  if (decision?.comparison?.against === base.name) return decision.comparison.difference;
  const [own, other] = [evidence.selection?.score?.value, base.evidence.selection?.score?.value];
  return own === undefined || other === undefined ? null : own - other;
}

/** The merge of two versions, or why there can be no such version, in a sentence. */
async function mergeOf(
  [a, b]: Pair,
  { declared, ancestry }: MergeRequest & { readonly ancestry: Ancestry },
  ports: ComposePorts,
): Promise<ComposedDraft | string> {
  const what = `${a.name} and ${b.name} cannot be merged`;
  for (const version of [a, b]) {
    const why = ancestry.whyNotKept(version);
    if (why !== null) return `${what}: ${why}`;
  }
  if (a.name === b.name) return `${what}: they are the same version; name two.`;
  for (const [above, below] of [[a, b] as const, [b, a] as const])
    if (isAbove(ancestry, above, below))
      return `${what}: ${below.name} comes from ${above.name} and has its edits.`;
  const base = ancestry.common(a, b);
  if (base === undefined) return `${what}: they come from no common version.`;
  const [better, other] = scoreOf(b) > scoreOf(a) ? [b, a] : [a, b];
  const theirs = await ports.changes(base.commit, other.commit);
  const merged = mergeThreeWay(await ports.changes(base.commit, better.commit), theirs);
  if (merged.type === "conflict")
    return `${what}: both change ${listed(merged.places.slice(0, 3), "and")}; merge versions that change different values or lines.`;
  if (merged.files.length === 0) return `${what}: ${better.name} already has every edit of ${other.name}.`;
  const factors = factorsOf(
    declared,
    theirs.map(({ path, base: before, proposed: after }) => ({ path, before, after })),
  );
  const [factor = other.factor] = factors;
  if (factor === null)
    return `${what}: what ${other.name} changes is on no surface that evotrainer.yaml declares now.`;
  const effect = predicted(better, other, base);
  const spec = composedSpec(
    {
      ...claimsOf([better, other]),
      name: versionName(0, `merge-${other.name}`).slice("v0-".length),
      because: becauseOf(better, other, base),
      factor,
    },
    merged.files,
    declared,
  );
  const ground = { parent: ports.source(better.commit), declared };
  const problems = await checkComposed(spec, merged.files, ground, factors);
  if (problems.length > 0) return `${what}: ${problemsText(problems)}`;
  const { because } = spec.hypothesis;
  return {
    ...{ spec, files: merged.files, parent: better, merges: other.name, factors, effect },
    ...{ because: `${because}.`, finding: null },
  };
}

const scoreOf = ({ evidence }: VersionRecord): number => evidence.selection?.score?.value ?? -1;

/** The sum of the two effects, which is what the other one adds to the better one. */
function predicted(better: VersionRecord, other: VersionRecord, base: VersionRecord): PredictedEffect | null {
  const [gained, added] = [effectOf(better, base), effectOf(other, base)];
  if (gained === null || added === null) return null;
  return {
    against: base.name,
    difference: gained + added,
    parts: [
      { version: better.name, against: base.name, difference: gained },
      { version: other.name, against: base.name, difference: added },
    ],
  };
}

function becauseOf(better: VersionRecord, other: VersionRecord, base: VersionRecord): string {
  const of = (version: VersionRecord): string => {
    const effect = effectOf(version, base);
    return effect === null ? `${version.name} was kept` : `${version.name} gained ${points(effect)}`;
  };
  return `${of(better)} and ${of(other)} over ${base.name}, and their edits touch different values`;
}
