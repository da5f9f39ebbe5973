import type { Active } from "./encoding.ts";
import { at } from "./matrix.ts";
import {
  toolColumns,
  type Choices,
  type ForwardPass,
  type HeadArrays,
  type HeadName,
  type Network,
  type PointerName,
} from "./network.ts";
import { isPointer, type Decision } from "./policy.ts";
import { toolNames } from "./environment.ts";
import { gatherChoices, logNormaliser } from "./rollouts.ts";

/** One sampled choice inside a batch: where its logits lie, what was chosen, and what it is credited with. */
export interface Token {
  readonly head: HeadName;
  readonly start: number;
  readonly count: number;
  readonly chosen: number;
  readonly logp: number;
  readonly advantage: number;
}

export interface Batch {
  readonly states: readonly Active[];
  readonly choices: Readonly<Record<PointerName, Choices>>;
  readonly tokens: readonly Token[];
}

export interface CreditedDecision {
  readonly decision: Decision;
  readonly advantage: number;
}

/** Lays decisions out for one forward and backward pass. */
export function buildBatch(credited: readonly CreditedDecision[]): Batch {
  const rows: Record<PointerName, number[]> = { term: [], file: [], line: [], rewrite: [] };
  const lists: Record<PointerName, (readonly Active[])[]> = { term: [], file: [], line: [], rewrite: [] };
  const used: Record<PointerName, number> = { term: 0, file: 0, line: 0, rewrite: 0 };
  const tokens: Token[] = [];
  credited.forEach(({ decision, advantage }, row) => {
    for (const { head, candidates, chosen, logp } of decision.picks) {
      if (!isPointer(head)) {
        tokens.push({ head, start: row * toolColumns, count: toolNames.length, chosen, logp, advantage });
        continue;
      }
      tokens.push({ head, start: used[head], count: candidates.length, chosen, logp, advantage });
      used[head] += candidates.length;
      rows[head].push(row);
      lists[head].push(candidates);
    }
  });
  return {
    states: credited.map((c) => c.decision.state),
    choices: {
      term: gatherChoices(rows.term, lists.term),
      file: gatherChoices(rows.file, lists.file),
      line: gatherChoices(rows.line, lists.line),
      rewrite: gatherChoices(rows.rewrite, lists.rewrite),
    },
    tokens,
  };
}

export function logitsOf(pass: ForwardPass): HeadArrays {
  const { term, file, line, rewrite } = pass.pointers;
  return {
    tool: pass.trunk.logits,
    term: term.logits,
    file: file.logits,
    line: line.logits,
    rewrite: rewrite.logits,
  };
}

/** Zeroed arrays of the logits' sizes, to be filled with gradients. */
export function slopesFor(network: Network, logits: HeadArrays): HeadArrays {
  const zero = (name: HeadName): Float32Array => network.backend.scratch(logits[name].length).fill(0);
  return {
    tool: zero("tool"),
    term: zero("term"),
    file: zero("file"),
    line: zero("line"),
    rewrite: zero("rewrite"),
  };
}

/** Log-probabilities of every candidate, computed once per batch (for the reference policy); own memory. */
export function logProbabilities(pass: ForwardPass, batch: Batch, temperature: number): HeadArrays {
  const logits = logitsOf(pass);
  const out: Record<HeadName, Float32Array> = {
    tool: new Float32Array(logits.tool.length),
    term: new Float32Array(logits.term.length),
    file: new Float32Array(logits.file.length),
    line: new Float32Array(logits.line.length),
    rewrite: new Float32Array(logits.rewrite.length),
  };
  for (const { head, start, count } of batch.tokens) {
    const normaliser = logNormaliser(logits[head], start, count, temperature);
    for (let i = start; i < start + count; i++) out[head][i] = at(logits[head], i) / temperature - normaliser;
  }
  return out;
}
