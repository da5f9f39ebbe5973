import * as z from "zod";
import { Factor, ProjectPath, ValuePath } from "./common.ts";

/** Values of one file of the harness that an intervention may change. */
const ValueSurface = z.strictObject({
  factor: Factor,
  kind: z.literal("values").optional().describe("Values of one file; this is the default."),
  file: ProjectPath.describe(
    "YAML, JSON or TOML file, or a launch script (*.sh): the settings of the command that trains.",
  ),
  paths: z
    .array(ValuePath)
    .min(1)
    .optional()
    .describe("Values below these paths; by default the whole file."),
  schema: ProjectPath.optional().describe(
    "The keys that the trainer knows: a JSON Schema of the file, or a file with every key and its default.",
  ),
});
export type ValueSurface = z.infer<typeof ValueSurface>;

/** Files of the harness that an intervention may change as texts: code, prompts, configs of any trainer. */
const TextSurface = z.strictObject({
  factor: Factor,
  kind: z
    .literal("text")
    .describe("Whole files, which interventions change by patches: code, prompts, configs of any trainer."),
  files: z
    .array(ProjectPath)
    .min(1)
    .describe("Files, folders, or patterns such as reward/*.py and prompts/**. A patch may add files there."),
});
export type TextSurface = z.infer<typeof TextSurface>;

/** A part of the harness that an intervention may touch. */
export const Surface = z.union([ValueSurface, TextSurface]);
export type Surface = z.infer<typeof Surface>;

export const isTextSurface = (surface: Surface): surface is TextSurface => surface.kind === "text";
export const isValueSurface = (surface: Surface): surface is ValueSurface => surface.kind !== "text";
