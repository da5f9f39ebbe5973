import type { Edit } from "../../../../shared/spec/edit.ts";
import { caseEdits, type Case, type CaseEdit } from "../../memory/cases/case.ts";
import { isNearCopy } from "../../memory/cases/editDistance.ts";
import { hasOtherFailures, type Profile } from "../../memory/cases/profile.ts";
import type { CandidateIdea } from "./candidateIdea.ts";

/** A change that was proposed before. */
export interface Tried {
  /** The version that made it, where it has one. */
  readonly version: string | null;
  readonly name: string;
  /** Null where only its name is known, as from an earlier release. */
  readonly edit: readonly Edit[] | null;
  /** It was proposed on the very version that is changed now, and is never proposed there again. */
  readonly isHere: boolean;
}

export interface NoveltyGround {
  readonly tried: readonly Tried[];
  readonly cases: readonly Case[];
  /** Of the version to change; null where it was not evaluated. */
  readonly profile: Profile | null;
}

/**
 * Why an idea is not tried again, in a sentence; null where it is new. Noise may be tried once more where the labels that it
 * answers are clearly rarer or more frequent; what was worse or quarantined is not, nor what goes further the same way.
 */
export function whyNotNew({ spec }: CandidateIdea, ground: NoveltyGround): string | null {
  const change = { factor: spec.factor, edits: caseEdits(spec.edit) };
  const byVersion = new Map(ground.cases.map((one) => [one.version, one]));
  for (const tried of ground.tried) {
    if (tried.edit === null) {
      if (tried.name === spec.name) return `${spec.name} was tried before.`;
      continue;
    }
    if (!isNearCopy(change, { factor: spec.factor, edits: caseEdits(tried.edit) })) continue;
    const by = tried.version ?? tried.name;
    if (tried.isHere) return `${by} makes nearly the same change of this version.`;
    const known = tried.version === null ? undefined : byVersion.get(tried.version);
    if (known === undefined || !mayReturn(known, ground.profile))
      return `${by} made nearly the same change${known === undefined ? "" : `, and ${endText(known)}`}.`;
  }
  for (const one of ground.cases) {
    if (one.ended !== "worse" && one.ended !== "invalid") continue;
    const isSame = isNearCopy(change, one);
    if (isSame && one.ended === "invalid")
      return `${one.version} made nearly the same change and was quarantined.`;
    if (!isSame && !isBeyond(change.edits, one.edits)) continue;
    if (ground.profile !== null && hasOtherFailures(one.profile, ground.profile, one.triggers)) continue;
    return isSame
      ? `${one.version} made nearly the same change and was worse.`
      : `${one.version} went less far the same way and ${one.ended === "invalid" ? "was quarantined" : "was worse"}.`;
  }
  return null;
}

function mayReturn({ ended, profile, triggers }: Case, now: Profile | null): boolean {
  if (ended !== "noise" && ended !== "better") return false;
  return now !== null && hasOtherFailures(profile, now, triggers);
}

function endText({ ended }: Case): string {
  switch (ended) {
    case "better":
      return "was better";
    case "worse":
      return "was worse";
    case "invalid":
      return "was quarantined";
    case "noise":
      return "its parent failed at the same things: it was inside the noise";
    case "unmeasured":
      return "was not measured";
  }
}

/** Whether one number goes at least as far from where it stood as another one did, in the same direction. */
function isBeyond(edits: readonly CaseEdit[], other: readonly CaseEdit[]): boolean {
  const [a, b] = [edits[0], other[0]];
  if (edits.length !== 1 || other.length !== 1 || a?.type !== "value" || b?.type !== "value") return false;
  if (a.file !== b.file || a.path !== b.path) return false;
  if (typeof a.to !== "number" || typeof b.to !== "number") return false;
  if (typeof a.from !== "number" || typeof b.from !== "number") return false;
  const [own, before] = [a.to - a.from, b.to - b.from];
  return own * before > 0 && Math.abs(a.to - b.from) >= Math.abs(before);
}
