import { meanAndStd, zeroSpread } from "../../../shared/model/groupSpread.ts";
import type { Adam } from "./adam.ts";
import {
  buildBatch,
  logitsOf,
  logProbabilities,
  slopesFor,
  type Batch,
  type CreditedDecision,
} from "./batch.ts";
import { at, elementOf } from "./matrix.ts";
import type { HeadArrays, Network } from "./network.ts";
import { logNormaliser, type Played } from "./rollouts.ts";

export interface LossSettings {
  readonly clip: number;
  readonly kl: number;
  readonly entropy: number;
  readonly temperature: number;
}

export interface OptimisationSettings extends LossSettings {
  readonly learningRate: number;
  readonly minibatches: number;
  readonly epochs: number;
}

export interface LossParts {
  loss: number;
  entropy: number;
  kl: number;
  clipped: number;
  tokens: number;
}

/** (reward − mean) / std within a group; zeros for a group with one reward value. */
export function groupAdvantages(rewards: readonly number[]): number[] {
  const { mean, std } = meanAndStd(rewards);
  return rewards.map((r) => (std > zeroSpread ? (r - mean) / std : 0));
}

/**
 * Gradient of the clipped policy loss plus kl · KL(policy ‖ reference) − entropy · H, averaged over the tokens, by every
 * logit. The KL term and the entropy are exact over the candidates of each choice.
 */
export function lossSlopes(
  logits: HeadArrays,
  reference: HeadArrays,
  batch: Batch,
  settings: LossSettings,
  slopes: HeadArrays,
): LossParts {
  const { clip, kl, entropy, temperature } = settings;
  const parts: LossParts = { loss: 0, entropy: 0, kl: 0, clipped: 0, tokens: batch.tokens.length };
  const weight = 1 / batch.tokens.length;
  for (const { head, start, count, chosen, logp, advantage } of batch.tokens) {
    const values = elementOf(logits, head);
    const known = elementOf(reference, head);
    const into = elementOf(slopes, head);
    const normaliser = logNormaliser(values, start, count, temperature);
    let h = 0;
    let divergence = 0;
    for (let i = start; i < start + count; i++) {
      const l = at(values, i) / temperature - normaliser;
      const p = Math.exp(l);
      h -= p * l;
      divergence += p * (l - at(known, i));
    }
    const ratio = Math.exp(at(values, start + chosen) / temperature - normaliser - logp);
    const bounded = Math.min(1 + clip, Math.max(1 - clip, ratio));
    const isClipped = ratio * advantage > bounded * advantage;
    parts.loss -= Math.min(ratio * advantage, bounded * advantage);
    parts.entropy += h;
    parts.kl += divergence;
    if (isClipped) parts.clipped++;
    const push = isClipped ? 0 : -ratio * advantage;
    for (let i = start; i < start + count; i++) {
      const l = at(values, i) / temperature - normaliser;
      const p = Math.exp(l);
      const policy = push * ((i === start + chosen ? 1 : 0) - p);
      const towards = p * (l - at(known, i) - divergence);
      const spread = -p * (l + h);
      into[i] = ((policy + kl * towards - entropy * spread) * weight) / temperature;
    }
  }
  return parts;
}

export interface UpdateReport {
  readonly loss: number;
  readonly entropy: number;
  readonly kl: number;
  readonly clipFraction: number;
  readonly gradNorm: number;
}

/** What an update takes its steps on, with what the reference says of it: both are the same in every epoch. */
function minibatchesOf(
  groups: Parameters<typeof update>[3],
  reference: Network,
  { minibatches, temperature }: OptimisationSettings,
): { readonly batch: Batch; readonly known: HeadArrays }[] {
  return Array.from({ length: minibatches }, (_, part) => {
    const credited: CreditedDecision[] = groups
      .filter((_group, g) => g % minibatches === part)
      .flat()
      .flatMap(({ played, advantage }) => played.decisions.map((decision) => ({ decision, advantage })));
    if (credited.length === 0) return null;
    const batch = buildBatch(credited, reference.shape);
    reference.backend.release();
    const pass = reference.forward(batch.states, batch.choices);
    return { batch, known: logProbabilities(pass, batch, temperature) };
  }).filter((part) => part !== null);
}

/** One GRPO update from the groups that are trained on; `groups[g]` are the rollouts of a group with their advantages. */
export function update(
  network: Network,
  reference: Network,
  adam: Adam,
  groups: readonly (readonly { played: Played; advantage: number }[])[],
  settings: OptimisationSettings,
): UpdateReport {
  const total: LossParts = { loss: 0, entropy: 0, kl: 0, clipped: 0, tokens: 0 };
  let norm = 0;
  let steps = 0;
  const parts = minibatchesOf(groups, reference, settings);
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    for (const { batch, known } of parts) {
      network.backend.release();
      const pass = network.forward(batch.states, batch.choices);
      const logits = logitsOf(pass);
      const slopes = slopesFor(network, logits);
      const loss = lossSlopes(logits, known, batch, settings, slopes);
      network.backward(pass, slopes);
      norm += adam.step(network.parameters, network.gradients, settings.learningRate);
      steps++;
      total.loss += loss.loss;
      total.entropy += loss.entropy;
      total.kl += loss.kl;
      total.clipped += loss.clipped;
      total.tokens += loss.tokens;
    }
  }
  const tokens = Math.max(1, total.tokens);
  return {
    loss: total.loss / tokens,
    entropy: total.entropy / tokens,
    kl: total.kl / tokens,
    clipFraction: total.clipped / tokens,
    gradNorm: norm / Math.max(1, steps),
  };
}
