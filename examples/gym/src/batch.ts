import { sparseRows, type Active } from "./columns.ts";
import { at, elementOf, type SparseRows } from "./matrix.ts";
import {
  toolColumns,
  toolHead,
  type Choices,
  type ForwardPass,
  type HeadArrays,
  type Network,
  type NetworkShape,
} from "./network.ts";
import type { Decision } from "./policy.ts";
import { gatherChoices, logNormaliser } from "./rollouts.ts";

/** One sampled choice inside a batch: where its logits lie, what was chosen, and what it is credited with. */
export interface Token {
  readonly head: number;
  readonly start: number;
  readonly count: number;
  readonly chosen: number;
  readonly logp: number;
  readonly advantage: number;
}

export interface Batch {
  readonly states: SparseRows;
  /** By pointer head. */
  readonly choices: readonly Choices[];
  readonly tokens: readonly Token[];
}

export interface CreditedDecision {
  readonly decision: Decision;
  readonly advantage: number;
}

interface Laid {
  readonly rows: number[];
  readonly lists: (readonly Active[])[];
  used: number;
}

/** Lays decisions out for one forward and backward pass. */
export function buildBatch(credited: readonly CreditedDecision[], shape: NetworkShape): Batch {
  const laid = shape.candidates.map((): Laid => ({ rows: [], lists: [], used: 0 }));
  const tokens: Token[] = [];
  credited.forEach(({ decision, advantage }, row) => {
    for (const { head, candidates, chosen, logp } of decision.picks) {
      if (head === toolHead) {
        tokens.push({ head, start: row * toolColumns, count: shape.tools, chosen, logp, advantage });
        continue;
      }
      const of = elementOf(laid, head - 1);
      tokens.push({ head, start: of.used, count: candidates.length, chosen, logp, advantage });
      of.used += candidates.length;
      of.rows.push(row);
      of.lists.push(candidates);
    }
  });
  return {
    states: sparseRows(credited.map((c) => c.decision.state)),
    choices: laid.map(({ rows, lists }) => gatherChoices(rows, lists)),
    tokens,
  };
}

export const logitsOf = (pass: ForwardPass): HeadArrays => [
  pass.trunk.logits,
  ...pass.pointers.map(({ logits }) => logits),
];

/** Zeroed arrays of the logits' sizes, to be filled with gradients. */
export const slopesFor = (network: Network, logits: HeadArrays): HeadArrays =>
  logits.map(({ length }) => network.backend.scratch(length).fill(0));

/** Log-probabilities of every candidate, computed once per batch (for the reference policy); own memory. */
export function logProbabilities(pass: ForwardPass, batch: Batch, temperature: number): HeadArrays {
  const logits = logitsOf(pass);
  const out = logits.map(({ length }) => new Float32Array(length));
  for (const { head, start, count } of batch.tokens) {
    const values = elementOf(logits, head);
    const into = elementOf(out, head);
    const normaliser = logNormaliser(values, start, count, temperature);
    for (let i = start; i < start + count; i++) into[i] = at(values, i) / temperature - normaliser;
  }
  return out;
}
