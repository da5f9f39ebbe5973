import { Adam } from "./adam.ts";
import { buildBatch, logitsOf, slopesFor, type Batch, type CreditedDecision } from "./batch.ts";
import type { Domain, Settings, Task } from "./domain.ts";
import { at, elementOf } from "./matrix.ts";
import type { Network } from "./network.ts";
import { Random, seedOf } from "./random.ts";
import { logNormaliser } from "./rollouts.ts";

export interface WarmupSettings {
  readonly demonstrations: number;
  readonly epochs: number;
  readonly learningRate: number;
  readonly turnLimit: number;
}

/** Gradient of the mean cross-entropy of the chosen candidates; answers the loss. */
export function imitationSlopes(network: Network, batch: Batch): number {
  const pass = network.forward(batch.states, batch.choices);
  const logits = logitsOf(pass);
  const slopes = slopesFor(network, logits);
  const weight = 1 / batch.tokens.length;
  let loss = 0;
  for (const { head, start, count, chosen } of batch.tokens) {
    const values = elementOf(logits, head);
    const into = elementOf(slopes, head);
    const normaliser = logNormaliser(values, start, count, 1);
    loss -= (at(values, start + chosen) - normaliser) * weight;
    for (let i = 0; i < count; i++) {
      const p = Math.exp(at(values, start + i) - normaliser);
      into[start + i] = (p - (i === chosen ? 1 : 0)) * weight;
    }
  }
  network.backward(pass, slopes);
  return loss;
}

/** Trains a fresh network to act like the scripted demonstrator: the base policy of a seed. */
export function warmUp<T extends Task, S extends Settings>(
  domain: Domain<T, S>,
  network: Network,
  items: readonly T[],
  settings: WarmupSettings,
  seed: number,
): number {
  const random = new Random(seedOf("warmup", seed));
  network.initialise(random);
  const demonstrations = Array.from({ length: settings.demonstrations }, () =>
    domain.demonstrate(random.pick(items), random, settings.turnLimit),
  );
  const all = demonstrations.flat().map((decision): CreditedDecision => ({ decision, advantage: 0 }));
  const adam = new Adam(network.parameters.length);
  let loss = 0;
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    const order = random.shuffle(all);
    const size = 256;
    loss = 0;
    for (let from = 0; from < order.length; from += size) {
      network.backend.release();
      loss += imitationSlopes(network, buildBatch(order.slice(from, from + size), network.shape));
      adam.step(network.parameters, network.gradients, settings.learningRate * (1 - epoch / settings.epochs));
    }
    loss /= Math.ceil(order.length / size);
  }
  return loss;
}
