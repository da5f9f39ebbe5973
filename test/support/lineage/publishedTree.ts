import type { LabelCount } from "../../../shared/ledger/measures.ts";
import type { Rollout } from "../../../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { seededRandom } from "../../../server/src/base/random.ts";
import { makeRollout } from "../evidence/evidence.ts";
import { comparePaired } from "../../../server/src/statistics/comparison/compare.ts";
import { scoreOf } from "../../../server/src/statistics/scores/score.ts";
import { decide, type Verdict } from "../../../server/src/decision/decide.ts";

/** The published SWE-9B tree: binary correctness in percent over 77 items × 8 rollouts, one seed. */
export const publishedTree = [
  { name: "v0", parent: null, percent: 30.19, change: "base model", decision: "base" },
  { name: "v1", parent: "v0", percent: 31.04, change: "GSPO, flat reward", decision: "keep" },
  { name: "v1-leak", parent: "v0", percent: 48.8, change: "git history was visible", decision: "invalid" },
  { name: "v2", parent: "v1", percent: 32.89, change: "GRPO, curriculum, group filter", decision: "keep" },
  { name: "v3", parent: "v2", percent: 33.33, change: "continuous reward, top-k filter", decision: "keep" },
  {
    name: "v4",
    parent: "v3",
    percent: 36.3,
    change: "binary reward, two bonuses, top-p filter",
    decision: "keep",
  },
  {
    name: "v5",
    parent: "v4",
    percent: 30.82,
    change: "edit-streak penalty, soft truncation",
    decision: "reject",
  },
  { name: "v6", parent: "v4", percent: 33.01, change: "edit-streak penalty, fixed", decision: "reject" },
  { name: "v7", parent: "v4", percent: 31.55, change: "data 8,622 → 1,958 items", decision: "reject" },
  { name: "v8", parent: "v4", percent: 38.16, change: "instruction-following judge", decision: "keep" },
] as const;

const treeItems = 77;
const treeSamples = 8;
/** The result for v1-leak after the rollouts that saw the history were scored again. */
const cleanPercent = 31.04;

/**
 * How much items differ in difficulty, as the spread of their log-odds; the publication does not say. Its only interval
 * (+4.39 points, [2.61, 6.34], half width 1.87) is a spread of 8.4 points of the items' differences. `steady` comes as
 * close to that as such items can, 10 points: nearly every item is solved always or never. `usual` is what evaluations
 * of 8 samples mostly look like, 20 points.
 */
export const itemSpreads = { steady: 12.5, usual: 2 } as const;
export type ItemSpread = keyof typeof itemSpreads;

/** Passes of 8 per item for each version; v1-leak counts without its leak. The same seed gives the same passes. */
export type TreePasses = ReadonlyMap<string, readonly number[]>;

export function treePasses(spread: ItemSpread, seed: number): TreePasses {
  const random = seededRandom(seed);
  const difficulty = Array.from({ length: treeItems }, () => itemSpreads[spread] * normal(random));
  return new Map(
    publishedTree.map(({ name, percent }) => {
      const share = (name === "v1-leak" ? cleanPercent : percent) / 100;
      const shift = shiftFor(difficulty, share);
      const chances = difficulty.map((d) => logistic(d + shift));
      const passes = chances.map(
        (p) => Array.from({ length: treeSamples }, () => random() < p).filter(Boolean).length,
      );
      return [name, adjusted(passes, Math.round(share * treeItems * treeSamples), random)];
    }),
  );
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The shift of the log-odds at which the mean over the items is `share`. */
function shiftFor(difficulty: readonly number[], share: number): number {
  let [low, high] = [-60, 60];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    const mean = difficulty.reduce((s, d) => s + logistic(d + middle), 0) / difficulty.length;
    if (mean < share) low = middle;
    else high = middle;
  }
  return low;
}

