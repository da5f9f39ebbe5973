import { createHash } from "node:crypto";
import { HarnessError } from "../../../server/src/base/errors.ts";
import type { LedgerEntry } from "../../../shared/ledger/ledger.ts";
import type { Outcome } from "../../../shared/model/rollout.ts";
import type { Comparison, LabelCount, Score } from "../../../shared/ledger/measures.ts";
import { findVersion } from "../../../server/src/lineage/graph.ts";
import type { Diagnosis, LoopPorts, TrainRequest, TrainResult } from "../../../server/src/loop/ports.ts";
import { isAbove, standingOn } from "../../../server/src/engine/training/keptVersions.ts";
import { trainedSeeds } from "../../../server/src/engine/training/trainedSeeds.ts";
import { runId } from "../../../server/src/engine/workspace/runs.ts";
import {
  firstFreeNumber,
  gateAnswer,
  isProposal,
  termsOf,
  type GateAnswer,
} from "../../../server/src/proposals/standing/proposal.ts";
import type { NewVersion } from "../../../server/src/proposals/ports.ts";
import { collectOutcomes, type ItemOutcomes } from "../../../server/src/statistics/scores/outcomes.ts";
import { columnsOf } from "../backtest/columns.ts";
import { composeIn } from "./compose.ts";
import { chance, type Plan } from "./plan.ts";
import { PlainLineage } from "./plainLineage.ts";
import { filesOf, harness, projectOf, sourceOf } from "./project.ts";
import { rememberedProposing } from "./proposing.ts";
import { shortcutGain } from "./shortcutGain.ts";

const items = Array.from({ length: 8 }, (_, i) => `item-${i}`);

/** What outlives a killed engine: git, the ledger, the state on the disk, and jobs. */
export class World {
  readonly plan: Plan;
  readonly ledger = new Map<string, LedgerEntry>();
  readonly commits = new Map<string, ReadonlyMap<string, string>>();
  /** How often each job was started. */
  readonly launched = new Map<string, number>();
  /** What was done that must never be, a sentence each. */
  readonly wrongs: string[] = [];
  state: string | null = null;
  /** How many engines have worked on the evolution. */
  processes = 0;
  /** How many jobs may run. */
  allowed: number;
  /** What a fresh job was given to measure: versions with their seeds. */
  readonly measuredAgain = new Set<string>();
  /** The versions whose audit the door has opened. */
  readonly opened = new Set<string>();
  readonly lineage = new PlainLineage();

  constructor(plan: Plan) {
    this.plan = plan;
    this.allowed = plan.jobs;
    this.commits.set("base", filesOf(plan));
  }

  append(entries: readonly LedgerEntry[]): void {
    for (const entry of entries)
      if (!this.ledger.has(entry.id)) {
        this.ledger.set(entry.id, entry);
        this.lineage.add(entry);
      }
  }

  commit({ name, parent, edits, at }: NewVersion): string {
    const id = createHash("sha1")
      .update(JSON.stringify([name, parent, edits, at]))
      .digest("hex");
    const files = new Map(this.commits.get(parent));
    for (const { path, content } of edits)
      if (content === null) files.delete(path);
      else files.set(path, content);
    this.commits.set(id, files);
    return id;
  }

  /** Starts a job that has not begun yet; one that has is found again. */
  launch({ version, commit, work }: TrainRequest, seed: number): TrainResult {
    const name = work.type === "measure" ? work.split : work.type;
    const run = runId({ version, work: name, seed });
    const found = findVersion(this.lineage, version);
    if (!this.launched.has(run)) {
      if (work.type === "train" && this.launched.size >= this.allowed)
        throw new HarnessError("budgetSpent", "The budget is spent.");
      if (found === undefined) this.wrongs.push(`${run} runs although the ledger has no such version`);
      else if (found.commit !== commit) this.wrongs.push(`${run} runs another commit than the ledger has`);
      else if (work.type === "train" && isProposal(found) && this.answerTo(version)?.answer !== "approve")
        this.wrongs.push(`${run} runs without approval`);
      if (name === "audit" && !this.opened.has(version)) this.wrongs.push(`${run} reads the sealed split`);
      if (name === "audit" && !(this.state ?? "").includes('"phase":"promote"'))
        this.wrongs.push(`${run} reads the audit split outside the promotion`);
      this.launched.set(run, 1);
    }
    const fails = version !== "v0" && chance("fails", this.plan.seed, run) < this.plan.failing;
    return fails && name !== "audit" && run !== "v1.train.s1"
      ? { failure: "crash", message: "exit 3", seconds: 1 }
      : { failure: null, message: "finished", seconds: 2 };
  }

