import { readFileSync } from "node:fs";
import { join } from "node:path";
import { harnessFactor } from "../../server/src/project/harnessPlaces.ts";
import { arms } from "./arms.ts";
import { leaksOf, settingsOf, withSettings, type Harness } from "./harness.ts";
import { workFolder } from "./paths.ts";
import { cellName, freshSeedsOf, searchSeeds, type Cell, type Plan } from "./plan.ts";
import { harnessAt, makeProject } from "./project.ts";
import { readReference } from "./reference.ts";
import type { CellResult } from "./result.ts";
import { runSearch, skillUsesOf, trainingsOf, type LineageVersion, type Searched } from "./search.ts";
import { Bench, mean, type Trained } from "./trainings.ts";

export interface Provenance {
  readonly planCommit: string;
  readonly codeCommit: string;
}

/** What an arm came to: a harness, the policies that it has trained of it, and what it cost. */
interface Outcome extends Pick<
  CellResult,
  "trainings" | "decisions" | "claims" | "predictions" | "diagnostics" | "skills"
> {
  readonly version: string;
  readonly harness: Harness;
  readonly policies: readonly Trained[];
  /** Whether the chosen harness can be trained again. */
  readonly isTrained: boolean;
}

interface Ground {
  readonly plan: Plan;
  readonly cell: Cell;
  readonly project: string;
  readonly bench: Bench;
  readonly base: Trained;
  readonly baseline: Harness;
}

/** How many seeds a version of a search is trained on at most, as in the projects. */
const testedSeeds = 3;

/** Runs a cell from its beginning or from where it was left, and measures what it chose. */
export function runCell(plan: Plan, cell: Cell, provenance: Provenance): CellResult {
  const startedAt = new Date().toISOString();
  const arm = arms[cell.arm];
  const project = makeProject(plan, cell, arm, join(workFolder(plan.name), "projects", cellName(cell)));
  const bench = new Bench(plan, cell.domain, project);
  try {
    const baseline = harnessAt(project);
    const [first = 1] = searchSeeds(cell.seed, 1);
    const base = bench.base(baseline, first);
    const ground: Ground = { plan, cell, project, bench, base, baseline };
    const outcome = outcomeOf(ground);
    const best = outcome.policies.reduce((a, b) => (b.selection > a.selection ? b : a));
    const { version, harness, policies: _, isTrained, ...rest } = outcome;
    return {
      ...{ schema: 1, plan: plan.name, ...provenance, isQuick: plan.small !== null, ...cell, startedAt },
      ...rest,
      processorSeconds: processorSeconds(),
      chosen: {
        ...{ version, settings: settingsOf(harness, baseline), leaks: leaksOf(cell.domain, harness) },
        ...{ seed: best.seed, selection: best.selection },
      },
      delivered: bench.measure(harness, best),
      fresh: isTrained ? onFreshSeeds(ground, harness) : [],
    };
  } finally {
    bench.close();
  }
}

/**
 * Processor seconds of this process, which runs one cell, and of all children that it waited for: the engine and the
 * measuring. The jobs of the engine outlive it, so that they are not among them.
 */
function processorSeconds(): number {
  // /proc counts both in ticks of 10 ms; elsewhere only this process is known.
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
      .map(Number);
    const ticks = (from: number, to: number): number => (fields[from] ?? 0) + (fields[to] ?? 0);
    return (ticks(11, 13) + ticks(12, 14)) / 100;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

function onFreshSeeds({ plan, cell, bench, base }: Ground, harness: Harness): CellResult["fresh"] {
  return freshSeedsOf(plan, cell.seed).map((seed) => {
    const { audit, shifted } = bench.measure(harness, bench.version(harness, seed, base));
    return { seed, audit: [...audit], shifted: [...shifted] };
  });
}

const nothing = { decisions: [], claims: [], predictions: [], diagnostics: [] };

function outcomeOf(ground: Ground): Outcome {
  const { plan, cell, bench, base, baseline } = ground;
  const train = (harness: Harness, count: number): Trained[] =>
    searchSeeds(cell.seed, count).map((seed) => bench.version(harness, seed, base));
  const of = (version: string, harness: Harness, count: number): Outcome => ({
    ...{ ...nothing, version, harness, policies: train(harness, count), trainings: count, isTrained: true },
  });
  switch (arms[cell.arm].kind) {
    case "base":
      return {
        ...{
          ...nothing,
          version: "base",
          harness: baseline,
          policies: [base],
          trainings: 0,
          isTrained: false,
        },
      };
    case "baseline":
      return of("baseline", baseline, cell.arm === "baseline" ? 1 : plan.trainings);
    case "reference":
      return of("human", withSettings(baseline, readReference(cell.domain).settings), testedSeeds);
    case "search":
      return searchedOutcome(ground, runSearch(plan, ground.project, arms[cell.arm].draftsDiagnostics));
  }
}

function searchedOutcome(ground: Ground, { versions, champion, diagnostics }: Searched): Outcome {
  const { cell, project, bench, base } = ground;
  const byName = new Map(versions.map((one) => [one.name, one]));
  const chosen = byName.get(champion);
  if (chosen === undefined) throw new Error(`The lineage in ${project} has no ${champion}.`);
  const harness = harnessAt(project, chosen.commit);
  const seeds = chosen.trial?.seeds ?? searchSeeds(cell.seed, 1);
  const leaks = (version: LineageVersion): string[] =>
    leaksOf(cell.domain, harnessAt(project, version.commit));
  let used = 0;
  const decisions = versions.map((version): CellResult["decisions"][number] => {
    // The base policy is measured, and not trained.
    if (version.parent !== null) used += version.trial?.seeds?.length ?? 0;
    const { name, parent, factor, title, stage, score } = version;
    const decision = version.decision ?? "none";
    return {
      version: name,
      ...{ parent, factor, title, decision, stage, score },
      trainings: used,
      leaks: leaks(version),
    };
  });
  const kept = versions.filter(
    ({ decision, intervention, factor }) =>
      decision === "keep" && intervention !== null && factor !== harnessFactor,
  );
  const claims = kept.flatMap((version): CellResult["claims"] => {
    const parent = version.parent === null ? undefined : byName.get(version.parent);
    if (parent === undefined) return [];
    const own = harnessAt(project, version.commit);
    const ofParent = harnessAt(project, parent.commit);
    return [
      {
        ...{ version: version.name, parent: parent.name, settings: settingsOf(own, ground.baseline) },
        ...{ stage: version.stage, leaks: leaks(version) },
        trainings: decisions.find((one) => one.version === version.name)?.trainings ?? used,
        own: onFreshSeeds(ground, own).map(({ audit }) => mean(audit)),
        ofParent: onFreshSeeds(ground, ofParent).map(({ audit }) => mean(audit)),
      },
    ];
  });
  return {
    ...{
      version: champion,
      harness,
      isTrained: true,
      trainings: trainingsOf(project),
      decisions,
      claims,
      diagnostics,
      ...(arms[cell.arm].hasSkills ? { skills: skillUsesOf(project) } : {}),
    },
    policies: seeds.map((seed) => bench.version(harness, seed, base)),
    predictions: versions
      .filter(({ intervention, factor }) => intervention !== null && factor !== harnessFactor)
      .map(({ name, hypothesisResult, comparison }) => ({
        ...{ version: name, measured: comparison?.difference ?? null },
        moved: hypothesisResult?.moved ?? null,
      })),
  };
}
