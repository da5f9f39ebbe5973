import * as z from "zod";

export const apiVersion = "evotrainer/v1";
export const ApiVersion = z.literal(apiVersion).describe("Version of the spec format.");

/** Names of versions, specs, labels and factors: lower case, so that they are safe in refs, paths and queries. */
export const Name = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    "Use 1 to 64 lower-case letters, digits, - or _, starting with a letter or digit.",
  );

/** A path inside the project: relative, forward slashes, never leaving the folder. */
export const ProjectPath = z
  .string()
  .min(1)
  .refine(
    (p) =>
      !p.startsWith("/") &&
      !p.startsWith("-") &&
      !p.includes("\0") &&
      !p.includes("\\") &&
      !p.split("/").includes(".."),
    {
      message: "Use a relative path with forward slashes that stays inside the project.",
    },
  );

const factorNames = [
  "reward",
  "filter",
  "optimisation",
  "environment",
  "data",
  "sampling",
  "diagnostics",
] as const;
export const Factor = z.enum(factorNames).describe("The one thing that may change between two versions.");
export type Factor = z.infer<typeof Factor>;

/** A dotted path to a value inside a YAML or JSON document, e.g. components.correctness.shape. */
export const ValuePath = z
  .string()
  .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, "Use a dotted path such as components.correctness.shape.");

/** What a hypothesis speaks of: the dotted path of a value, or a file. */
export const ChangePlace = z
  .string()
  .refine(
    (place) => ValuePath.safeParse(place).success || ProjectPath.safeParse(place).success,
    "Use the dotted path of a value, such as components.correctness.shape, or a file of the project.",
  );

export const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type Scalar = z.infer<typeof Scalar>;
