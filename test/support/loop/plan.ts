import { seededRandom } from "../../../server/src/base/random.ts";

/** One schedule of a simulated evolution: what the project says, what happens in the world, and when the engine is killed. */
export interface Plan {
  readonly seed: number;
  readonly generations: number;
  readonly variants: number;
  readonly seeds: number;
  readonly start: "base" | "parent";
  /** Whether a person answers every gate; otherwise the rule does. */
  readonly gated: boolean;
  /** The share of jobs that fail. */
  readonly failing: number;
  /** How many jobs may run before the budget is spent; it is raised by as many when the evolution waits for that. */
  readonly jobs: number;
  /** Before which step of which generation a person reverts the best version; null for never. */
  readonly revert: { readonly generation: number; readonly step: "collect" | "train" | "decide" } | null;
  /** The share of kept versions whose gain may be a shortcut, so that a person has to look first. */
  readonly shortcuts: number;
  /** The mean number of calls between two kills. */
  readonly callsPerKill: number;
}

export function planOf(seed: number): Plan {
  const random = seededRandom(seed);
  const upTo = (n: number): number => 1 + Math.floor(random() * n);
  return {
    seed,
    generations: upTo(3),
    variants: upTo(3),
    seeds: upTo(3),
    start: random() < 0.7 ? "base" : "parent",
    gated: random() < 0.4,
    failing: random() < 0.3 ? 0.2 : 0,
    jobs: random() < 0.4 ? 3 + upTo(8) : 1000,
    revert:
      random() < 0.3
        ? { generation: 1 + upTo(2), step: (["collect", "train", "decide"] as const)[upTo(3) - 1] ?? "train" }
        : null,
    callsPerKill: 3 + upTo(40),
    shortcuts: random() < 0.4 ? 0.5 : 0,
  };
}

/** A number in [0, 1) that follows from what is named: the same in every run of a schedule. */
export function chance(...of: readonly (string | number)[]): number {
  let h = 2166136261;
  for (const c of of.join(" ")) h = Math.imul(h ^ c.charCodeAt(0), 16777619) >>> 0;
  return seededRandom(h)();
}
