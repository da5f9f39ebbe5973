import assert from "node:assert/strict";
import { buildBatch, logitsOf, logProbabilities, slopesFor, type Batch } from "./batch.ts";
import type { Active } from "./columns.ts";
import { lossSlopes } from "./grpo.ts";
import { imitationSlopes } from "./imitation.ts";
import { bestBackend } from "./kernels/bestBackend.ts";
import { at, elementOf } from "./matrix.ts";
import { Network, parameterCount, type HeadArrays, type NetworkShape } from "./network.ts";
import type { Decision, Pick } from "./policy.ts";
import { Random } from "./random.ts";

const shape: NetworkShape = {
  input: 8,
  hidden: 8,
  pointer: 8,
  tools: 6,
  candidates: [8, 8, 16, 8],
};

function drawActive(random: Random, width: number): Active {
  return Array.from({ length: width }, (_, i) => i).filter(() => random.chance(0.4));
}

function drawBatch(random: Random): Batch {
  const pointer = (head: number): Pick => {
    const candidates = Array.from({ length: random.between(2, 4) }, () =>
      drawActive(random, elementOf(shape.candidates, head - 1)),
    );
    return { head, candidates, chosen: random.below(candidates.length), logp: -1.2 };
  };
  const tool: Pick = { head: 0, candidates: [], chosen: 2, logp: -1.5 };
  const decisions: Decision[] = [
    { state: drawActive(random, 8), picks: [tool, pointer(3), pointer(4)] },
    { state: drawActive(random, 8), picks: [tool, pointer(1)] },
    { state: drawActive(random, 8), picks: [{ ...tool, chosen: 4 }] },
    { state: drawActive(random, 8), picks: [tool, pointer(2)] },
    { state: drawActive(random, 8), picks: [tool, pointer(3), pointer(4)] },
  ];
  return buildBatch(
    decisions.map((decision, i) => ({ decision, advantage: i % 2 === 0 ? 0.7 : -0.4 })),
    shape,
  );
}

/** Compares the gradient of every parameter with central differences. */
function checkGradients(network: Network, gradients: Float32Array, value: () => number): void {
  const step = 2e-3;
  let checked = 0;
  for (let i = 0; i < network.parameters.length; i++) {
    const kept = at(network.parameters, i);
    network.parameters[i] = kept + step;
    const above = value();
    network.parameters[i] = kept - step;
    const below = value();
    network.parameters[i] = kept;
    const numeric = (above - below) / (2 * step);
    const exact = at(gradients, i);
    assert.ok(
      Math.abs(numeric - exact) < 2e-3 + 0.02 * Math.abs(exact),
      `parameter ${i}: ${exact}, numerically ${numeric}`,
    );
    if (exact !== 0) checked++;
  }
  assert.ok(checked > 0.4 * parameterCount(shape), `only ${checked} gradients were not 0`);
}

describe("gradients", () => {
  const random = new Random(11);
  const batch = drawBatch(random);
  const network = new Network(bestBackend(), shape);
  network.initialise(random);
  for (let i = 0; i < network.parameters.length; i++)
    network.parameters[i] = at(network.parameters, i) + random.normal() * 0.2;

  const forward = (): HeadArrays => {
    network.backend.release();
    return logitsOf(network.forward(batch.states, batch.choices));
  };

  it("of every layer agree with central differences", () => {
    network.backend.release();
    const pass = network.forward(batch.states, batch.choices);
    const slopes = slopesFor(network, logitsOf(pass));
    const factors = slopes.map((of) => Array.from(of, () => random.normal()));
    factors.forEach((values, head) => elementOf(slopes, head).set(values));
    network.backward(pass, slopes);
    const gradients = network.gradients.slice();
    network.gradients.fill(0);
    checkGradients(network, gradients, () => {
      const logits = forward();
      return factors.reduce(
        (sum, values, head) => sum + values.reduce((s, v, i) => s + v * at(elementOf(logits, head), i), 0),
        0,
      );
    });
  });

  it("of the imitation loss agree with central differences", () => {
    network.backend.release();
    imitationSlopes(network, batch);
    const gradients = network.gradients.slice();
    network.gradients.fill(0);
    checkGradients(network, gradients, () => {
      const logits = logProbabilities(
        (network.backend.release(), network.forward(batch.states, batch.choices)),
        batch,
        1,
      );
      return (
        -batch.tokens.reduce((sum, t) => sum + at(elementOf(logits, t.head), t.start + t.chosen), 0) /
        batch.tokens.length
      );
    });
  });

  for (const settings of [
    { clip: 5, kl: 0, entropy: 0, temperature: 1 },
    { clip: 5, kl: 0.7, entropy: 0, temperature: 1 },
    { clip: 5, kl: 0.2, entropy: 0.5, temperature: 1.7 },
  ])
    it(`of the policy loss agree with central differences (${JSON.stringify(settings)})`, () => {
      network.backend.release();
      const other = new Network(bestBackend(), shape);
      other.initialise(new Random(3));
      const reference = logProbabilities(
        other.forward(batch.states, batch.choices),
        batch,
        settings.temperature,
      );
      const pass = network.forward(batch.states, batch.choices);
      const slopes = slopesFor(network, logitsOf(pass));
      lossSlopes(logitsOf(pass), reference, batch, settings, slopes);
      network.backward(pass, slopes);
      const gradients = network.gradients.slice();
      network.gradients.fill(0);
      checkGradients(network, gradients, () => {
        const logits = forward();
        const parts = lossSlopes(logits, reference, batch, settings, slopesFor(network, logits));
        return (parts.loss + settings.kl * parts.kl - settings.entropy * parts.entropy) / parts.tokens;
      });
    });
});
