import { join } from "node:path";

/** The checkout. */
export const root = join(import.meta.dirname, "../..");
/** What is committed: plan, references, results. */
export const experimentFolder = join(root, "experiment");
/** The skills of the headline run's searches, which a project of another domain gets. */
export const skillsFolder = join(experimentFolder, "skills");
/** What a run needs and nobody keeps: projects, finished trainings. */
export const workFolder = (plan: string): string => join(root, "out/experiment", plan);
export const cacheFolder = (plan: string): string => join(workFolder(plan), "trainings");
/** Results of a full run are committed; those of a trial are not. */
export const resultsFolder = (plan: string, isTrial: boolean): string =>
  isTrial ? join(workFolder(plan), "results") : join(experimentFolder, "results", plan);
