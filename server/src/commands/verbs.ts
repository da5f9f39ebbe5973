import type { AddVerb } from "./terminal/verb.ts";

/**
 * Every verb of the command line, in the order in which the help lists them. The code of one is loaded when it is asked for, so
 * that each starts fast. To add one: a file that exports how it is added, and its line here.
 */
export const verbs = {
  init: async () => (await import("./project/init.ts")).addInit,
  check: async () => (await import("./project/check.ts")).addCheck,
  lsp: async () => (await import("./project/lsp.ts")).addLsp,
  mcp: async () => (await import("./project/mcp.ts")).addMcp,
  agents: async () => (await import("./project/agents.ts")).addAgents,
  import: async () => (await import("./evidence/import.ts")).addImport,
  attach: async () => (await import("./evidence/attach.ts")).addAttach,
  validate: async () => (await import("./evidence/validate.ts")).addValidate,
  diagnose: async () => (await import("./versions/diagnose.ts")).addDiagnose,
  rollouts: async () => (await import("./evidence/rollouts.ts")).addRollouts,
  label: async () => (await import("./evidence/label.ts")).addLabel,
  backtest: async () => (await import("./backtest/backtest.ts")).addBacktest,
  curriculum: async () => (await import("./backtest/curriculum.ts")).addCurriculum,
  pentest: async () => (await import("./project/pentest.ts")).addPentest,
  gaps: async () => (await import("./versions/gaps.ts")).addGaps,
  compare: async () => (await import("./versions/compare.ts")).addCompare,
  lineage: async () => (await import("./versions/lineage.ts")).addLineage,
  cases: async () => (await import("./versions/cases.ts")).addCases,
  items: async () => (await import("./versions/items.ts")).addItems,
  tripwires: async () => (await import("./versions/tripwires.ts")).addTripwires,
  replay: async () => (await import("./versions/replay.ts")).addReplay,
  export: async () => (await import("./versions/export.ts")).addExport,
  propose: async () => (await import("./review/propose.ts")).addPropose,
  proposers: async () => (await import("./review/proposers.ts")).addProposers,
  hint: async () => (await import("./review/hint.ts")).addHint,
  review: async () => (await import("./review/review.ts")).addReview,
  revert: async () => (await import("./review/revert.ts")).addRevert,
  promote: async () => (await import("./review/promote.ts")).addPromote,
  trust: async () => (await import("./review/trust.ts")).addTrust,
  doctor: async () => (await import("./jobs/doctor.ts")).addDoctor,
  host: async () => (await import("./jobs/host.ts")).addHost,
  calibrate: async () => (await import("./evolution/calibrate.ts")).addCalibrate,
  evolve: async () => (await import("./evolution/evolve.ts")).addEvolve,
  budget: async () => (await import("./evolution/budget.ts")).addBudget,
  jobs: async () => (await import("./jobs/jobs.ts")).addJobs,
  logs: async () => (await import("./jobs/logs.ts")).addLogs,
  cancel: async () => (await import("./jobs/jobs.ts")).addCancel,
  rerun: async () => (await import("./jobs/jobs.ts")).addRerun,
  skills: async () => (await import("./memory/skills.ts")).addSkills,
  archive: async () => (await import("./evidence/archive.ts")).addArchive,
  completion: async () => (await import("./completion/completion.ts")).addCompletion,
} satisfies Readonly<Record<string, () => Promise<AddVerb>>>;

export type Verb = keyof typeof verbs;

const isVerb = (word: string): word is Verb => Object.hasOwn(verbs, word);

/** The verb that the words ask for, if there is such a verb. */
export function verbOf(words: readonly string[]): Verb | undefined {
  const asked = words.find((word) => !word.startsWith("-"));
  return asked !== undefined && isVerb(asked) ? asked : undefined;
}

/** What adds the verb that the words ask for; without one, and for what tells of all of them, what adds every verb. */
export const verbsFor = (words: readonly string[]): Promise<readonly AddVerb[]> =>
  Promise.all(neededVerbs(words).map((verb) => verbs[verb]()));

/** The verbs whose code is loaded for these words: at each Tab a person waits for it. */
export function neededVerbs(words: readonly string[]): readonly Verb[] {
  // The release is asked for.
  if (words.length === 1 && words[0] === "-V") return [];
  const asked = verbOf(words);
  if (asked === undefined) return allVerbs;
  if (asked !== "completion") return [asked];
  const [, what, ...rest] = words.filter((word, i) => i !== words.indexOf("--"));
  // Only a verb that is typed to its end is known to be the one that the other words belong to.
  const typed = what === "words" && rest.length > 1 ? verbOf(rest.slice(0, -1)) : undefined;
  if (typed !== undefined) return [...new Set([typed, asked])];
  // The first word is completed from a table (completion/verbWords.ts).
  return what === "words" && rest.length > 1 ? allVerbs : [asked];
}

const allVerbs = Object.keys(verbs).filter(isVerb);
