import * as z from "zod";
import { ProjectPath, Scalar, ValuePath } from "./common.ts";

/** Another value in place of the one that stands at a path. */
const ValueEdit = z.strictObject({
  file: ProjectPath.describe("The file with the value."),
  path: ValuePath.describe("The path of the value in the file."),
  from: Scalar.describe("The value that the parent must have."),
  to: Scalar.describe("The value that it gets."),
});
export type ValueEdit = z.infer<typeof ValueEdit>;

/** A value that is still to be chosen from a domain. */
const ParameterEdit = z
  .strictObject({
    file: ProjectPath.describe("The file with the value."),
    path: ValuePath.describe("The path of the value in the file."),
    range: z
      .array(z.number())
      .length(2)
      .optional()
      .describe("The smallest and the largest value that may be tried, both included."),
    choices: z.array(Scalar).min(2).max(100).optional().describe("The values that may be tried."),
    scale: z
      .enum(["linear", "log"])
      .optional()
      .describe("How values of a range are spread: log for learning rates and other factors."),
    whole: z.boolean().optional().describe("Only whole numbers of the range."),
  })
  .superRefine(({ range, choices, scale, whole }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if ((range === undefined) === (choices === undefined))
      refuse(
        range === undefined ? "path" : "choices",
        "Give the values that may be tried: either range or choices.",
      );
    if (range === undefined) {
      if (scale !== undefined) refuse("scale", "scale says how a range is spread; choices have none.");
      if (whole !== undefined) refuse("whole", "whole is about a range; choices are taken as they are.");
      return;
    }
    const [low = NaN, high = NaN] = range;
    if (!(low < high)) refuse("range", "The first number of a range is smaller than the second.");
    if (scale === "log" && !(low > 0)) refuse("range", "A range with scale: log begins above 0.");
    if (whole === true && Math.floor(high) - Math.ceil(low) < 1)
      refuse("range", "The range holds fewer than two whole numbers.");
  });
/** Without `to`, or every edit of a value would count as one to the compiler. */
export type ParameterEdit = z.infer<typeof ParameterEdit> & { readonly to?: never };

/** Longer ones are not read: they are neither one change nor reviewable. */
const longestPatch = 200_000;

/** Changed lines of files that a surface of the kind text declares. */
const PatchEdit = z.strictObject({
  patch: z
    .string()
    .min(1)
    .max(longestPatch)
    .describe(
      "A unified diff, as git diff writes it, of files on surfaces of the kind text. Its lines must match the parent's exactly.",
    ),
});
export type PatchEdit = z.infer<typeof PatchEdit>;

/** One change of an intervention: a value, a value that is still to be chosen, or lines of files. */
export const Edit = z.union([ValueEdit, ParameterEdit, PatchEdit]);
export type Edit = ValueEdit | ParameterEdit | PatchEdit;
/** An edit whose value is given. */
export type GivenEdit = ValueEdit | PatchEdit;

export const isValueEdit = (edit: Edit): edit is ValueEdit => "to" in edit;
export const isPatch = (edit: Edit): edit is PatchEdit => "patch" in edit;
export const isParameter = (edit: Edit): edit is ParameterEdit => !isValueEdit(edit) && !isPatch(edit);

/** The edits of values at a path, chosen or not, each with its place in the list. */
export function placedEdits(edits: readonly Edit[]): (readonly [number, ValueEdit | ParameterEdit])[] {
  return [...edits.entries()].flatMap(([i, edit]) => (isPatch(edit) ? [] : [[i, edit] as const]));
}

/** The edits whose values are given, each with its place in the list. */
export function valueEdits(edits: readonly Edit[]): (readonly [number, ValueEdit])[] {
  return [...edits.entries()].flatMap(([i, edit]) => (isValueEdit(edit) ? [[i, edit] as const] : []));
}
