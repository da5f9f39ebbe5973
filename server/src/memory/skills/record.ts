import type { HypothesisResult } from "../../../../shared/ledger/hypothesisResult.ts";
import { isDoubtful } from "../../../../shared/ledger/newWayText.ts";
import type { SkillSpec, SkillValidation } from "../../../../shared/spec/skill.ts";
import { isValueEdit } from "../../../../shared/spec/edit.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import type { Lineage } from "../../lineage/graph.ts";
import { isApproved } from "../../lineage/records/held.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { PooledEffect } from "../../statistics/intervals/randomEffects.ts";
import { at95, confirmedIn, expectedFrom, isShared, outcomeOf, retiredBy } from "./outcomes.ts";

/** A use whose outcome is not known, or never will be. */
export interface OpenUse {
  readonly domain: string;
  readonly version: string;
  readonly because: string;
}

/** A skill with its record. */
export interface KnownSkill {
  readonly spec: SkillSpec;
  readonly record: SkillRecord;
}

/** What a skill has done so far: in its file, and in the lineage of this project. */
export interface SkillRecord {
  /** Those of the file first, then what the ledger adds, by time. */
  readonly validations: readonly SkillValidation[];
  /** Uses without an outcome. */
  readonly open: readonly OpenUse[];
  readonly used: number;
  readonly cameTrue: number;
  readonly refuted: number;
  readonly insideNoise: number;
  readonly expected: PooledEffect | null;
  /** In which a version confirmed it, or a skill that is alike, sorted. */
  readonly domains: readonly string[];
  readonly isShared: boolean;
  /** Names of other skills that move the same values in the same direction. */
  readonly alike: readonly string[];
  /** Why it is out of use, in a sentence; null where it is in use. */
  readonly retired: string | null;
}

/**
 * What a file says of a skill, with what the lineage says of its uses; a use that stands in both counts once. What was measured
 * of skills that are alike says where such a change helped, and not how much this one does.
 */
export function recordOf(spec: SkillSpec, lineage: Lineage, alike: readonly SkillSpec[] = []): SkillRecord {
  const uses = usesOf(spec, lineage);
  const validations = allOf(spec, uses);
  const predictions = validations.filter(({ used }) => used === true);
  const count = (outcome: SkillValidation["outcome"]): number =>
    predictions.filter((one) => one.outcome === outcome).length;
  const domains = confirmedIn([spec, ...alike].flatMap((one) => allOf(one, usesOf(one, lineage))));
  return {
    validations,
    open: uses.open,
    used: predictions.length + uses.open.length,
    cameTrue: count("confirmed"),
    refuted: count("refuted"),
    insideNoise: count("inside_noise"),
    expected: expectedFrom(validations, spec.expects.metric),
    domains,
    isShared: isShared(domains),
    alike: alike.map(({ name }) => name),
    retired:
      spec.retired === undefined ? retiredBy(validations) : `Somebody retired it: ${spec.retired.because}`,
  };
}

/** Those of its file first, then what the lineage adds. */
function allOf({ validations }: SkillSpec, { scored }: Uses): SkillValidation[] {
  return mergedValidations(validations, scored);
}

/** The validations of both, each once; for two files of one skill that went different ways. */
export function mergedValidations(
  a: readonly SkillValidation[],
  b: readonly SkillValidation[],
): SkillValidation[] {
  return [...a, ...b.filter((one) => !a.some((other) => isSame(one, other)))];
}

/** Two projects may give one name to two versions; a commit is of one. */
const isSame = (a: SkillValidation, b: SkillValidation): boolean =>
  a.domain === b.domain &&
  a.version === b.version &&
  (a.commit === undefined || b.commit === undefined || a.commit === b.commit);

/** What a skill changes, to which values, wherever these lie. */
type Template = Pick<SkillSpec, "factor"> & {
  readonly edit: readonly Pick<SkillSpec["edit"][number], "path" | "to">[];
};

/** Whether two skills change the same things to the same values, wherever these lie. */
export const isSameTemplate = (a: Template, b: Template): boolean => keyOf(a) === keyOf(b);

const keyOf = ({ factor, edit }: Template): string =>
  [factor, ...edit.map(({ path, to }) => JSON.stringify([path, to])).sort()].join("\n");

/** Whether two skills move the same values in the same direction, by however much, and expect the same of it. */
export const isSameMove = (a: SkillSpec, b: SkillSpec): boolean => moveOf(a) === moveOf(b);