  /** How good a version is: what its values add up to, some up and some down. */
  quality(version: string): number {
    const files = this.commits.get(findVersion(this.lineage, version)?.commit ?? "") ?? new Map();
    const raised = [...String(files.get(harness) ?? "").matchAll(/^(\w): high$/gm)];
    const gains = raised.map(([, knob = ""]) => chance("gain", this.plan.seed, knob) - 0.45);
    return 0.4 + gains.reduce((sum, gain) => sum + gain, 0) / 2;
  }

  measured(version: string, seeds: readonly number[]): ItemOutcomes[] {
    const quality = this.quality(version);
    return collectOutcomes(
      seeds.flatMap((seed) =>
        items.map((item) => {
          const passes = chance("passes", this.plan.seed, version, seed, item) < quality;
          return { item, seed, outcome: (passes ? "pass" : "fail") satisfies Outcome };
        }),
      ),
    );
  }

  /**
   * What was answered at a version's design gate. Entries here are not signed, to be quick, and an approval that nobody
   * signed opens nothing in a lineage.
   */
  answerTo(version: string): GateAnswer | null {
    const approvals = [...this.ledger.values()].filter((e) => e.type === "approval" && e.version === version);
    return gateAnswer({ approvals: approvals.filter((e) => e.type === "approval") });
  }

  seedsOf(version: string): number[] {
    const found = findVersion(this.lineage, version);
    return found === undefined ? [] : trainedSeeds(found, [1]).map(({ seed }) => seed);
  }
}

const rate = (outcomes: readonly ItemOutcomes[]): number =>
  outcomes.reduce((n, o) => n + o.pass, 0) /
  Math.max(
    1,
    outcomes.reduce((n, o) => n + o.pass + o.fail, 0),
  );

function scoreOf(outcomes: readonly ItemOutcomes[]): Score | null {
  if (outcomes.length === 0) return null;
  const value = rate(outcomes);
  return {
    ...{ metric: "solve_rate", value, low: value, high: value, items: items.length },
    ...{ rollouts: items.length, unknown: 0, bounds: [value, value] },
  };
}

/** The difference as it is, and a verdict on it, without the statistics: they are tested elsewhere, and take their time. */
export function plainComparison(
  against: string,
  [a, b]: readonly [readonly ItemOutcomes[], readonly ItemOutcomes[]],
): Comparison {
  const difference = rate(b) - rate(a);
  return {
    ...{ against, difference, low: difference - 0.05, high: difference + 0.05, confidence: 0.95 },
    verdict: difference > 0.05 ? "improved" : difference < -0.05 ? "regressed" : "inside_noise",
    ...{ items: items.length, itemsNeeded: null },
  };
}

