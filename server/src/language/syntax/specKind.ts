import { z } from "zod";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { EvidenceMapping } from "../../../../shared/spec/evidenceMapping.ts";
import { LineageMapping, saysLineage } from "../../../../shared/spec/lineageMapping.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";

export const projectFileName = "evotrainer.yaml";

/**
 * One schema per kind: validation, completion and hover all read it. A config is a file of the trainer that the project
 * names as a surface or as frozen; what it may hold, only the trainer knows.
 */
export const specSchemas = {
  project: ProjectSpec,
  diagnostic: DiagnosticSpec,
  intervention: InterventionSpec,
  reward: RewardSpec,
  evidence: EvidenceMapping,
  lineage: LineageMapping,
  skill: SkillSpec,
  config: z.unknown(),
} as const satisfies Record<string, z.ZodType>;

export type SpecKind = keyof typeof specSchemas;

const endings: readonly (readonly [string, SpecKind])[] = [
  [".diagnostic.yaml", "diagnostic"],
  [".intervention.yaml", "intervention"],
  [".reward.yaml", "reward"],
  [".evidence.yaml", "evidence"],
  [".skill.yaml", "skill"],
];

/** The kind of spec that a file name announces, or undefined for a file that is none of ours. */
export function specKindOf(fileName: string): SpecKind | undefined {
  const name = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  if (name === projectFileName) return "project";
  return endings.find(([ending]) => name.endsWith(ending) && name.length > ending.length)?.[1];
}

/** The kind of spec that a file is: mappings of evidence and of lineages have the same ending, and say which they are. */
export function specKindIn(fileName: string, text: string): SpecKind | undefined {
  const kind = specKindOf(fileName);
  return kind === "evidence" && saysLineage(text) ? "lineage" : kind;
}

/** Whether a text says that it is a spec of ours: beside no project, a name alone may be another tool's. */
export const saysOurs = (text: string): boolean => /^["']?apiVersion["']?:\s*["']?evotrainer\//m.test(text);

const mappingKinds = ["Evidence", "Lineage"];

/** What `kind` may be in a file whose name leaves the choice. */
export const kindWords = (kind: SpecKind): readonly string[] | undefined =>
  kind === "evidence" || kind === "lineage" ? mappingKinds : undefined;
