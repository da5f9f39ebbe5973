import { writeFile } from "node:fs/promises";
import { ingestFile } from "../../../server/src/evidence/ingest/ingest.ts";
import type { Store } from "../../../server/src/evidence/archive/store.ts";
import { seededRandom } from "../../../server/src/base/random.ts";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { makeRollout, toLine, type Workspace } from "./../evidence/evidence.ts";

/** For tests: a training of which only the rollouts were kept. */
export interface SimulatedRun {
  readonly seed: number;
  readonly steps: number;
  readonly groups: number;
  readonly perGroup: number;
  /** Probability of a pass of an item of middling difficulty; t goes from 0 to 1. */
  readonly passes: (t: number) => number;
  /** Median tokens. */
  readonly tokens?: (t: number) => number;
  /** How far the items differ: standard deviation of their difficulty in logits. */
  readonly difficulty?: number;
  /** A limit of tokens at which responses are cut off. */
  readonly limit?: number;
  readonly run?: string;
  readonly firstStep?: number;
  /** Of the rollouts of a step, those that are kept: of one that is still being written, say. */
  readonly keeps?: (step: number) => number;
}

const logit = (p: number): number => Math.log(p / (1 - p));

/** For tests: its rollouts, drawn by its seed. */
export function simulatedRollouts(of: SimulatedRun): Rollout[] {
  const random = seededRandom(of.seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const { steps, groups, perGroup, passes, tokens = () => 300, difficulty = 1.5, limit = Infinity } = of;
  return Array.from({ length: steps }, (_, i) => {
    const t = steps === 1 ? 1 : i / (steps - 1);
    const step = i + (of.firstStep ?? 1);
    const own = Array.from({ length: groups * perGroup }, (_, j) => j);
    let ease = 0;
    const rollouts = own.map((j) => {
      const group = Math.floor(j / perGroup);
      if (j % perGroup === 0) ease = difficulty * normal();
      const p = passes(t);
      const isPass = p > 0 && random() < 1 / (1 + Math.exp(-(logit(Math.min(p, 1 - 1e-9)) + ease)));
      const length = Math.max(1, Math.round(tokens(t) * Math.exp(0.6 * normal())));
      return makeRollout({
        id: `${step}-${j}`,
        run: of.run ?? "run",
        step,
        item: `item-${step}-${group}`,
        group: `${step}-${group}`,
        sample: j % perGroup,
        outcome: isPass ? "pass" : "fail",
        reward: isPass ? 1 : 0,
        components: {},
        stop_reason: length >= limit ? "length" : "stop",
        tokens: Math.min(length, limit),
        turns: [{ role: "assistant", text: "x".repeat(Math.min(length, limit, 400)) }],
        extra: {},
      });
    });
    return rollouts.slice(0, of.keeps?.(step) ?? rollouts.length);
  }).flat();
}

/** For tests: archives rollouts as a version. */
export async function archiveAs(
  workspace: Workspace,
  store: Store,
  version: string,
  rollouts: readonly Rollout[],
): Promise<void> {
  const path = workspace.file(`${version}.jsonl`);
  await writeFile(
    path,
    rollouts.map((rollout) => toLine({ ...rollout, run: `${version}-${rollout.run}` })).join(""),
  );
  await ingestFile(store, { path, version, kind: "rollouts" });
}
