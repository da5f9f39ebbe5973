import { createHash } from "node:crypto";
import { isPatch } from "../../../../shared/spec/edit.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { GroupColumns } from "../../evidence/queries/groupColumns.ts";
import { editedFiles } from "../../project/editedFiles.ts";
import { percent } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { isFor } from "../../changes/condition.ts";
import { compareText } from "../../expression/compare.ts";
import { editDistance } from "../../memory/cases/editDistance.ts";
import { caseEdits, type Case } from "../../memory/cases/case.ts";
import { fromCombinations, ideaParts, leadsOf } from "./combinations.ts";
import { beliefsFrom, expectedImprovement } from "./belief.ts";
import {
  keyOf,
  type CandidateIdea,
  type IdeaGround,
  type IdeaOrigin,
  type IdeaSource,
} from "./candidateIdea.ts";
import { fromInterventions } from "./fromInterventions.ts";
import { fromMoves } from "./fromMoves.ts";
import { passingSignal, paysForFailing, type PaidMost } from "./paidMost.ts";
import { isOnlyTried, whyNotNew, type NoveltyGround } from "./novelty.ts";
import type { RankedIdea, RefusedIdea, SearchTrace } from "./ranked.ts";
import { needsFindings, replays } from "./settings.ts";
import {
  allSignals,
  getsBetter,
  getsWorse,
  parentReplay,
  replayIdea,
  rewardIn,
  signalFor,
  type IdeaReplay,
} from "./replayIdeas.ts";

/** Whatever makes ideas. To add one: a file that makes them, and its line here. */
const sources: Readonly<Record<Exclude<IdeaOrigin, "combination">, IdeaSource>> = {
  intervention: fromInterventions,
  skill: ({ skills }) => Promise.resolve(skills),
  move: fromMoves,
};

/** The archived training rollouts, as proposals read them. */
export interface SearchArchive {
  trainGroups(version: string, signals: readonly string[]): Promise<GroupColumns>;
  trainLabels(
    version: string,
    diagnostics: readonly DiagnosticSpec[],
  ): Promise<ReadonlyMap<string, readonly number[]>>;
}

export interface SearchQuestion extends IdeaGround, NoveltyGround {
  /** The version to change. */
  readonly version: string;
  readonly count: number;
  /** Breaks ties: the same question with the same seed has the same answer. */
  readonly seed: number;
  readonly archive: SearchArchive;
}

/**
 * Looks at every idea of every source: refuses those that are not new or that the archive speaks against, and ranks the
 * others by expected improvement per cost. Nothing is written or run. Deterministic for its seed.
 */
export async function search(question: SearchQuestion): Promise<SearchTrace> {
  const { findings, count, seed, cases } = question;
  const refused: RefusedIdea[] = [];
  const ideas: CandidateIdea[] = [];
  const made: Record<IdeaOrigin, number> = { intervention: 0, skill: 0, move: 0, combination: 0 };
  const keys = new Set<string>();
  for (const [origin, source] of entriesOf(sources))
    for (const idea of await source(question)) {
      made[origin]++;
      const key = keyOf(idea.spec);
      // The same change from a later source says nothing new.
      if ((origin !== "intervention" && keys.has(key)) || !answersAny(idea, question)) continue;
      keys.add(key);
      const why = whyNotNew(idea, question);
      if (why === null) ideas.push(idea);
      else refused.push({ idea, stage: "novelty", why });
    }
  const alone = await rankIdeas(ideas, question);
  const tried = refused.flatMap(({ idea }) => (isOnlyTried(idea, question) ? [idea] : []));
  const together = combinationsOf([...alone.ranked, ...tried], question);
  made.combination = together.length;
  const fresh = together.filter((idea) => {
    const why = whyNotNew(idea, question);
    if (why !== null) refused.push({ idea, stage: "novelty", why });
    return why === null;
  });
  // Without any the archive need not be read again.
  const joined =
    fresh.length === 0 ? { ranked: [], vetoed: [], rollouts: 0 } : await rankIdeas(fresh, question);
  const ranked = inOrder([...alone.ranked, ...joined.ranked], question);
  const vetoed = [...alone.vetoed, ...joined.vetoed];
  const rollouts = Math.max(alone.rollouts, joined.rollouts);
  return {
    ...{ seed, cases: cases.length, rollouts, made, ranked, refused: [...refused, ...vetoed] },
    asked: { findings: findings.map(({ name }) => name), count },
  };
}

