import { asLookedAt, type LastLook } from "../asLookedAt.ts";
import { points, pointsInterval, setPercent, counted } from "../../../../shared/words/numbers.ts";
import type { Comparison, LabelCount } from "../../../../shared/ledger/measures.ts";
import { comparePaired } from "../../statistics/comparison/compare.ts";
import type { Aggregator } from "../../statistics/scores/outcomes.ts";
import { scoreOf } from "../../statistics/scores/score.ts";
import {
  decideVersion,
  metricOf,
  type BaseVerdict,
  type Measurement,
  type TrainedVersion,
  type Verdict,
} from "../decide.ts";
import { cleanOutcomesOf, labelCounts, outcomesOf, seedsOf, type ArchivedVersion } from "./evidence.ts";
import type { ReplayRules } from "./rules.ts";

/** A version that was decided by its evidence, with all that its decision rested on. */
export interface DecidedVersion {
  readonly name: string;
  /** The version that it was compared with. */
  readonly against: string | null;
  readonly trained: TrainedVersion;
  /** Another tool decided it, by rules that nobody here knows. */
  readonly isImported: boolean;
  /** How many candidates were compared with the same parent, of which the best could be chosen. */
  readonly candidates: number;
  /** The last look at it as a candidate, and the seeds that it was looked at with; null where nobody looked before. */
  readonly look: LastLook | null;
  /** Of a version that takes an edit out: the version whose edit that is. A test of equivalence decided it. */
  readonly takesOut: string | null;
}

/** What the archive has of a version: its rollouts, or why they cannot be used, as a sentence without its end. */
export type Archived =
  | { readonly type: "there"; readonly of: ArchivedVersion }
  | { readonly type: "missing"; readonly why: string };

export interface Redecided {
  readonly type: "decided";
  readonly verdict: Verdict | BaseVerdict;
  readonly comparison: Comparison | null;
  /** What the decision rests on: the rollouts, read again, or the numbers that the ledger has. */
  readonly basis: "rollouts" | "ledger";
  readonly notes: readonly string[];
}

/** A version that the rules cannot decide, and why, as a sentence without its end. */
export interface Undecidable {
  readonly type: "cannot_tell";
  readonly why: string;
}

interface Evidence {
  readonly own: Archived;
  readonly parent: Archived;
  readonly rules: ReplayRules;
  readonly aggregator: Aggregator;
}

/** A value, or why there is none. */
type Told<T> = { readonly value: T; readonly notes: readonly string[] } | Undecidable;
const cannot = (why: string): Undecidable => ({ type: "cannot_tell", why });
const isTold = <T>(told: Told<T>): told is Exclude<Told<T>, Undecidable> => "value" in told;

/** Decides a version once more, by other rules, as far as what is left of its evidence allows. */
export function decideAgain(version: DecidedVersion, evidence: Evidence): Redecided | Undecidable {
  const { trained } = version;
  const { rules, own } = evidence;
  // What another tool decided by is not ours to judge; rollouts of it are.
  if (version.isImported && own.type === "missing" && trained.failure === null) return cannot(own.why);
  if (version.takesOut !== null && trained.failure === null)
    return cannot(`it takes out ${version.takesOut}, and the test of equivalence is not repeated`);
  const measured = measuredAgain(version, evidence);
  if (!isTold(measured)) return settled(version) ?? measured;
  const compared = comparedAgain(version, evidence);
  const guardrails = [...trained.terms.guardrails, ...rules.guardrails];
  const success =
    trained.terms.success === null || rules.confidence === null
      ? trained.terms.success
      : { ...trained.terms.success, confidence: rules.confidence };
  const untold = rules.guardrails.find(({ metric }) => metricOf(measured.value, metric) === null);
  const isAnew = rules.seeds !== null || rules.confidence !== null;
  const input = (comparison: Comparison | null): TrainedVersion => ({
    ...trained,
    ...{ measured: measured.value, comparison, terms: { success, guardrails } },
    // What became of the hypothesis, and which seeds there were, was found out for the recorded comparison.
    ...(isAnew ? { hypothesis: null, seeds: null } : {}),
  });
  if (untold !== undefined && own.type === "missing" && trained.failure === null)
    return cannot(`the ledger has no ${untold.metric} of it, and ${own.why}`);
  if (isTold(compared))
    return {
      type: "decided",
      verdict: asLookedAt(
        isAnew || wasQuarantined(trained) ? null : version.look,
        decideVersion(input(compared.value)),
      ),
      comparison: compared.value,
      basis: isRead(version, evidence) ? "rollouts" : "ledger",
      notes: [...measured.notes, ...compared.notes],
    };
  const verdict = whateverTheComparison(input, trained.comparison);
  return verdict === null
    ? compared
    : { type: "decided", verdict, comparison: null, basis: "ledger", notes: measured.notes };
}

