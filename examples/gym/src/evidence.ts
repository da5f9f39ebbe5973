import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import type { Rollout, Split } from "../../../shared/model/rollout.ts";
import type { Played } from "./rollouts.ts";

/** Appends whole lines to the evidence files of a run. */
export class EvidenceWriter {
  private readonly rollouts: number;
  private readonly metrics: number;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.rollouts = openSync(path.join(folder, "rollouts.jsonl"), "a");
    this.metrics = openSync(path.join(folder, "metrics.jsonl"), "a");
  }

  rollout(rollout: Rollout): void {
    writeSync(this.rollouts, `${JSON.stringify(rollout)}\n`);
  }

  metric(step: number, values: Readonly<Record<string, number>>): void {
    writeSync(this.metrics, `${JSON.stringify({ step, ...values })}\n`);
  }

  close(): void {
    closeSync(this.rollouts);
    closeSync(this.metrics);
  }
}

export interface RolloutContext {
  readonly run: string;
  readonly harness: string;
  readonly seed: number;
  readonly split: Split;
  readonly step: number;
  readonly policy: string;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** A played rollout as a line of evidence. */
export function describeRollout(
  played: Played,
  sample: number,
  reward: number,
  context: RolloutContext,
): Rollout {
  const { task, episode, decisions, verdict } = played;
  const picks = decisions.flatMap((d) => d.picks);
  const group = `${context.split}-${context.step}-${task.id}`;
  return {
    id: `${group}-${sample}`,
    run: context.run,
    split: context.split,
    step: context.step,
    item: task.id,
    group,
    sample,
    outcome: verdict.passed ? "pass" : "fail",
    reward,
    components: { ...verdict.components },
    stop_reason: verdict.stop,
    turns: episode.turns(decisions),
    tokens: picks.length,
    logprob_mean: picks.reduce((sum, p) => sum + p.logp, 0) / Math.max(1, picks.length),
    policy: context.policy,
    harness: context.harness,
    seed: context.seed,
    started_at: context.startedAt,
    duration_ms: context.durationMs,
    extra: { difficulty: task.difficulty },
  };
}
