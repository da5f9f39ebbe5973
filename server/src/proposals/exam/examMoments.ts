import { casesOf, type Case } from "../../memory/cases/case.ts";
import { profileOf, type Profile } from "../../memory/cases/profile.ts";
import { isPatch, isValueEdit, type GivenEdit } from "../../../../shared/spec/edit.ts";
import type { Lineage } from "../../lineage/graph.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import type { CandidateIdea } from "../search/candidateIdea.ts";

/** A draft whose outcome is hidden in the exam. */
export interface ExamDraft {
  readonly version: string;
  readonly idea: CandidateIdea;
  /** What it did to the score against its parent, in [-1, 1]; minus infinity where it was invalid. */
  readonly effect: number;
}

/** The moment at which the first change of a version was chosen, with what was known then. */
export interface ExamMoment {
  readonly parent: VersionRecord;
  /** That of the first change. */
  readonly generation: number;
  /** Two or more, in the order of the lineage. */
  readonly drafts: readonly ExamDraft[];
  /** The cases of earlier generations. */
  readonly cases: readonly Case[];
  readonly profile: Profile | null;
}

/**
 * The moments of a lineage: one for each version of which two or more changes were measured, in one generation or in several;
 * each of them could have been the first. Changes of which
 * the ledger does not keep the edits, as of lineages that other tools made, are told by what they are about alone.
 *
 * @param metric the score by which versions are decided: what authors expect of another one is no claim about it
 */
export function examMoments(lineage: Lineage, metric: string): ExamMoment[] {
  const cases = casesOf(lineage);
  const byName = new Map(lineage.versions.map((version) => [version.name, version]));
  const open = new Map<string, ExamDraft[]>();
  for (const one of cases) {
    const version = byName.get(one.version);
    const effect = one.ended === "invalid" ? -Infinity : one.effect?.difference;
    if (version === undefined || effect === undefined || one.factor === null) continue;
    const drafts = open.get(one.parent) ?? [];
    open.set(one.parent, drafts);
    drafts.push({ version: version.name, idea: ideaOf(version, one, metric), effect });
  }
  return [...open.values()].flatMap((drafts) => {
    const first = byName.get(drafts[0]?.version ?? "");
    const parent = byName.get(first?.parent ?? "");
    if (drafts.length < 2 || first === undefined || parent === undefined) return [];
    const generation = Math.min(...drafts.map(({ version }) => byName.get(version)?.generation ?? Infinity));
    const known = cases.filter(({ version }) => (byName.get(version)?.generation ?? generation) < generation);
    return [{ parent, generation, drafts, cases: known, profile: profileOf(parent) }];
  });
}

function ideaOf(version: VersionRecord, one: Case, metric: string): CandidateIdea {
  const spec = version.hypothesis?.spec;
  const factor = one.factor ?? "reward";
  const edit = (spec?.edit ?? []).filter((e): e is GivenEdit => isPatch(e) || isValueEdit(e));
  const told = spec ?? {
    ...{ apiVersion: "evotrainer/v1" as const, kind: "Intervention" as const, name: version.name, factor },
    hypothesis: { change: factor, metric, direction: "increase" as const, because: version.title },
    ...{ targets: [...one.triggers], predicts: { fixes: [], risks: [] }, guardrails: [] },
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
