import type { Edit } from "../../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { Joined } from "./candidateIdea.ts";
import { ideaParts } from "./combinations.ts";
import { caseEdits, isTelling, partsOf, type Case, type CaseEdit } from "../../memory/cases/case.ts";
import { isNearCopy, type Change } from "../../memory/cases/editDistance.ts";
import { hasOtherFailures, type Profile } from "../../memory/cases/profile.ts";

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

type Changing = Pick<InterventionSpec, "name" | "factor" | "edit">;

/**
 * Why an idea is not tried again, in a sentence; null where it is new. Noise may be tried once more where the labels that it
 * answers are clearly rarer or more frequent; what was worse or quarantined is not, nor what goes further the same way.
 */
export function whyNotNew(
  { spec, joins }: { readonly spec: Changing; readonly joins?: Joined },
  ground: NoveltyGround,
): string | null {
  const change = { factor: spec.factor, edits: caseEdits(spec.edit) };
  const own = ideaParts({ spec, ...(joins === undefined ? {} : { joins }) }).at(-1) ?? change;
  const byVersion = new Map(ground.cases.map((one) => [one.version, one]));
  for (const tried of ground.tried) {
    const why = triedText(tried, { name: spec.name, change }, { byVersion, profile: ground.profile });
    if (why !== null) return why;
  }
  for (const one of ground.cases) {
    const why =
      takesBackText(one, change) ??
      failedText(one, change, ground.profile) ??
      failedWithText(one, own, ground.profile);
    if (why !== null) return why;
  }
  return null;
}

/**
 * Why an idea takes back what a better version changed, to where it was or further; null where it does not. Whether a kept
 * change is needed is found out by leaving it out, which asks for less evidence than being better does.
 */
function takesBackText({ version, ended, edits }: Case, change: Change): string | null {
  if (ended !== "better") return null;
  return change.edits.some((edit) => edits.some((kept) => isTakenBack(kept, edit)))
    ? `It takes back what ${version} changed, and ${version} was better.`
    : null;
}

function isTakenBack(kept: CaseEdit, edit: CaseEdit): boolean {
  if (kept.type !== "value" || edit.type !== "value") return false;
  if (kept.file !== edit.file || kept.path !== edit.path || !Object.is(kept.to, edit.from)) return false;
  if (Object.is(kept.from, edit.to)) return true;
  if (typeof kept.from !== "number" || typeof kept.to !== "number" || typeof edit.to !== "number")
    return false;
  return (kept.from - kept.to) * (edit.to - kept.from) > 0;
}

/** What failed together with a change that had looked better before: the one that was added is to blame. */
function failedWithText(one: Case, own: Change, now: Profile | null): string | null {
  const added = partsOf(one).at(-1);
  if (one.parts === undefined || added === undefined || !isNearCopy(own, added)) return null;
  if (!isTelling(one.ended))
    return `${one.version} made nearly the same change together with another one and ${endText(one)}.`;
  if (one.ended !== "worse") return null;
  return now !== null && hasOtherFailures(one.profile, now, one.triggers)
    ? null
    : `${one.version} made nearly the same change together with another one and was worse.`;
}

/**
 * Whether all that speaks against an idea is that it was tried alone, and was inside the noise: together with another change
 * it may do something.
 */
export function isOnlyTried(
  { spec }: { readonly spec: Changing },
  { cases, profile }: NoveltyGround,
): boolean {
  const change = { factor: spec.factor, edits: caseEdits(spec.edit) };
  return (
    cases.some((one) => one.ended === "noise" && isNearCopy(change, one)) &&
    cases.every((one) => failedText(one, change, profile) === null)
  );
}

function triedText(
  tried: Tried,
  { name, change }: { readonly name: string; readonly change: Change },
  known: { readonly byVersion: ReadonlyMap<string, Case>; readonly profile: Profile | null },
): string | null {
  if (tried.edit === null) return tried.name === name ? `${name} was tried before.` : null;
  if (!isNearCopy(change, { factor: change.factor, edits: caseEdits(tried.edit) })) return null;
  const by = tried.version ?? tried.name;
  if (tried.isHere) return `${by} makes nearly the same change of this version.`;
  const before = tried.version === null ? undefined : known.byVersion.get(tried.version);
  if (before === undefined) return `${by} made nearly the same change.`;
  return mayReturn(before, known.profile)
    ? null
    : `${by} made nearly the same change, and ${endText(before)}.`;
}

/** Why a case that was worse or quarantined speaks against a change; null where it does not. */
function failedText(one: Case, change: Change, now: Profile | null): string | null {
  if (one.ended !== "worse" && isTelling(one.ended)) return null;
  const isSame = isNearCopy(change, one);
  const how = endText(one);
  if (isSame && !isTelling(one.ended)) return `${one.version} made nearly the same change and ${how}.`;
  if (!isSame && !isBeyond(change.edits, one.edits)) return null;
  if (now !== null && hasOtherFailures(one.profile, now, one.triggers)) return null;
  return isSame
    ? `${one.version} made nearly the same change and ${how}.`
    : `${one.version} went less far the same way and ${how}.`;
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
    case "held":
      return "has a gain that may be a shortcut, which no person has approved";
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
