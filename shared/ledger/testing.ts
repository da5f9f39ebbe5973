import * as z from "zod";

/** How far a version was tested when it was decided: on its first seed only, or on further seeds as well. */
export const Stage = z.enum(["one_seed", "replicated"]);
export type Stage = z.infer<typeof Stage>;

/** The seeds of the training jobs that something rests on. */
export const Seeds = z.array(z.int().nonnegative()).max(1000);

/** What calibration found out before the first change was tried. Scores are in [0, 1]. */
export const CalibrationFigures = z.object({
  seeds: Seeds.describe("The seeds that the baseline was trained with."),
  seedNoise: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Standard deviation between the scores of two seeds; null where it cannot be told."),
  evaluationNoise: z
    .number()
    .nonnegative()
    .nullable()
    .describe("The part of it that measuring one policy twice shows as well; null where it cannot be told."),
  resolvable: z
    .number()
    .nonnegative()
    .nullable()
    .describe("The smallest difference that the items and seeds of the project find in 80 of 100 cases."),
  secondsPerTraining: z.number().nonnegative().nullable(),
  trainings: z
    .int()
    .nonnegative()
    .nullable()
    .describe("Trainings of one candidate and its parent that such a difference takes at most."),
});
export type CalibrationFigures = z.infer<typeof CalibrationFigures>;