/** What looked better but not clearly, together with other ideas; nothing in an order that no score may change. */
function combinationsOf(
  ideas: readonly CandidateIdea[],
  { project, cases, version }: SearchQuestion,
): CandidateIdea[] {
  const { ranking, memory } = project.spec.search;
  if (ranking === "random" || memory === "off") return [];
  return fromCombinations(leadsOf(cases, version), ideas);
}

/** Ideas by what they are worth, the best first, and those that the archive speaks against. */
export async function rankIdeas(
  ideas: readonly CandidateIdea[],
  question: SearchQuestion,
): Promise<{
  readonly ranked: RankedIdea[];
  readonly vetoed: RefusedIdea[];
  /** How many archived rollouts changed rewards were replayed on. */
  readonly rollouts: number;
}> {
  const { memory, costs } = question.project.spec.search;
  const { replays, rollouts } = await replayAll(ideas, question);
  const believe = beliefsFrom(memory === "on" ? question.cases : []);
  const usual = costs === "on" ? usualSeconds(question.cases) : null;
  const ranked: RankedIdea[] = [];
  const vetoed: RefusedIdea[] = [];
  const ground = { question, believe, usual, unsaid: meanSignal(ideas, replays, question) };
  for (const [i, idea] of ideas.entries()) {
    const replay = replays[i] ?? null;
    const veto = vetoOf(idea, replay, question);
    if (veto === null) ranked.push(rankedIdea(idea, replay, ground));
    else vetoed.push({ idea, stage: "backtest", why: veto });
  }
  return { ranked: inOrder(ranked, question), vetoed, rollouts };
}

function inOrder(ranked: readonly RankedIdea[], { seed, project }: SearchQuestion): RankedIdea[] {
  if (project.spec.search.ranking === "random") return inRandomOrder(ranked, seed);
  const ties = tieOrder(ranked, seed);
  return ranked.toSorted(
    (a, b) => coarse(b.worth) - coarse(a.worth) || (ties.get(a) ?? 0) - (ties.get(b) ?? 0),
  );
}

const entriesOf = (all: typeof sources): [keyof typeof sources, IdeaSource][] => [
  ["intervention", all.intervention],
  ["skill", all.skill],
  ["move", all.move],
];

function answersAny({ spec, isOpenEnded }: CandidateIdea, { findings, project }: IdeaGround): boolean {
  return (
    isOpenEnded ||
    !needsFindings(project.spec.search) ||
    findings.some(({ name }) => spec.targets.includes(name))
  );
}

/** What each idea does on the archive, which is read once. */
async function replayAll(
  ideas: readonly CandidateIdea[],
  question: SearchQuestion,
): Promise<{ readonly replays: readonly (IdeaReplay | null)[]; readonly rollouts: number }> {
  const { project, parent, version, findings, archive } = question;
  const { reward: file } = project.spec;
  const none = { replays: ideas.map(() => null), rollouts: 0 };
  if (file === undefined || !replays(project.spec)) return none;
  const before = rewardIn(file, await parent.read(file));
  if (before === null) return none;
  const after = await Promise.all(ideas.map(({ spec }) => rewardAfter(spec, file, question)));
  const rewards = after.filter((reward) => reward !== null);
  if (rewards.length === 0) return none;
  const columns = await archive.trainGroups(version, allSignals([before, ...rewards]));
  if (columns.groups === 0) return none;
  const named = new Set([
    ...findings.map(({ name }) => name),
    ...ideas.flatMap(({ spec }) => [...spec.predicts.fixes, ...spec.predicts.risks]),
  ]);
  const carriers = await archive.trainLabels(
    version,
    project.diagnostics
      .map(({ spec }) => spec)
      .filter((spec) => named.has(spec.name) && isFor(spec, project.spec.domain)),
  );
  const places = new Map<number, number>();
  columns.rids.forEach((rid, place) => places.set(rid, place));
  const labelled = new Map(
    [...carriers].map(([label, rids]) => {
      const mask = new Uint8Array(columns.rollouts);
      for (const rid of rids) {
        const place = places.get(rid);
        if (place !== undefined) mask[place] = 1;
      }
      return [label, mask] as const;
    }),
  );
  const read = parentReplay({ columns, labelled }, before);
  return {
    replays: after.map((reward) => (reward === null ? null : replayIdea(read, reward))),
    rollouts: columns.rollouts,
  };
}

