import { composeReward } from "../../../shared/reward/reward.ts";
import type { Split } from "../../../shared/model/rollout.ts";
import { describeRollout, type EvidenceWriter } from "./evidence.ts";
import type { Domain, Settings, Task } from "./domain.ts";
import type { Harness } from "./harness.ts";
import type { Network } from "./network.ts";
import { seedOf } from "./random.ts";
import { playAll } from "./rollouts.ts";
import type { RunIdentity } from "./training.ts";

export interface EvaluationTarget<T extends Task> {
  readonly split: Split;
  readonly items: readonly T[];
  readonly step: number;
  readonly policy: string;
}

/**
 * Samples every item of a split and writes the rollouts; answers the solve rate. The random streams depend on the protocol,
 * the item and the sample only, so that two versions are compared under the same draws. The environment is the harness's.
 */
export function evaluate<T extends Task, S extends Settings>(
  domain: Domain<T, S>,
  network: Network,
  harness: Harness<S>,
  target: EvaluationTarget<T>,
  identity: RunIdentity,
  writer: EvidenceWriter,
): number {
  const { samples, temperature, seed } = harness.evaluation;
  const began = performance.now();
  const startedAt = new Date().toISOString();
  const assignments = target.items.flatMap((task) =>
    Array.from({ length: samples }, (_, sample) => ({
      task,
      seed: seedOf("evaluation", seed, task.id, sample),
    })),
  );
  const played = playAll(domain, network, assignments, {
    environment: harness.environment,
    temperature,
  });
  const durationMs = (performance.now() - began) / Math.max(1, played.length);
  played.forEach((rollout, i) => {
    const reward = composeReward(harness.reward, rollout.verdict.components);
    const { split, step, policy } = target;
    writer.rollout(
      describeRollout(rollout, i % samples, reward, {
        ...identity,
        split,
        step,
        policy,
        startedAt,
        durationMs,
      }),
    );
  });
  return played.filter((r) => r.verdict.passed).length / Math.max(1, played.length);
}