/** What is quarantined is not looked at further: without the label that did it, nothing speaks against it. */
const wasQuarantined = ({ measured }: TrainedVersion): boolean =>
  measured.labels.some((l) => l.invalidates && l.labelled > 0);

/** Whether the rollouts of the version, and of what it is compared with, are in the archive. */
const isRead = ({ against }: DecidedVersion, { own, parent }: Evidence): boolean =>
  own.type === "there" && (against === null || parent.type === "there");

/** A version whose job failed is decided by that alone. */
function settled({ trained }: DecidedVersion): Redecided | null {
  if (trained.failure === null) return null;
  return { type: "decided", verdict: decideVersion(trained), comparison: null, basis: "ledger", notes: [] };
}

/** The verdict if it is the same whichever way the comparison goes; null where it depends on that. */
function whateverTheComparison(
  input: (comparison: Comparison | null) => TrainedVersion,
  recorded: Comparison | null,
): Verdict | BaseVerdict | null {
  if (recorded === null) return null;
  const [up, down] = (["improved", "regressed"] as const).map((verdict) =>
    decideVersion(input({ ...recorded, verdict })),
  );
  return up !== undefined && up.decision === down?.decision && up.reason === down.reason ? up : null;
}

/** What was found out about the version, over the seeds and with the diagnostics that the rules leave. */
function measuredAgain(
  { trained: { measured }, isImported }: DecidedVersion,
  { own, rules, aggregator }: Evidence,
): Told<Measurement> {
  const isOut = new Set(rules.without);
  const left = (labels: readonly LabelCount[]): LabelCount[] => labels.filter(({ name }) => !isOut.has(name));
  if (own.type === "missing") {
    if (rules.seeds !== null || rules.harness !== null) return cannot(own.why);
    const labels = left(measured.labels);
    const changes = measured.labels.some((l) => l.invalidates && l.labelled > 0 && isOut.has(l.name));
    return { value: { ...measured, labels, cleanScore: changes ? null : measured.cleanScore }, notes: [] };
  }
  const { labels: anew, groups } = own.of;
  const chosen = chosenSeeds(own.of, rules.seeds);
  if (chosen === null) return cannot(tooFewSeeds("it", own.of, rules));
  const groupNames = new Set(groups.map(({ name }) => name));
  const ofGroups = measured.labels.filter((l) => l.over === "group" && !groupNames.has(l.name));
  const labels =
    anew === null || (rules.seeds === null && rules.harness === null)
      ? left(measured.labels)
      : left([...labelCounts(anew, chosen), ...(rules.harness === null ? ofGroups : []), ...groups]);
  const isAnew = rules.seeds !== null || isImported;
  const score = isAnew ? scoreOf(outcomesOf(own.of, chosen), { aggregator }) : measured.score;
  const cleanScore =
    anew === null ? measured.cleanScore : scoreOf(cleanOutcomesOf(own.of, chosen), { aggregator });
  const notes =
    rules.seeds !== null && rules.guardrails.some(({ metric }) => metric in measured.signals)
      ? ["Its signals are those of all its seeds."]
      : [];
  return { value: { ...measured, score, cleanScore, labels }, notes };
}

