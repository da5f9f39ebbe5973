import { evolveOneSeed } from "./oneSeedArm.ts";
import { evolveTested, type Evolved, type Kept, type Seeds } from "./productArm.ts";
import { Worlds, type World } from "./world.ts";

/** What came of many evolutions of one arm. */
export interface Arm {
  readonly evolutions: number;
  readonly trainings: number;
  /** Kept versions of each evolution that are truly better than their parent, and those that are not. */
  readonly found: number;
  readonly wrong: number;
  /** The share of kept versions that are no better: the mean over evolutions (nothing kept: 0), with its 95 % interval. */
  readonly share: number;
  readonly shareLow: number;
  readonly shareHigh: number;
  /** The same of all kept versions of all evolutions together; null where nothing was kept. */
  readonly pooled: number | null;
  readonly gain: number;
  /** Of the last intervals of all candidates, and of the kept ones: how many hold the truth; null without any. */
  readonly covered: number | null;
  readonly keptCovered: number | null;
  /** How much better the kept versions seem than they are. */
  readonly excess: number | null;
}

/** Two levels of log odds that are the same are not better by what rounding leaves. */
const isBetter = ({ truth }: Kept): boolean => truth > 1e-6;

function summary(all: readonly Evolved[]): Arm {
  const n = all.length;
  const mean = (of: (e: Evolved) => number): number => all.reduce((sum, e) => sum + of(e), 0) / n;
  const wrongOf = ({ kept }: Evolved): number => kept.filter((k) => !isBetter(k)).length;
  const shareOf = (e: Evolved): number => (e.kept.length === 0 ? 0 : wrongOf(e) / e.kept.length);
  const share = mean(shareOf);
  const half = 1.96 * Math.sqrt(mean((e) => (shareOf(e) - share) ** 2) / Math.max(1, n - 1));
  const kept = all.flatMap((e) => e.kept);
  const wrong = mean(wrongOf);
  return {
    ...{
      evolutions: n,
      trainings: mean((e) => e.trainings),
      found: mean((e) => e.kept.length) - wrong,
      wrong,
    },
    ...{ share, shareLow: Math.max(0, share - half), shareHigh: share === 0 ? 3 / n : share + half },
    pooled: kept.length === 0 ? null : (wrong * n) / kept.length,
    gain: mean((e) => e.gain),
    covered: coverage(all.flatMap((e) => e.last)),
    keptCovered: coverage(kept),
    excess:
      kept.length === 0
        ? null
        : kept.reduce((sum, k) => sum + (k.said?.difference ?? 0) - k.truth, 0) / kept.length,
  };
}

function coverage(all: readonly Kept[]): number | null {
  const holds = all.filter(({ truth, said }) => said !== null && said.low <= truth && truth <= said.high);
  return all.length === 0 ? null : holds.length / all.length;
}

const evolutions = (count: number, evolve: () => Evolved): Arm =>
  summary(Array.from({ length: count }, evolve));

/** What an arm that knows the truth would set, so that no more than 5 of 100 of its kept versions are no better. */
const confidences = [0.95, 0.98, 0.99, 0.997, 0.999, 0.9999, 0.99999, 0.9999999];

export interface Arms {
  readonly tested: Arm;
  readonly oneSeed: Arm;
  /** One seed each, at the lowest confidence at which no more than 5 % of all it keeps are no better. */
  readonly honest: Arm;
}

interface Setting extends Seeds {
  readonly world: World;
}
interface Runs {
  readonly count: number;
  readonly seed: number;
}

/** Evolutions whose candidates are screened and replicated. */
export function testedArm({ world, ...seeds }: Setting, { count, seed }: Runs): Arm {
  const worlds = new Worlds(world, seed);
  return evolutions(count, () => evolveTested(worlds, world, seeds));
}

/** Evolutions with one seed each and so many trainings. */
export function oneSeedArm(
  { world }: Pick<Setting, "world">,
  { count, seed }: Runs,
  budget: { readonly trainings: number; readonly confidence: number },
): Arm {
  const worlds = new Worlds(world, seed + 1);
  return evolutions(count, () => evolveOneSeed(worlds, world, budget));
}

/** Both ways with the same number of trainings, and the second one as it would be with the same error. */
export function arms(setting: Setting, runs: Runs): Arms {
  const tested = testedArm(setting, runs);
  const { trainings } = tested;
  const oneSeed = oneSeedArm(setting, runs, { trainings, confidence: 0.95 });
  let honest = oneSeed;
  for (const confidence of confidences) {
    if (honest.pooled === null || honest.pooled <= 0.05) break;
    honest = oneSeedArm(setting, runs, { trainings, confidence });
  }
  return { tested, oneSeed, honest };
}
