import type { Calibrate, Replicate, Screen, SeedNoiseOf } from "../decision/testing/testing.ts";

/** The statistics that the loop decides by: pure functions of what was measured. */
export interface Tests {
  readonly calibrate: Calibrate;
  readonly screen: Screen;
  readonly replicate: Replicate;
  readonly seedNoise: SeedNoiseOf;
}