/** Adjusts to exactly the published figure: adds or removes single passes where samples of an item differ already. */
function adjusted(passes: readonly number[], total: number, random: () => number): number[] {
  const now = [...passes];
  for (let have = now.reduce((s, n) => s + n, 0); have !== total; have += Math.sign(total - have)) {
    const step = Math.sign(total - have);
    const fits = (n: number): boolean => (step > 0 ? n < treeSamples : n > 0);
    const open = [...now.keys()].filter((i) => fits(now[i] ?? 0));
    const undecided = open.filter((i) => (now[i] ?? 0) > 0 && (now[i] ?? 0) < treeSamples);
    const among = undecided.length > 0 ? undecided : open;
    const chosen = among[Math.floor(random() * among.length)] ?? 0;
    now[chosen] = (now[chosen] ?? 0) + step;
  }
  return now;
}

const label = (
  name: string,
  when: string,
  more: Partial<DiagnosticSpec["label"]> & Pick<DiagnosticSpec, "alert">,
): DiagnosticSpec => {
  const { alert, ...rest } = more;
  return {
    apiVersion: "evotrainer/v1",
    kind: "Diagnostic",
    name,
    layer: "behaviour",
    over: "rollout",
    params: {},
    domainParams: {},
    label: { when, severity: "warning", invalidates: false, ...rest },
    ...(alert === undefined ? {} : { alert }),
    examples: [],
  };
};

/** The labels by which the tree was decided, as far as they are published. */
export const treeDiagnostics: readonly DiagnosticSpec[] = [
  label(
    "history-leak",
    'outcome == "pass" && turns.exists(t, t.tool == "bash" && t.args["command"].matches("git (log|show|diff|cherry-pick)"))',
    { severity: "critical", invalidates: true, alert: { metric: "rate", above: 0, critical: 0.05 } },
  ),
  label("exploration-collapse", "longest_tool_streak >= 6", {
    // The tree was decided by the rate alone; that it has nothing to do with the outcome is invented here.
    alert: { metric: "rate", above: 0.3, critical: 0.5, evenIfPassed: true },
  }),
];

/** Invented shares of rollouts that use one tool for a long time; only their order is known. v7 was rejected for it. */
const collapsedShare = (version: string): number => (version === "v7" ? 0.6 : 0.1);

/** The rollouts of a version: its passes (for v1-leak, those that the history gave) and its tool calls. */
export function treeRollouts(version: string, passes: readonly number[]): Rollout[] {
  const total = Math.round((48.8 / 100) * treeItems * treeSamples);
  let leaks = version === "v1-leak" ? total - passes.reduce((s, n) => s + n, 0) : 0;
  const call = (tool: string, command: string) => ({
    role: "assistant",
    text: "",
    tool,
    args: { command },
    ok: true,
  });
  return passes.flatMap((n, item) =>
    Array.from({ length: treeSamples }, (_, sample) => {
      const solved = sample < n;
      const leaked = !solved && leaks > 0;
      if (leaked) leaks--;
      const long = (item * treeSamples + sample) % 10 < 10 * collapsedShare(version);
      return makeRollout({
        id: `i${item}-${sample}`,
        run: `${version}.selection.s1`,
        split: "selection",
        item: `item-${item}`,
        group: `item-${item}`,
        sample,
        outcome: solved || leaked ? "pass" : "fail",
        stop_reason: null,
        turns: [
          ...(leaked ? [call("bash", "git show HEAD~1")] : [call("bash", "ls")]),
          ...Array.from({ length: long ? 6 : 1 }, () => call("edit", "")),
        ],
      });
    }),
  );
}

/** One version as the gates see it, without the archive: made from its passes, its parent's passes, and its labels. */
export function decideFromPasses(
  passes: TreePasses,
  version: string,
  parent: string,
  options: { readonly labels?: readonly LabelCount[]; readonly resamples: number },
): Verdict {
  const outcomes = (name: string) =>
    (passes.get(name) ?? []).map((pass, i) => ({
      item: `item-${i}`,
      pass,
      fail: treeSamples - pass,
      unknown: 0,
    }));
  const { resamples, labels = [] } = options;
  const score = scoreOf(outcomes(version), { aggregator: "micro", resamples });
  return decide({
    failure: null,
    score,
    cleanScore: score,
    labels,
    comparison: comparePaired(parent, outcomes(parent), outcomes(version), {
      aggregator: "micro",
      confidence: 0.95,
      resamples,
    }),
    success: null,
    guardrails: [],
    metric: () => null,
  });
}
