import { isHeld } from "../../lineage/records/held.ts";
import { isDeepStrictEqual } from "node:util";
import type { Factor, Scalar } from "../../../../shared/spec/common.ts";
import { isPatch, isValueEdit, type Edit } from "../../../../shared/spec/edit.ts";
import type { Decision } from "../../../../shared/ledger/ledger.ts";
import type { Comparison } from "../../../../shared/ledger/measures.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { profileOf, type Profile } from "./profile.ts";

/** A change of one value, or of lines of files. */
export type CaseEdit =
  | {
      readonly type: "value";
      readonly file: string;
      readonly path: string;
      readonly from: Scalar;
      readonly to: Scalar;
    }
  | { readonly type: "patch"; readonly patch: string };

/** How a version ended, in one word: noise means that its interval holds 0, held that its gain may be a shortcut. */
export type CaseEnd = "better" | "worse" | "noise" | "invalid" | "held" | "unmeasured";

/** A measured difference of the score to the parent, in [-1, 1], with its standard error. */
export interface CaseEffect {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  readonly error: number;
}

/** What is changed for one reason. */
export interface CasePart {
  readonly factor: Factor | null;
  /** The intervention that it was made from, by name. */
  readonly template: string | null;
  readonly edits: readonly CaseEdit[];
}

/** A decided version: what its parent failed at, what was changed, and what came of it. */
export interface Case {
  readonly version: string;
  readonly parent: string;
  readonly factor: Factor | null;
  /** The intervention that it was made from, by name. */
  readonly template: string | null;
  /** The findings that it answered. */
  readonly triggers: readonly string[];
  readonly edits: readonly CaseEdit[];
  /** Of a version that has the edits of a tried one as well: the parts of that one, and its own, which is the last. */
  readonly parts?: readonly CasePart[];
  /** Of the parent. */
  readonly profile: Profile;
  readonly effect: CaseEffect | null;
  readonly decision: Decision;
  readonly ended: CaseEnd;
  /** What its jobs took together, per seed; null where the ledger does not say. */
  readonly seconds: number | null;
}

/**
 * Every decided version of a lineage as a case, in the order of the lineage. Pure. What nobody who is trusted here signed
 * teaches nothing.
 */
export function casesOf({ versions }: Lineage): Case[] {
  const parents = new Map<string, VersionRecord>();
  const cases = new Map<string, Case>();
  for (const version of versions) {
    parents.set(version.name, version);
    const parent = version.parent === null ? undefined : parents.get(version.parent);
    if (parent === undefined || version.standing === "claim") continue;
    const joined = version.joins === undefined ? undefined : cases.get(version.joins);
    const found = caseOf(version, parent, joined);
    if (found !== null) cases.set(version.name, found);
  }
  return [...cases.values()];
}

function caseOf(version: VersionRecord, parent: VersionRecord, joined: Case | undefined): Case | null {
  const { decision } = version;
  if (decision === undefined || decision.decision === "base" || decision.decision === "edit") return null;
  const measured = version.decisions.findLast((d) => d.comparison !== null)?.comparison ?? null;
  // An admission is no comparison of scores, and a merge or a subtraction is no edit that could be made again.
  if (version.merges !== undefined || version.without !== undefined) return null;
  // A baseline is better than the base policy because it is trained: no edit has done that.
  if (version.factor === null && version.intervention === null) return null;
  const alerts = new Set(profileOf(parent)?.alerts ?? []);
  const targets = version.hypothesis?.targets ?? [];
  const triggers = targets.filter((target) => alerts.has(target));
  const edits = editsOf(version);
  const ended = isHeld(version) ? "held" : endOf(decision.decision, measured);
  return {
    version: version.name,
    parent: parent.name,
    factor: version.factor,
    template: version.intervention,
    triggers: triggers.length > 0 ? triggers : targets,
    edits,
    ...joinedParts(version, edits, joined),
    profile: profileOf(parent) ?? { rates: new Map(), alerts: [] },
    effect: measured?.against === parent.name && isTelling(ended) ? effectOf(measured) : null,
    decision: decision.decision,
    ended,
    seconds: secondsOf(version),
  };
}

/** What a case changes, apart for each reason. */
export const partsOf = ({ parts, factor, template, edits }: Case): readonly CasePart[] =>
  parts ?? [{ factor, template, edits }];

function joinedParts(
  { factor, intervention: template, hypothesis }: VersionRecord,
  edits: readonly CaseEdit[],
  joined: Case | undefined,
): Pick<Case, "parts"> {
  if (joined === undefined) return {};
  const others = edits.filter((edit) => !joined.edits.some((one) => isDeepStrictEqual(one, edit)));
  // What was altered at its gate is one change that nobody divides.
  if (others.length === 0 || others.length + joined.edits.length !== edits.length) return {};
  return {
    parts: [...partsOf(joined), { factor: hypothesis?.spec?.factor ?? factor, template, edits: others }],
  };
}

/** What a version changes, as far as the ledger says it; nothing where a reviewer took something else. */
export function editsOf({ hypothesis }: Pick<VersionRecord, "hypothesis">): CaseEdit[] {
  if (hypothesis?.spec === undefined || hypothesis.speaksOf !== undefined) return [];
  return caseEdits(hypothesis.spec.edit);
}

/** Edits as cases hold them; a parameter whose value nobody chose yet is none. */
export function caseEdits(edits: readonly Edit[]): CaseEdit[] {
  return edits.flatMap((edit): CaseEdit[] => {
    if (isPatch(edit)) return [{ type: "patch", patch: edit.patch }];
    const { file, path } = edit;
    return isValueEdit(edit) ? [{ type: "value", file, path, from: edit.from, to: edit.to }] : [];
  });
}

function effectOf({ difference, low, high, confidence, error }: Comparison): CaseEffect {
  const z = normalQuantile(0.5 + Math.min(confidence, 0.9999) / 2);
  // Earlier releases wrote no error down: it is taken from the interval, which is wider where few seeds were known.
  const told = error ?? (high - low) / (2 * z);
  // An interval without any width says more than a few rollouts can.
  return { difference, low, high, confidence, error: Math.max(told, 0.002) };
}

/** What an invalid version scores is what it leaked, and a shortcut teaches nothing either. */
export const isTelling = (ended: CaseEnd): boolean => ended !== "invalid" && ended !== "held";

function endOf(decision: Decision, measured: Comparison | null): CaseEnd {
  if (decision === "invalid") return "invalid";
  if (measured === null) return "unmeasured";
  if (measured.verdict === "improved") return "better";
  return measured.verdict === "regressed" ? "worse" : "noise";
}

/** Of the jobs that finished; a job of several seeds counts for each. */
function secondsOf({ jobs }: VersionRecord): number | null {
  const times = jobs.flatMap(({ seconds, seeds, state }) =>
    seconds === null || state !== "finished" ? [] : [seconds / Math.max(1, seeds?.length ?? 1)],
  );
  return times.length === 0 ? null : times.reduce((sum, t) => sum + t, 0) / times.length;
}
