import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { withValues } from "./harness.ts";
import { evotrainer, runProgram } from "./project.ts";
import type { Plan } from "./plan.ts";
import { SkillUses } from "./result.ts";

/** What is read of `evotrainer lineage --json`. */
const LineageVersion = z.object({
  name: z.string(),
  commit: z.string(),
  parent: z.string().nullable(),
  factor: z.string().nullable(),
  intervention: z.string().nullable(),
  title: z.string(),
  decision: z.string().nullable().optional(),
  stage: z.string().nullable(),
  score: z.number().nullable(),
  comparison: z.object({ difference: z.number() }).nullable().optional(),
  hypothesisResult: z.object({ moved: z.string() }).nullable().optional(),
  trial: z.object({ seeds: z.array(z.int()).nullable().optional() }).nullable(),
});
export type LineageVersion = z.infer<typeof LineageVersion>;
const Lineage = z.object({ versions: z.array(LineageVersion) });

const Gaps = z.object({
  drafts: z.array(
    z.object({ name: z.string(), contrast: z.string(), when: z.string(), support: z.number() }),
  ),
});
const LoopState = z.object({ champion: z.string().nullable(), baseline: z.string().nullable() });

export interface Searched {
  readonly versions: readonly LineageVersion[];
  /** The version that the engine would promote. */
  readonly champion: string;
  readonly diagnostics: readonly {
    readonly name: string;
    readonly when: string;
    readonly decision: string;
  }[];
}

/** How often a search that drafts diagnostics looks for gaps: after every so many versions. */
const versionsBetween = 4;
/** The base policy and the baseline. */
const versionsBefore = 2;

/** Exit codes with which `evolve` may end: done, and a budget is spent. */
const ends = [0, 3];

/**
 * Runs the search of a project through the engine to the end of its trainings, or goes on with it. Between generations, a
 * search that may draft diagnostics takes the first draft for what no label explains, as `gaps` gives it.
 */
export function runSearch(plan: Plan, project: string, draftsDiagnostics: boolean): Searched {
  const evolve = (): void => void evotrainer(project, ["evolve", "--autonomy", "full", "--approve"], ends);
  const pauses = readPauses(project);
  const known = (): Drafted[] => pauses.flatMap(({ made }) => made ?? []);
  if (draftsDiagnostics)
    for (let n = versionsBetween; n < plan.trainings && !isSpent(plan, project); n += versionsBetween) {
      // A search that was interrupted goes on after its last pause.
      if (pauses.some(({ after }) => after === n)) continue;
      limitVersions(project, versionsBefore + n);
      evolve();
      if (isSpent(plan, project)) break;
      pauses.push({ after: n, made: draftDiagnostic(project, known()) });
      writeFileSync(pausesFile(project), JSON.stringify(pauses));
    }
  limitVersions(project, null);
  evolve();
  const versions = lineageOf(project);
  return {
    versions,
    champion: championOf(project),
    diagnostics: known().map(({ name, when }) => ({
      ...{ name, when },
      decision: versions.findLast(({ title }) => title.includes(name))?.decision ?? "not decided",
    })),
  };
}

const Drafted = z.object({ name: z.string(), when: z.string() });
type Drafted = z.infer<typeof Drafted>;
/** What was drafted after so many versions; null where there was nothing. */
const Pauses = z.array(z.object({ after: z.int(), made: Drafted.nullable() }));

const pausesFile = (project: string): string => join(project, ".git/experiment-pauses.json");

function readPauses(project: string): z.infer<typeof Pauses> {
  const file = pausesFile(project);
  return existsSync(file) ? Pauses.parse(JSON.parse(readFileSync(file, "utf8"))) : [];
}

/** Lets a search pause before its next version, and not between two seeds of one. */
function limitVersions(project: string, versions: number | null): void {
  const file = join(project, "evotrainer.yaml");
  const before = readFileSync(file, "utf8");
  const after = withValues(before, { "budgets.versions": versions ?? 1000 });
  if (after === before) return;
  writeFileSync(file, after);
  runProgram(["git", "commit", "-qam", `At most ${versions ?? 1000} versions`], { cwd: project });
}

const Skills = z.object({ skills: z.array(SkillUses.extend({ origin: z.string() })) });
const Budget = z.object({ budgets: z.array(z.object({ name: z.string(), spent: z.number() })) });

/** How many trainings a search has started. */
export const trainingsOf = (project: string): number =>
  Budget.parse(JSON.parse(evotrainer(project, ["--json", "budget"]))).budgets.find(
    ({ name }) => name === "trainings",
  )?.spent ?? 0;

const skillsOf = (project: string, from: "project" | "version"): z.infer<typeof Skills>["skills"] =>
  Skills.parse(JSON.parse(evotrainer(project, ["--json", "skills"]))).skills.filter(
    ({ origin }) => origin === from,
  );

/** The skills that a project was given, with what came of their uses. What the search proved itself is not among them. */
export const skillUsesOf = (project: string): z.infer<typeof SkillUses>[] =>
  skillsOf(project, "project").map((one) => SkillUses.parse(one));

/** The skills that kept versions of a project prove and no file holds. */
export const provenSkills = (project: string): string[] =>
  skillsOf(project, "version").map(({ name }) => name);

const isSpent = ({ trainings }: Plan, project: string): boolean => trainingsOf(project) >= trainings;

const lineageOf = (project: string): LineageVersion[] =>
  Lineage.parse(JSON.parse(evotrainer(project, ["--json", "lineage"]))).versions;

function championOf(project: string): string {
  const state = LoopState.parse(JSON.parse(readFileSync(join(project, ".evotrainer/loop.json"), "utf8")));
  const champion = state.champion ?? state.baseline;
  if (champion === null) throw new Error(`The evolution in ${project} has no version yet.`);
  return champion;
}

/** What newly passes is looked at before what fails: a shortcut shows only there. */
const isNewWay = ({ contrast }: { readonly contrast: string }): boolean => contrast === "new-way";

/**
 * Takes the draft of a new way to pass, or else the one that most rollouts support for what no label in force explains, raises it to a warning with an alert, so
 * that the search may answer it, and proposes it. Null where there is no new one, or the engine refuses it.
 */
function draftDiagnostic(project: string, known: readonly Drafted[]): Drafted | null {
  const champion = championOf(project);
  const { drafts } = Gaps.parse(JSON.parse(evotrainer(project, ["--json", "gaps", champion])));
  const [draft] = drafts
    .filter(({ name, when }) => !known.some((one) => one.name === name || one.when === when))
    .sort((a, b) => Number(isNewWay(b)) - Number(isNewWay(a)) || b.support - a.support);
  if (draft === undefined) return null;
  evotrainer(project, ["gaps", champion, "--write", draft.name]);
  const file = `harness/diagnostics/${draft.name}.diagnostic.yaml`;
  const path = join(project, file);
  writeFileSync(
    path,
    withValues(readFileSync(path, "utf8"), {
      "label.severity": "warning",
      alert: { metric: "rate", above: 0.1, critical: 0.9 },
    }),
  );
  evotrainer(project, ["propose", "--diagnostic", file], [0, 1, 2]);
  // The version that the engine made has it; what lies about in the work tree is nobody's.
  runProgram(["git", "clean", "-qf", "--", "harness/diagnostics"], { cwd: project });
  return { name: draft.name, when: draft.when };
}
