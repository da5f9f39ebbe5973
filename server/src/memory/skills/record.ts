import type { HypothesisResult } from "../../../../shared/ledger/hypothesisResult.ts";
import type { SkillSpec, SkillValidation } from "../../../../shared/spec/skill.ts";
import { isValueEdit } from "../../../../shared/spec/edit.ts";
import { stageOf } from "../../decision/testing/stage.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { PooledEffect } from "../../statistics/intervals/randomEffects.ts";
import { doubtOn, type DoubtsOf } from "./doubts.ts";
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
  /** In which a version confirmed it, sorted. */
  readonly domains: readonly string[];
  /** Skills in use that are alike and were confirmed in domains in which this one was not, and these domains. */
  readonly alike: readonly { readonly name: string; readonly domains: readonly string[] }[];
  /** Whether it was confirmed, and it and those together in two domains. */
  readonly isShared: boolean;
  /** Why it is out of use, in a sentence; null where it is in use. */
  readonly retired: string | null;
}

/** What a file says of a skill, with what the lineage says of its uses; a use that stands in both counts once. */
export function recordOf(spec: SkillSpec, lineage: Lineage, doubtsOf: DoubtsOf): SkillRecord {
  const uses = usesOf(spec, lineage, doubtsOf);
  // What a file says of a version here was true when it was written, and may not be any more.
  const doubted = doubtedIn(lineage, doubtsOf);
  const validations = mergedValidations(
    spec.validations.filter((one) => !doubted.some((other) => isSame(one, other))),
    uses.scored,
  );
  const predictions = validations.filter(({ used }) => used === true);
  const count = (outcome: SkillValidation["outcome"]): number =>
    predictions.filter((one) => one.outcome === outcome).length;
  const domains = confirmedIn(validations);
  return {
    validations,
    open: uses.open,
    used: predictions.length + uses.open.length,
    cameTrue: count("confirmed"),
    refuted: count("refuted"),
    insideNoise: count("inside_noise"),
    expected: expectedFrom(validations, spec.expects.metric),
    domains,
    alike: [],
    isShared: isShared(domains),
    retired:
      spec.retired === undefined ? retiredBy(validations) : `Somebody retired it: ${spec.retired.because}`,
  };
}

/**
 * Skills that are known together: one that was confirmed is shared as well where another one was that is alike, in another
 * domain. What each is expected to do comes from its own trials alone.
 */
export function knownTogether<T extends KnownSkill>(skills: readonly T[]): T[] {
  const byMove = new Map<string, T[]>();
  for (const one of skills) for (const move of movesOf(one.spec)) entryOf(byMove, move).push(one);
  return skills.map((one) => {
    const { domains } = one.record;
    if (domains.length === 0) return one;
    const others = new Set(movesOf(one.spec).flatMap((move) => byMove.get(move) ?? []));
    const alike = [...others].flatMap(({ spec, record }) => {
      const more = record.domains.filter((domain) => !domains.includes(domain));
      return more.length === 0 || record.retired !== null ? [] : [{ name: spec.name, domains: more }];
    });
    const all = new Set([...domains, ...alike.flatMap((other) => other.domains)]);
    return { ...one, record: { ...one.record, alike, isShared: isShared([...all]) } };
  });
}

/** The validations of both, each once; for two files of one skill that went different ways. */
export function mergedValidations(
  a: readonly SkillValidation[],
  b: readonly SkillValidation[],
): SkillValidation[] {
  return [...a, ...b.filter((one) => !a.some((other) => isSame(one, other)))];
}

/** Two projects may give one name to two versions; a commit is of one. */
const isSame = (a: Trial, b: Trial): boolean =>
  a.domain === b.domain &&
  a.version === b.version &&
  (a.commit === undefined || b.commit === undefined || a.commit === b.commit);

/** What a skill changes, to which values, wherever these lie. */
type Template = Pick<SkillSpec, "factor"> & {
  readonly edit: readonly Pick<SkillSpec["edit"][number], "file" | "path" | "to">[];
};

/** Whether two skills change the same things to the same values, wherever these lie. */
export const isSameTemplate = (a: Template, b: Template): boolean => keyOf(a) === keyOf(b);

const keyOf = ({ factor, edit }: Template): string =>
  [factor, ...edit.map((one) => JSON.stringify([placeOf(one, edit), one.to])).sort()].join("\n");

/** Where a value lies: another project's file may have another name, but two files with one path are two places. */
const placeOf = ({ file, path }: Template["edit"][number], all: Template["edit"]): string =>
  all.filter((one) => one.path === path).length > 1 ? `${file ?? ""}: ${path}` : path;

function entryOf<T>(map: Map<string, T[]>, key: string): T[] {
  const found = map.get(key) ?? [];
  map.set(key, found);
  return found;
}

/**
 * What a skill does and expects of it: the values that it moves and in which direction, by however much; and to which values,
 * whether or not it says from where. Skills that have one of the two in common are alike.
 */
function movesOf({ factor, edit, expects }: SkillSpec): [string, string] {
  const moves = edit.map((one) => {
    const { from, to } = one;
    const isMoved = typeof from === "number" && typeof to === "number" && from !== to;
    return JSON.stringify([placeOf(one, edit), isMoved ? (to > from ? "raised" : "lowered") : { to }]);
  });
  const expected = `${expects.metric} ${expects.direction}`;
  return [[factor, expected, ...moves.sort()].join("\n"), `${keyOf({ factor, edit })}\n${expected}`];
}

type Trial = Pick<SkillValidation, "domain" | "version" | "commit">;
/** By what the doubts of one lineage are asked with: many skills are asked of it. */
const doubtedBy = new WeakMap<DoubtsOf, readonly Trial[]>();

/** The kept versions of a lineage that confirm nothing. */
function doubtedIn(lineage: Lineage, doubtsOf: DoubtsOf): readonly Trial[] {
  const before = doubtedBy.get(doubtsOf);
  if (before !== undefined) return before;
  const found = lineage.versions
    .filter((version) => version.hypothesis !== undefined && doubtOn(version, doubtsOf) !== null)
    .map(({ name, proposed }) => ({ domain: lineage.domain, version: name, commit: proposed }));
  doubtedBy.set(doubtsOf, found);
  return found;
}

interface Uses {
  readonly scored: readonly SkillValidation[];
  readonly open: readonly OpenUse[];
}

/**
 * What the lineage says of a template: its uses, and the versions in which somebody else tried the same change. To leave out
 * those that were not kept would make it look better than it is.
 */
function usesOf(spec: SkillSpec, lineage: Lineage, doubtsOf: DoubtsOf): Uses {
  const scored: { readonly at: string; readonly validation: SkillValidation }[] = [];
  const open: OpenUse[] = [];
  for (const version of trialsIn(lineage).get(keyOf(spec)) ?? []) {
    const used = version.hypothesis?.skill?.name === spec.name;
    const found = doubtOn(version, doubtsOf) ?? scoreOf(spec, version, { domain: lineage.domain, used });
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
    entryOf(trials, key).push(version);
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