function moveOf({ factor, edit, expects }: SkillSpec): string {
  const moves = edit.map(({ path, from, to }) => {
    const isNumber = typeof from === "number" && typeof to === "number";
    return JSON.stringify([path, isNumber ? (to > from ? "raised" : "lowered") : { to }]);
  });
  return [factor, expects.metric, expects.direction, ...moves.sort()].join("\n");
}

interface Uses {
  readonly scored: readonly SkillValidation[];
  readonly open: readonly OpenUse[];
}

/**
 * What the lineage says of a template: its uses, and the versions in which somebody else tried the same change. To leave out
 * those that were not kept would make it look better than it is.
 */
function usesOf(spec: SkillSpec, lineage: Lineage): Uses {
  const scored: { readonly at: string; readonly validation: SkillValidation }[] = [];
  const open: OpenUse[] = [];
  for (const version of trialsIn(lineage).get(keyOf(spec)) ?? []) {
    const used = version.hypothesis?.skill?.name === spec.name;
    const found = scoreOf(spec, version, { domain: lineage.domain, used });
    if (typeof found !== "string") scored.push({ at: version.decision?.at ?? "", validation: found });
    else if (used) open.push({ domain: lineage.domain, version: version.name, because: found });
  }
  scored.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return { scored: scored.map(({ validation }) => validation), open };
}

type Trials = ReadonlyMap<string, readonly VersionRecord[]>;
const known = new WeakMap<Lineage, Trials>();

/** The versions of a lineage by what they change: many skills are asked of one lineage, which nobody changes. */
function trialsIn(lineage: Lineage): Trials {
  const before = known.get(lineage);
  if (before !== undefined) return before;
  const trials = new Map<string, VersionRecord[]>();
  for (const version of lineage.versions) {
    const template = templateOf(version);
    if (template === null) continue;
    const key = keyOf(template);
    trials.set(key, [...(trials.get(key) ?? []), version]);
  }
  known.set(lineage, trials);
  return trials;
}

/** A trial is what an engine that is trusted here wrote down, and changes nothing but values. */
function templateOf({ hypothesis, standing, origin }: VersionRecord): Template | null {
  const tried = hypothesis?.spec;
  if (tried === undefined || standing === "claim" || origin !== undefined) return null;
  const edit = tried.edit.filter(isValueEdit);
  return edit.length === tried.edit.length ? { factor: tried.factor, edit } : null;
}

/** What came of a use; why that is not known, as a sentence. */
function scoreOf(
  spec: SkillSpec,
  version: VersionRecord,
  { domain, used }: { readonly domain: string; readonly used: boolean },
): SkillValidation | string {
  const { name, hypothesis, decision, parent, proposed: commit } = version;
  if (hypothesis?.speaksOf !== undefined)
    return "It was altered at its gate, so what was trained is not what the skill changes.";
  if (decision === undefined) return "It is not decided yet.";
  const { comparison, hypothesis: result } = decision;
  const place = {
    ...{ domain, version: name, metric: spec.expects.metric, commit },
    ...(used ? { used } : {}),
    ...(parent === null ? {} : { against: parent }),
  };
  // What an invalid version gained is not believed, so that there is no measured change either.
  if (decision.decision === "invalid") return { ...place, change: 0, outcome: "refuted" };
  if (spec.expects.metric !== "solve_rate") return result === undefined ? untold : movedAs(place, result);
  if (isDoubtful(decision) && !isApproved(version))
    return "Its gain may be a shortcut, and no person has said that it is none.";
  if (comparison === null) return `Nothing was measured (${decision.decision}): ${decision.reason}`;
  const measured = at95(comparison, comparison.confidence);
  const outcome = outcomeOf(measured, {
    direction: spec.expects.direction,
    atLeast: spec.expects.atLeast,
    expected: used ? (hypothesis?.skill?.expected ?? null) : null,
    isReplicated: stageOf(version) === "replicated",
  });
  return { ...place, change: measured.difference, low: measured.low, high: measured.high, outcome };
}

const untold = "The ledger does not say what became of its metric.";

/** Of another metric than the score, the decision says whether it moved as its hypothesis said. */
function movedAs(
  place: Omit<SkillValidation, "change" | "outcome">,
  { metric, from, to, low, high, moved }: HypothesisResult,
): SkillValidation | string {
  if (metric !== place.metric || moved === "cannot_tell" || from === null || to === null) return untold;
  return {
    ...{ ...place, change: to - from },
    ...(low === null || high === null ? {} : { low, high }),
    outcome: moved === "as_said" ? "confirmed" : moved === "against" ? "refuted" : "inside_noise",
  };
}
