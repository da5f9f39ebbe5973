import type { z } from "zod";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { EvidenceMapping } from "../../../../shared/spec/evidenceMapping.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";

export const projectFileName = "evotrainer.yaml";

/** One schema per kind: validation, completion and hover all read it. */
export const specSchemas = {
  project: ProjectSpec,
  diagnostic: DiagnosticSpec,
  intervention: InterventionSpec,
  reward: RewardSpec,
  evidence: EvidenceMapping,
} as const satisfies Record<string, z.ZodType>;

export type SpecKind = keyof typeof specSchemas;

const endings: readonly (readonly [string, SpecKind])[] = [
  [".diagnostic.yaml", "diagnostic"],
  [".intervention.yaml", "intervention"],
  [".reward.yaml", "reward"],
  [".evidence.yaml", "evidence"],
];

/** The kind of spec that a file name announces, or undefined for a file that is none of ours. */
export function specKindOf(fileName: string): SpecKind | undefined {
  const name = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  if (name === projectFileName) return "project";
  return endings.find(([ending]) => name.endsWith(ending) && name.length > ending.length)?.[1];
}