/** The reward that an idea makes; null where it leaves it alone, or cannot be applied, which the checks say later. */
async function rewardAfter(
  { name, edit }: CandidateIdea["spec"],
  file: string,
  { parent }: IdeaGround,
): Promise<ReturnType<typeof rewardIn>> {
  try {
    const edited = await editedFiles(name, edit, parent);
    return rewardIn(file, edited.find(({ path }) => path === file)?.after);
  } catch (e) {
    if (HarnessError.is(e)) return null;
    throw e;
  }
}

/** Why the archive speaks against an idea, in a sentence; null where it does not. */
function vetoOf(
  idea: CandidateIdea,
  replay: IdeaReplay | null,
  { findings, project }: IdeaGround,
): string | null {
  if (replay === null) return null;
  const { reward } = project.spec;
  // What else it changes is not replayed, and may do something.
  if (replay.isNoOp && idea.spec.edit.every((one) => !isPatch(one) && one.file === reward))
    return "On the archived rollouts every advantage stays the same, so the policy would learn the same as now.";
  const own = ownTargets(idea, findings);
  const worse = own.find((target) => getsWorse(target, replay));
  const { paidMost } = replay;
  if (idea.isOpenEnded && paidMost !== null && paysForFailing(paidMost)) return failingText(paidMost);
  if (idea.isOpenEnded)
    return own.some((target) => getsBetter(target, replay)) || own.every((t) => signalFor(t, replay) === null)
      ? null
      : "On the archived rollouts it makes nothing better of what was found.";
  return worse === undefined
    ? null
    : `On the archived rollouts it makes ${worse} worse, which it is meant to answer.`;
}

const passingOf = (replay: IdeaReplay | null): number | null => {
  const paid = replay?.paidMost ?? null;
  return paid === null ? null : passingSignal(paid);
};

const failingText = ({ term, rollouts, passed, usual }: PaidMost): string =>
  `\`${term}\` would pay for failing: of the ${rollouts} archived rollouts that it would pay most, ${percent(passed / rollouts)} passed, and of all ${percent(usual)}.`;

function ownTargets({ spec }: CandidateIdea, findings: IdeaGround["findings"]): string[] {
  const { metric, direction } = spec.hypothesis;
  const named = findings.map(({ name }) => name).filter((name) => spec.targets.includes(name));
  return direction === "decrease" ? [...named, metric] : named;
}

interface RankGround {
  readonly question: SearchQuestion;
  readonly believe: ReturnType<typeof beliefsFrom>;
  readonly usual: number | null;
  /** What counts as the signal of a replay that cannot be made, or says nothing; null where no replay says anything. */
  readonly unsaid: number | null;
}

/** What an idea answers of what was found. */
function answersOf(
  idea: CandidateIdea,
  replay: IdeaReplay | null,
  { findings, project }: IdeaGround,
): { readonly answers: readonly string[]; readonly moved: readonly string[] } {
  const own = needsFindings(project.spec.search)
    ? ownTargets(idea, findings).filter((name) => findings.some((finding) => finding.name === name))
    : findings.map(({ name }) => name);
  // What nobody wrote down answers what the archive says it moves, or anything where the archive cannot say.
  const moved = replay === null ? [] : own.filter((name) => getsBetter(name, replay));
  return { answers: idea.isOpenEnded && moved.length > 0 ? moved : own, moved };
}

/** The mean of what a replay says of findings; null where it says nothing of them. */
function signalOf(answers: readonly string[], replay: IdeaReplay | null): number | null {
  const signals = replay === null ? [] : answers.flatMap((name) => signalFor(name, replay) ?? []);
  return signals.length === 0 ? null : mean(signals);
}

/**
 * What replays say on average, of those too that the archive speaks against: an idea that cannot be replayed is taken for an
 * average one. As 0 it would come after whatever can be replayed.
 */