/** What the loop needs, over a world. Every call passes `step` before and after it, where the engine may be killed. */
export function portsOver(world: World, step: <T>(act: () => T | Promise<T>) => Promise<T>): LoopPorts {
  const { plan } = world;
  const at = "2026-01-01T00:00:00.000Z";
  const known = (version: string) => findVersion(world.lineage, version);
  const all = (version: string): ItemOutcomes[] => world.measured(version, world.seedsOf(version));
  const diagnosed = (version: string): Diagnosis => {
    const leaks = chance("leaks", plan.seed, version) < 0.1 && version !== "v0" && version !== "v1";
    const leak: LabelCount = {
      ...{ name: "leak", severity: "critical", labelled: leaks ? 3 : 0, rollouts: items.length },
      ...{ alert: null, invalidates: true },
    };
    const low = { name: "low-score", severity: "info", message: "The score is low." } as const;
    const score = scoreOf(all(version));
    return { score, cleanScore: score, labels: [leak], signals: {}, findings: [low] };
  };
  return {
    proposing: rememberedProposing,
    // The simulated project has no proposers but the search.
    askProposer: () => step(() => ({ drafts: [], passedOver: [] })),
    trackRecords: () => step(() => []),
    project: () => projectOf(plan),
    source: (commit) => sourceOf(commit, world.commits.get(commit) ?? new Map()),
    trainGroups: () => step(() => columnsOf([])),
    trainLabels: () => step(() => new Map()),
    // What is remembered changes the order of what is tried, which is not what the schedules are about.
    cases: () => step(() => []),
    skills: () => step(() => []),
    profile: () => step(() => null),
    createProposal: (version) => step(() => world.commit(version)),
    procedureHistory: () =>
      step(() => ({
        ...{ failuresInARow: 0, failed: [], stack: [], otherParents: [], below: null, taken: [] },
      })),
    compose: (asked) => step(() => composeIn(world, asked)),
    // What was trained here is measured by its training.
    remeasure: (version, _commit, seeds) =>
      step(() => {
        for (const seed of seeds) world.measuredAgain.add(`${version} ${seed}`);
        return null;
      }),
    createVersion: (version) => step(() => world.commit(version)),
    acceptProposal: (version) =>
      step(() => {
        const found = known(version);
        return { commit: found?.commit ?? "", title: found?.title ?? "" };
      }),
    harnessProposals: () => step(() => []),
    harnessParent: (otherwise) => step(() => otherwise),
    admit: () => step(() => ({ decision: "keep" as const, reason: "Admitted." })),
    harnessFigures: () => step(() => null),
    approvedOnRuns: () => Promise.resolve([]),
    proposalsOn: (parent) =>
      step(() =>
        world.lineage.versions
          .filter((v) => v.parent === parent && isProposal(v))
          .map((v) => ({
            ...{ version: v.name, commit: v.commit, intervention: v.intervention, title: v.title },
            edit: v.hypothesis?.spec?.edit ?? null,
            isTaken: world.answerTo(v.name)?.answer === "approve" && v.decision === undefined,
            ...{ answers: null, merges: null, without: null },
          })),
      ),
    firstFreeNumber: () => step(() => firstFreeNumber(world.lineage)),
    termsOf: (version) => step(() => termsOf(known(version), undefined)),
    keptOn: (baseline) =>
      step(() =>
        standingOn(world.lineage, baseline).map(({ name, parent, evidence }) => ({
          ...{ name, parent, score: evidence.selection?.score?.value ?? null },
        })),
      ),
    trained: (version) =>
      step(() => {
        const found = known(version);
        return found === undefined ? [] : trainedSeeds(found, [1]);
      }),
    parentOf: (version) => step(() => known(version)?.parent ?? null),
    replicated: (baseline) =>
      step(() =>
        world.lineage.versions
          .filter((v) => isAbove(world.lineage, v, baseline) && trainedSeeds(v, [1]).length > 1)
          .map(({ name }) => name),
      ),
    isRecorded: (id) => step(() => world.ledger.has(id)),
    appendToLedger: (entries) => step(() => world.append(entries)),
    async train(request, _signal, begun) {
      const results: TrainResult[] = [];
      const { work, version } = request;
      for (const seed of request.seeds) {
        results.push(await step(() => world.launch(request, seed)));
        if (work.type === "train" && work.measured !== undefined)
          world.measuredAgain.add(`${version} ${seed}`);
      }
      begun?.();
      // Some jobs take longer than others, and how long a job still takes when it is found again is another matter.
      const of = [plan.seed, request.version, request.seeds.join(), world.processes];
      const ticks = Math.floor(9 * chance("ticks", ...of));
      for (let tick = 0; tick < ticks; tick++) await step(() => undefined);
      return results.find(({ failure }) => failure !== null) ?? results[0] ?? missing();
    },
    hypothesisResult: () => step(() => null),
    subtraction: () => step(() => null),
    gain: ({ version, parent }) =>
      step(() =>
        chance("shortcut", plan.seed, version) < plan.shortcuts
          ? shortcutGain(parent)
          : { newWays: [], inParentEnvironment: null },
      ),
    wear: () => step(() => "The selection split is as good as new."),
    reevaluateClean: ({ counted }) => step(() => ({ by: "counted", score: counted, because: null })),
    collect: () => step(() => ({ rows: 0, quarantined: 0 })),
    diagnose: (version) => step(() => diagnosed(version)),
    outcomes: (version, seeds) => step(() => world.measured(version, seeds)),
    outcomesAgain: (version, seed) => step(() => world.measured(version, [seed])),
    score: (version) => step(() => scoreOf(all(version))),
    compare: (version, against) => step(() => plainComparison(against, [all(against), all(version)])),
    measuredOn: () => step(() => null),
    whyNotComparable: () => step(() => null),
    pointers: () => step(() => []),
    emit: () => undefined,
    now: () => at,
  };
}

function missing(): never {
  throw new Error("a job without a seed");
}
