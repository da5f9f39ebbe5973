import { StdGroupFilter } from "../../../shared/reward/groupFilter.ts";
import { meanAndStd, zeroSpread } from "../../../shared/model/groupSpread.ts";
import { composeReward } from "../../../shared/reward/reward.ts";
import { Adam } from "./adam.ts";
import { Curriculum } from "./curriculum.ts";
import { describeRollout, type EvidenceWriter } from "./evidence.ts";
import { groupAdvantages, update } from "./grpo.ts";
import type { Domain, Settings, Task } from "./domain.ts";
import type { Harness } from "./harness.ts";
import { Network } from "./network.ts";
import { Random, seedOf } from "./random.ts";
import { playAll, type Played } from "./rollouts.ts";

export interface RunIdentity {
  readonly run: string;
  readonly harness: string;
  readonly seed: number;
}

export interface TrainingHooks {
  readonly evidence: EvidenceWriter;
  /** Called after each step, e.g. to save a checkpoint, report progress or stop for the budget. */
  readonly afterStep: (step: number, values: Readonly<Record<string, number>>) => void;
}

/** What a training is of. */
export interface Training<T extends Task, S extends Settings> {
  readonly domain: Domain<T, S>;
  readonly harness: Harness<S>;
  readonly identity: RunIdentity;
}

interface Group {
  readonly rollouts: readonly Played[];
  readonly rewards: readonly number[];
  readonly spread: number;
}

function playGroups<T extends Task, S extends Settings>(
  { domain, harness, identity }: Training<T, S>,
  network: Network,
  items: readonly T[],
  step: number,
): Group[] {
  const size = harness.train.group;
  const assignments = items.flatMap((task) =>
    Array.from({ length: size }, (_, sample) => ({
      task,
      seed: seedOf("train", identity.seed, step, task.id, sample),
    })),
  );
  const { temperature } = harness.train.sampling;
  const played = playAll(domain, network, assignments, {
    environment: harness.environment,
    temperature,
  });
  return items.map((_, g) => {
    const rollouts = played.slice(g * size, (g + 1) * size);
    const rewards = rollouts.map((r) => composeReward(harness.reward, r.verdict.components));
    return { rollouts, rewards, spread: meanAndStd(rewards).std };
  });
}

function measure(groups: readonly Group[], kept: readonly boolean[]): Record<string, number> {
  const rewards = groups.flatMap((g) => g.rewards);
  const rollouts = groups.flatMap((g) => g.rollouts);
  const { mean, std } = meanAndStd(rewards);
  const share = (count: number, of: number): number => count / of;
  return {
    reward: mean,
    reward_std: std,
    solve_rate: share(rollouts.filter((r) => r.verdict.passed).length, rollouts.length),
    dead_group_ratio: share(groups.filter((g) => g.spread <= zeroSpread).length, groups.length),
    kept_group_ratio: share(kept.filter(Boolean).length, groups.length),
    turns_mean: rollouts.reduce((sum, r) => sum + r.decisions.length, 0) / rollouts.length,
  };
}

/** GRPO from the network's present parameters, which are also the reference of the KL term. */
export function train<T extends Task, S extends Settings>(
  training: Training<T, S>,
  network: Network,
  items: readonly T[],
  hooks: TrainingHooks,
): void {
  const { harness, identity } = training;
  const { steps, prompts, optimisation, sampling, evidence } = harness.train;
  const reference = new Network(network.backend, network.shape);
  reference.parameters.set(network.parameters);
  const adam = new Adam(network.parameters.length);
  const filter = new StdGroupFilter(harness.reward.filter);
  const curriculum = new Curriculum(
    items,
    harness.curriculum.order,
    new Random(seedOf("order", identity.seed)),
  );
  for (let step = 1; step <= steps; step++) {
    const began = performance.now();
    const startedAt = new Date().toISOString();
    const groups = playGroups(training, network, curriculum.next(prompts, step / steps), step);
    const playedMs = performance.now() - began;
    const kept = filter.keep(
      groups.map((g) => g.spread),
      groups.map((g) => new Set(g.rollouts.map((r) => r.verdict.passed)).size > 1),
    );
    const credited = groups
      .filter((_, i) => kept[i] === true)
      .map((g) => {
        const advantages = groupAdvantages(g.rewards);
        return g.rollouts.map((played, i) => ({ played, advantage: advantages[i] ?? 0 }));
      });
    const report = update(network, reference, adam, credited, {
      ...optimisation,
      temperature: sampling.temperature,
    });
    if (step % evidence.every === 0 || step === 1)
      writeGroups(groups, hooks.evidence, {
        ...identity,
        split: "train",
        step,
        policy: `${identity.run}/step-${step - 1}`,
        startedAt,
        durationMs: playedMs / (groups.length * harness.train.group),
      });
    const values = {
      ...measure(groups, kept),
      entropy: report.entropy,
      kl: report.kl,
      policy_loss: report.loss,
      clip_fraction: report.clipFraction,
      grad_norm: report.gradNorm,
      step_ms: performance.now() - began,
      steps_total: steps,
    };
    hooks.evidence.metric(step, values);
    hooks.afterStep(step, values);
  }
}

function writeGroups(
  groups: readonly Group[],
  writer: EvidenceWriter,
  context: Parameters<typeof describeRollout>[3],
): void {
  for (const { rollouts, rewards } of groups)
    rollouts.forEach((played, sample) =>
      writer.rollout(describeRollout(played, sample, rewards[sample] ?? 0, context)),
    );
}