function meanSignal(
  ideas: readonly CandidateIdea[],
  replays: readonly (IdeaReplay | null)[],
  question: SearchQuestion,
): number | null {
  const said = ideas.flatMap((idea, i) => {
    const replay = replays[i] ?? null;
    return signalOf(answersOf(idea, replay, question).answers, replay) ?? [];
  });
  return said.length === 0 ? null : mean(said);
}

const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;

function rankedIdea(
  idea: CandidateIdea,
  replay: IdeaReplay | null,
  { question, believe, usual, unsaid }: RankGround,
): RankedIdea {
  const { cases } = question;
  const { spec, isOpenEnded } = idea;
  const isByFindings = needsFindings(question.project.spec.search);
  const { answers, moved } = answersOf(idea, replay, question);
  const change = { factor: spec.factor, edits: caseEdits(spec.edit) };
  const belief = believe({
    parts: ideaParts(idea),
    ...{ triggers: !isByFindings ? [] : isOpenEnded ? moved : answers },
    declared: isByFindings ? idea.declared : null,
    backtest: signalOf(answers, replay) ?? unsaid,
    passing: passingOf(replay),
  });
  const improvement = expectedImprovement(belief);
  const cost = costOf(change, cases, usual);
  const labels = replay?.labels.map(({ label }) => label) ?? [];
  const rarer = replay === null ? [] : labels.filter((label) => getsBetter(label, replay));
  const moreFrequent = replay === null ? [] : labels.filter((label) => getsWorse(label, replay));
  return {
    ...idea,
    spec:
      isOpenEnded && isByFindings
        ? { ...spec, targets: [...answers], predicts: { fixes: rarer, risks: moreFrequent } }
        : spec,
    ...{ answers, belief, improvement, cost, worth: improvement / cost, replay, rarer, moreFrequent },
    seconds: usual === null ? null : usual * cost,
  };
}

/** Other costs than these cannot be told from a machine that was busy. */
const costSteps = [0.5, 0.7, 1, 1.4, 2, 3, 4] as const;

/** What a change costs against the usual, by the cases that changed the same value. */
function costOf(
  change: Parameters<typeof editDistance>[0],
  cases: readonly Case[],
  usual: number | null,
): number {
  if (usual === null || usual === 0) return 1;
  const times = cases.flatMap((one) =>
    one.seconds !== null && editDistance(change, one) <= 0.25 ? [one.seconds] : [],
  );
  if (times.length === 0) return 1;
  const ratio = times.reduce((sum, t) => sum + t, 0) / times.length / usual;
  return costSteps.reduce<number>(
    (best, step) => (Math.abs(Math.log(ratio / step)) < Math.abs(Math.log(ratio / best)) ? step : best),
    1,
  );
}

function usualSeconds(cases: readonly Case[]): number | null {
  const times = cases.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b);
  return times[times.length >> 1] ?? null;
}

/** Worths that differ by less than a part in a thousand are equal: rounding must not decide. */
const coarse = (worth: number): number => Number(worth.toPrecision(3));

/** An order that only the seed gives: what is left of the ideas after some were tried keeps its order. */
function inRandomOrder(ranked: readonly RankedIdea[], seed: number): RankedIdea[] {
  const placeOf = ({ spec }: RankedIdea): string =>
    createHash("sha256")
      .update(`${seed} ${keyOf(spec)}`)
      .digest("hex");
  return ranked
    .map((idea) => ({ idea, place: placeOf(idea) }))
    .sort((a, b) => compareText(a.place, b.place))
    .map(({ idea }) => ({ ...idea, worth: 1 }));
}

/**
 * The order of those that are worth the same: by name, begun at a place that the seed gives. So evolutions with other seeds try
 * other things first.
 */
function tieOrder(ranked: readonly RankedIdea[], seed: number): ReadonlyMap<RankedIdea, number> {
  const byName = ranked.toSorted(
    (a, b) => compareText(a.spec.name, b.spec.name) || compareText(keyOf(a.spec), keyOf(b.spec)),
  );
  const n = Math.max(1, byName.length);
  const first = (((seed - 1) % n) + n) % n;
  return new Map(byName.map((one, i) => [one, (i - first + n) % n]));
}
