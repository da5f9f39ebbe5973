import * as z from "zod";
import { stages } from "../words/stages.ts";

export const Stage = z.enum(stages);
export type Stage = z.infer<typeof Stage>;

/** The seeds of the training jobs that something rests on. */
export const Seeds = z.array(z.int().nonnegative()).max(1000);

/** What an evolution takes: in the usual case, in which most candidates are rejected by their first seed, and at most. */
const Cost = z.object({ usual: z.number().nonnegative(), most: z.number().nonnegative() });

/** What calibration found out before the first change was tried. Scores are in [0, 1]. */
export const CalibrationFigures = z.object({
  seeds: Seeds.describe("The seeds that the baseline was trained with."),
  seedNoise: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Standard deviation of the score between seeds; null where fewer than two could be trained."),
  evaluationNoise: z
    .number()
    .nonnegative()
    .describe("Standard deviation of the score when one policy is evaluated again."),
  items: z.int().nonnegative(),
  resolvable: z
    .number()
    .nonnegative()
    .nullable()
    .describe("The smallest difference that is found in 80 of 100 cases with the project's items and seeds."),
  secondsPerTraining: z.number().nonnegative().nullable(),
  trainings: Cost.describe("Trainings that the candidates of the evolution and their parents take."),
  seconds: Cost.nullable().describe("The time of those trainings, one after the other."),
});
export type CalibrationFigures = z.infer<typeof CalibrationFigures>;
