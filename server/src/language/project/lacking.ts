import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { requiredFields } from "../../diagnosis/label/requires.ts";
import { rolloutVariables, versionVariables } from "../../predicate/variables.ts";
import type { ProjectContext } from "../rule/rule.ts";
import { diagnosticIn } from "../syntax/typedSpec.ts";

/** Fields of the evidence that a metric is computed from and that no archived rollout has; empty when it can be computed. */
export function lackingFields(name: string, project: ProjectContext): string[] {
  const { facts } = project;
  if (!facts || facts.rollouts === 0) return [];
  return fieldsOf(name, project).filter((field) => isLacking(field, facts));
}

function fieldsOf(name: string, project: ProjectContext): readonly string[] {
  if (name === "solve_rate") return ["outcome"];
  const variable = versionVariables.find((v) => v.name === name);
  if (variable) return variable.fields;
  const label = project.specs().find((s) => s.spec.kind === "diagnostic" && s.name === name);
  const diagnostic = diagnosticIn(label?.spec);
  return diagnostic ? requiredFields(diagnostic) : [];
}

/** A field is seen through the variables that are nothing but it. */
export function isLacking(field: string, { fields }: ArchiveFacts): boolean {
  const seen = rolloutVariables
    .filter((variable) => variable.fields.length === 1 && variable.fields[0] === field)
    .map(({ name }) => fields[name])
    .filter((fact) => fact !== undefined);
  return seen.length > 0 && seen.every(({ present }) => present === 0);
}