/** The comparison with the parent over the seeds, and at the confidence, that the rules ask for. */
function comparedAgain(version: DecidedVersion, evidence: Evidence): Told<Comparison | null> {
  const { trained, against, candidates } = version;
  const { own, parent, rules } = evidence;
  const recorded = trained.comparison;
  if (against === null || (trained.incomparable ?? null) !== null) return { value: recorded, notes: [] };
  if (own.type === "missing") return fromLedger(version, rules, own.why);
  if (parent.type === "missing") return fromLedger(version, rules, `${parent.why} (${against})`);
  const then = trained.seeds ?? null;
  const ofOwn = chosenSeeds(own.of, rules.seeds, then?.own);
  const ofParent = chosenSeeds(parent.of, rules.seeds, then?.parent);
  if (ofOwn === null) return cannot(tooFewSeeds("it", own.of, rules));
  if (ofParent === null) return cannot(tooFewSeeds(`its parent ${against}`, parent.of, rules));
  const isAsRecorded = rules.seeds === null && rules.confidence === null;
  const how =
    rules.confidence === null && recorded !== null
      ? { confidence: recorded.confidence }
      : { confidence: rules.confidence ?? trained.terms.success?.confidence ?? 0.95, candidates };
  const again = comparePaired(against, outcomesOf(parent.of, ofParent), outcomesOf(own.of, ofOwn), {
    aggregator: evidence.aggregator,
    ...how,
  });
  if (!isAsRecorded || version.isImported) return { value: again, notes: [] };
  return { value: recorded, notes: same(again, recorded, isByLook(version)) ? [] : [drift(again, recorded)] };
}

/** Whether it was decided by a look at it, whose interval knows the noise of the whole evolution. */
const isByLook = ({ look }: DecidedVersion): boolean => look !== null && look.verdict !== "screened";

/** What the recorded comparison says at another confidence: a verdict only where it cannot be another one. */
function fromLedger(
  { name, trained: { comparison }, candidates, isImported }: DecidedVersion,
  { seeds, confidence }: ReplayRules,
  why: string,
): Told<Comparison | null> {
  if (seeds !== null || isImported) return cannot(why);
  if (confidence === null || comparison === null) return { value: comparison, notes: [] };
  const asked = 1 - (1 - confidence) / Math.max(1, candidates);
  const holds =
    comparison.verdict === "withheld" ||
    asked === comparison.confidence ||
    asked < comparison.confidence === (comparison.verdict !== "inside_noise");
  if (!holds)
    return cannot(
      `the ledger has its interval at ${setPercent(comparison.confidence)} confidence only, and ${why}`,
    );
  return {
    value: comparison,
    notes:
      asked === comparison.confidence
        ? []
        : [
            `The interval of ${name} is that at ${setPercent(comparison.confidence)} confidence, which the ledger has; at ${setPercent(asked)} the verdict is the same.`,
          ],
  };
}

/** The first seeds of a version, null where it has fewer; without a number those that it had `then`, or all. */
function chosenSeeds(
  archived: ArchivedVersion,
  seeds: number | null,
  then?: readonly number[],
): ReadonlySet<number | null> | null {
  const all = seedsOf(archived);
  if (seeds === null) return new Set(then === undefined || then.length === 0 ? all : then);
  return all.length < seeds ? null : new Set(all.slice(0, seeds));
}

const tooFewSeeds = (who: string, archived: ArchivedVersion, { seeds }: ReplayRules): string =>
  `${who} has ${counted(seedsOf(archived).length, "seed")} in the archive, and these rules need ${seeds ?? 0}`;

function same(a: Comparison | null, b: Comparison | null, isLook: boolean): boolean {
  if (a === null || b === null) return a === b;
  if (isLook) return a.difference === b.difference && a.items === b.items;
  return a.difference === b.difference && a.low === b.low && a.high === b.high && a.verdict === b.verdict;
}

function drift(again: Comparison | null, recorded: Comparison | null): string {
  const said = (c: Comparison | null): string =>
    c === null ? "no comparison" : `${points(c.difference)} ${pointsInterval(c.low, c.high)}`;
  return `The decision rests on what the ledger has (${said(recorded)}); computed from the archive it is ${said(again)} now.`;
}
