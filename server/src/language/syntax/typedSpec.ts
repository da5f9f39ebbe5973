import type { z } from "zod";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { SkillSpec } from "../../../../shared/spec/skill.ts";
import type { ParsedText } from "./parseSpec.ts";
import { remembered } from "./remembered.ts";

const results = new Map<z.ZodType, (value: object) => { readonly error?: z.ZodError | undefined }>();

/** Reads a parsed text by a schema, once; undefined when it does not fit. */
function reader<T>(schema: z.ZodType<T>): (text: ParsedText | undefined) => T | undefined {
  const read = remembered((value: object) => schema.safeParse(value));
  results.set(schema, read);
  return (text) =>
    typeof text?.value === "object" && text.value !== null ? read(text.value).data : undefined;
}

/** What is wrong with a text's value by a schema; found out once for the kinds that are read here. */
export function errorBy(schema: z.ZodType, { value }: ParsedText): z.ZodError | undefined {
  const read = typeof value === "object" && value !== null ? results.get(schema)?.(value) : undefined;
  return (read ?? schema.safeParse(value)).error;
}

export const projectIn = reader(ProjectSpec);
export const diagnosticIn = reader(DiagnosticSpec);
export const interventionIn = reader(InterventionSpec);
export const rewardIn = reader(RewardSpec);
export const skillIn = reader(SkillSpec);
