import * as z from "zod";

/** Where a skill is from: a file of the project, the user's library, or a version that was kept and that no file holds yet. */
export const SkillOrigin = z.enum(["project", "library", "version"]);
export type SkillOrigin = z.infer<typeof SkillOrigin>;

/** A change of the skill's metric, with a 95 % interval. */
const Effect = z.object({ difference: z.number(), low: z.number(), high: z.number() });

/** A skill with what came of its uses. */
export const SkillRow = z.object({
  name: z.string(),
  description: z.string().nullable(),
  factor: z.string(),
  targets: z.array(z.string()),
  origin: SkillOrigin,
  /** Where it lies on this machine; null for one that no file holds yet. */
  file: z.string().nullable(),
  /** Versions that it was tried in, and those that bear it out. */
  tried: z.number(),
  confirmed: z.number(),
  /** Versions that it was applied in, and what came of that prediction; those that are not decided count in `used` only. */
  used: z.number(),
  cameTrue: z.number(),
  refuted: z.number(),
  insideNoise: z.number(),
  metric: z.string(),
  /** What one further use is expected to do, from `uses` measured versions; null where none was measured. */
  expected: Effect.extend({ uses: z.number() }).nullable(),
  /** Domains in which it was confirmed. */
  domains: z.array(z.string()),
  /** Skills in use that move the same values in the same direction, and the further domains in which they were confirmed. */
  alike: z.array(z.object({ name: z.string(), domains: z.array(z.string()) })),
  /** Whether it was confirmed, and it and those together in two domains; else it is local. */
  shared: z.boolean(),
  /** Why it is out of use; null where it is in use. */
  retired: z.string().nullable(),
  /** Why it cannot be applied to the best version; null where it can, or where there is no version. */
  unfit: z.string().nullable(),
  /** Of one that no file holds: the versions that prove it. */
  versions: z.array(z.string()),
});
export type SkillRow = z.infer<typeof SkillRow>;

export const SkillsList = z.object({
  /** The version that the evolution goes on from; null before there is any. */
  version: z.string().nullable(),
  skills: z.array(SkillRow),
  /** Versions that were kept and can become no skill, and why. */
  refused: z.array(z.object({ version: z.string(), because: z.string() })),
  problems: z.array(z.object({ path: z.string(), line: z.number(), message: z.string() })),
});
export type SkillsList = z.infer<typeof SkillsList>;

/** A version that a skill was tried in. */
const SkillTrial = z.object({
  domain: z.string(),
  version: z.string(),
  against: z.string().nullable(),
  metric: z.string(),
  change: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  outcome: z.enum(["confirmed", "refuted", "inside_noise"]),
  /** Whether the skill was applied in it, so that a prediction came true or not. */
  used: z.boolean(),
});

/** All that is known of one skill. */
export const SkillDetail = z.object({
  skill: SkillRow,
  because: z.string().nullable(),
  source: z.string().nullable(),
  edit: z.array(
    z.object({
      file: z.string().nullable(),
      path: z.string(),
      from: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional(),
      to: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    }),
  ),
  /** The mean effect over all uses that there could be, and its standard deviation between uses. */
  pooled: Effect.extend({ spread: z.number() }).nullable(),
  trials: z.array(SkillTrial),
  /** Uses without an outcome, and why. */
  open: z.array(z.object({ domain: z.string(), version: z.string(), because: z.string() })),
});
export type SkillDetail = z.infer<typeof SkillDetail>;

/** The skills that answer what is found wrong with a version. */
export const OfferedSkills = z.object({
  version: z.string().nullable(),
  offered: z.array(
    z.object({
      name: z.string(),
      /** The findings that it answers. */
      answers: z.array(z.string()),
      /** Why only a person applies it: this domain has not confirmed it yet. */
      byHand: z.string().nullable(),
    }),
  ),
});
export type OfferedSkills = z.infer<typeof OfferedSkills>;
