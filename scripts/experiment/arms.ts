import type { ArmName } from "./plan.ts";

/** How an arm comes to its version. */
export type ArmKind = "base" | "baseline" | "reference" | "search";

export interface Arm {
  readonly kind: ArmKind;
  readonly title: string;
  /** What is set in evotrainer.yaml beside what all searches have, as paths and values. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Whether diagnostics are drafted from what no label explains, between two generations. */
  readonly draftsDiagnostics: boolean;
  /** Whether its project has the skills of experiment/skills. */
  readonly hasSkills: boolean;
}

const noDiagnostics = { diagnostics: ["harness/none"], "library.use": "none" };
/** The loop's own turns after failures belong to EvoTrainer, and not to a plain search. */
const never = { "gates.questionAfterFailures": 1000 };

const search = (title: string, settings: Arm["settings"], draftsDiagnostics: boolean): Arm => ({
  ...{ kind: "search", title, settings, draftsDiagnostics, hasSkills: false },
});
const fixed = (kind: ArmKind, title: string): Arm => ({
  kind,
  title,
  settings: {},
  draftsDiagnostics: false,
  hasSkills: false,
});

/** The arms of the experiment: what each has that the others have not. */
export const arms: Readonly<Record<ArmName, Arm>> = {
  base: fixed("base", "base policy"),
  baseline: fixed("baseline", "baseline"),
  "best-of-seeds": fixed("baseline", "best of N seeds of the baseline"),
  human: fixed("reference", "human reference"),
  random: search("random search", { "search.ranking": "random", ...noDiagnostics, ...never }, false),
  score: search("search by score alone", { "search.ranking": "score", ...noDiagnostics, ...never }, false),
  evotrainer: search("EvoTrainer", {}, true),
  "no-backtests": search("… without backtests", { "search.backtests": "off" }, true),
  "frozen-diagnostics": search("… without evolving diagnostics", {}, false),
  "no-replication": search("… without replication", { "testing.seeds": 1 }, true),
  "no-memory": search("… without cases and skills", { "search.memory": "off" }, true),
  "no-feedback": search("… without lineage feedback", { "search.feedback": "off" }, true),
  "with-skills": { ...search("… with the skills of other domains", {}, true), hasSkills: true },
};
