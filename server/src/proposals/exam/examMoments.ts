import { casesOf, type Case } from "../../memory/cases/case.ts";
import { profileOf } from "../../memory/cases/profile.ts";
import { isPatch, isValueEdit, type GivenEdit } from "../../../../shared/spec/edit.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { CandidateIdea } from "../search/candidateIdea.ts";
import {
  leftOutWords,
  type ExamChange,
  type ExamDraft,
  type ExamMoment,
  type LeftOut,
  type LeftOutReason,
} from "./examDraft.ts";
import { importedDraft, importedEffect, withoutTraces } from "./importedDrafts.ts";

export interface ExamGround {
  /** The score by which versions are decided: what authors expect of another one is no claim about it. */
  readonly metric: string;
  /** What the files of a version have otherwise than its parent's; asked of versions that other tools made. */
  readonly changeOf: (version: VersionRecord, parent: VersionRecord) => Promise<ExamChange>;
}

/**
 * The moments of a lineage: one for each version of which two or more changes were measured, in one generation or in several;
 * each of them could have been the first. And how many versions are no draft of any, with the reasons, the most frequent first.
 */
export async function examMoments(
  lineage: Lineage,
  ground: ExamGround,
): Promise<{ readonly moments: readonly ExamMoment[]; readonly leftOut: readonly LeftOut[] }> {
  const cases = casesOf(lineage);
  const places = new Map(lineage.versions.map(({ name }, place) => [name, place]));
  const placeOf = (name: string): number => places.get(name) ?? Infinity;
  const generations = new Map(lineage.versions.map(({ name, generation }) => [name, generation]));
  const known = new Map(cases.map((one) => [one.version, one]));
  const left: LeftOutReason[] = [];
  const found: { readonly first: number; readonly moment: ExamMoment }[] = [];
  for (const [parent, children] of families(lineage)) {
    const all: ExamDraft[] = [];
    for (const child of children) {
      const draft = isImported(child)
        ? await foreignDraft(child, parent, { ...ground, siblings: children })
        : ownDraft(child, known.get(child.name), ground.metric);
      if (typeof draft === "string") left.push(draft);
      else all.push(draft);
    }
    const drafts = comparable(all);
    left.push(...all.filter((draft) => !drafts.includes(draft)).map(() => "otherUnit" as const));
    if (drafts.length < 2) left.push(...drafts.map(() => "alone" as const));
    // Scores of other tools are often of few items.
    else if (children.some(isImported) && drafts.every(({ effect }) => effect === drafts[0]?.effect))
      left.push(...drafts.map(() => "same" as const));
    else {
      const moment = momentOf(parent, { drafts, children, cases, generations, placeOf });
      found.push({ first: placeOf(drafts[0]?.version ?? ""), moment });
    }
  }
  const moments = found.sort((a, b) => a.first - b.first).map(({ moment }) => moment);
  return { moments, leftOut: counted(left) };
}

const isImported = ({ origin }: VersionRecord): boolean => origin !== undefined;

/** The versions of which others were made, each with those; what a source only names is none of them. */
function families({ versions }: Lineage): Map<VersionRecord, VersionRecord[]> {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const families = new Map<VersionRecord, VersionRecord[]>();
  for (const version of versions) {
    const parent = byName.get(version.parent ?? "");
    if (parent === undefined || version.origin?.missing === true) continue;
    const children = families.get(parent) ?? [];
    families.set(parent, children);
    children.push(version);
  }
  return families;
}

function ownDraft(version: VersionRecord, one: Case | undefined, metric: string): ExamDraft | LeftOutReason {
  if (version.standing === "claim") return "claim";
  if (version.decision === undefined) return "undecided";
  if (one === undefined || one.factor === null) return "noSingleChange";
  const effect = one.ended === "invalid" ? -Infinity : one.effect?.difference;
  if (effect === undefined) return "uncompared";
  const { factor } = one;
  const idea = ideaOf(version, { factor, triggers: one.triggers }, metric);
  return { version: version.name, name: version.name, idea, factor, effect, by: "comparison", metric: null };
}

async function foreignDraft(
  version: VersionRecord,
  parent: VersionRecord,
  { metric, changeOf, siblings }: ExamGround & { readonly siblings: readonly VersionRecord[] },
): Promise<ExamDraft | LeftOutReason> {
  if ((version.origin?.parents.length ?? 0) > 1) return "severalParents";
  const effect = importedEffect(version, parent);
  if (typeof effect === "string") return effect;
  // Its files need not be read where it cannot be asked about anyway.
  if (siblings.length < 2) return "alone";
  return importedDraft(version, { effect, change: await changeOf(version, parent), score: metric });
}

/** Those that are measured by what most are measured by: of 0.2 points and of 0.2 of a loss nobody can say which is more. */
function comparable(drafts: readonly ExamDraft[]): ExamDraft[] {
  const counts = new Map<string | null, number>();
  for (const { effect, metric } of drafts)
    if (Number.isFinite(effect)) counts.set(metric, (counts.get(metric) ?? 0) + 1);
  const [[most] = [null]] = [...counts].sort(([, a], [, b]) => b - a);
  return drafts.filter(({ effect, metric }) => !Number.isFinite(effect) || metric === most);
}

interface Family {
  readonly drafts: readonly ExamDraft[];
  readonly children: readonly VersionRecord[];
  readonly cases: readonly Case[];
  readonly generations: ReadonlyMap<string, number>;
  /** Of a version in the lineage. */
  readonly placeOf: (name: string) => number;
}

function momentOf(
  parent: VersionRecord,
  { drafts, children, cases, generations, placeOf }: Family,
): ExamMoment {
  const asked = children.filter(({ name }) => drafts.some(({ version }) => version === name));
  const isForeign = asked.some(isImported);
  const generation = Math.min(...asked.map((child) => child.generation));
  // The generation of an imported version is how deep it lies, so that only the order says what came before.
  const wasKnown = ({ version }: Case): boolean =>
    isForeign
      ? placeOf(version) <= placeOf(parent.name)
      : (generations.get(version) ?? generation) < generation;
  return {
    ...{ parent, generation, isImported: isForeign, profile: profileOf(parent) },
    drafts: isForeign ? withoutTraces(drafts) : drafts,
    cases: cases.filter(wasKnown),
  };
}

function counted(left: readonly LeftOutReason[]): LeftOut[] {
  const counts = new Map<LeftOutReason, number>();
  for (const reason of left) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, versions]) => ({ because: leftOutWords[reason], versions }));
}

function ideaOf(
  version: VersionRecord,
  {
    factor,
    triggers,
  }: { readonly factor: ExamDraft["idea"]["spec"]["factor"]; readonly triggers: readonly string[] },
  metric: string,
): CandidateIdea {
  const spec = version.hypothesis?.spec;
  const edit = (spec?.edit ?? []).filter((e): e is GivenEdit => isPatch(e) || isValueEdit(e));
  const told = spec ?? {
    ...{ apiVersion: "evotrainer/v1" as const, kind: "Intervention" as const, name: version.name, factor },
    hypothesis: { change: factor, metric, direction: "increase" as const, because: version.title },
    ...{ targets: [...triggers], predicts: { fixes: [], risks: [] }, guardrails: [] },
    success: { metric, atLeast: 0, confidence: 0.95 },
    rollback: "revert" as const,
  };
  return {
    origin: "intervention",
    spec: { ...told, edit },
    declared: spec !== undefined && spec.success.metric === metric ? spec.success.atLeast : null,
    isOpenEnded: false,
  };
}
