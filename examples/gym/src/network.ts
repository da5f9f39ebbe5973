import { at, elementOf, type Backend, type ScoredChoices, type SparseRows } from "./matrix.ts";
import type { Random } from "./random.ts";

/** Number of the head that picks a tool. The heads after it point at one of several candidates: a tool's arguments. */
export const toolHead = 0;

export interface NetworkShape {
  /** Columns of an encoded state. */
  readonly input: number;
  /** Units of each shared layer. */
  readonly hidden: number;
  /** Units of each pointer head. */
  readonly pointer: number;
  readonly tools: number;
  /** Columns of an encoded candidate, by pointer head. */
  readonly candidates: readonly number[];
}

/** Columns of the tool head: the most tools that there can be, a width that the matrix kernel wants. */
export const toolColumns = 8;

interface Dense {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
  readonly rows: number;
  readonly columns: number;
}

interface Pointer {
  readonly state: Dense;
  readonly candidate: Float32Array;
  readonly score: Float32Array;
  readonly width: number;
}

interface Layers {
  readonly first: Dense;
  readonly second: Dense;
  readonly tool: Dense;
  readonly pointers: readonly Pointer[];
}

export function parameterCount(s: NetworkShape): number {
  const pointers = s.candidates.reduce((sum, width) => sum + (s.hidden + width + 2) * s.pointer, 0);
  return (s.input + 1) * s.hidden + (s.hidden + 1) * s.hidden + (s.hidden + 1) * toolColumns + pointers;
}

/** Names the parts of one flat vector, so that the optimiser and the checkpoint see a single array. */
function layersOf(flat: Float32Array, s: NetworkShape): Layers {
  let offset = 0;
  const take = (length: number): Float32Array => flat.subarray(offset, (offset += length));
  const dense = (rows: number, columns: number): Dense => ({
    weight: take(rows * columns),
    bias: take(columns),
    rows,
    columns,
  });
  const pointer = (width: number): Pointer => ({
    state: dense(s.hidden, s.pointer),
    candidate: take(width * s.pointer),
    score: take(s.pointer),
    width,
  });
  return {
    first: dense(s.input, s.hidden),
    second: dense(s.hidden, s.hidden),
    tool: dense(s.hidden, toolColumns),
    pointers: s.candidates.map(pointer),
  };
}

/** Candidates of several choices: choice i belongs to state row `states[i]` and has candidates `starts[i]` to `starts[i + 1]`. */
export interface Choices {
  readonly states: readonly number[];
  readonly starts: Int32Array;
  readonly candidates: SparseRows;
}

interface TrunkPass {
  readonly rows: number;
  readonly input: SparseRows;
  readonly first: Float32Array;
  readonly second: Float32Array;
  readonly logits: Float32Array;
}

interface PointerPass {
  readonly choices: Choices;
  readonly states: Float32Array;
  readonly hidden: Float32Array;
  readonly logits: Float32Array;
}

export interface ForwardPass {
  readonly trunk: TrunkPass;
  readonly pointers: readonly PointerPass[];
}

/** Logits, or their gradients, by head: the tool head row by row (8 columns), the others candidate by candidate. */
export type HeadArrays = readonly Float32Array[];

export class Network {
  readonly shape: NetworkShape;
  readonly backend: Backend;
  readonly parameters: Float32Array;
  readonly gradients: Float32Array;
  private readonly layers: Layers;
  private readonly slopes: Layers;

  constructor(backend: Backend, shape: NetworkShape) {
    this.shape = shape;
    this.backend = backend;
    this.parameters = backend.keep(parameterCount(shape));
    this.gradients = backend.keep(parameterCount(shape));
    this.layers = layersOf(this.parameters, shape);
    this.slopes = layersOf(this.gradients, shape);
  }

  initialise(random: Random): void {
    this.parameters.fill(0);
    const fill = (weight: Float32Array, scale: number): void => {
      for (let i = 0; i < weight.length; i++) weight[i] = random.normal() * scale;
    };
    const { first, second, tool, pointers } = this.layers;
    fill(first.weight, 0.15);
    fill(second.weight, Math.sqrt(2 / this.shape.hidden));
    fill(tool.weight, 0.02);
    for (const { state, candidate, score } of pointers) {
      fill(state.weight, Math.sqrt(1 / this.shape.hidden));
      fill(candidate, 0.3);
      fill(score, 0.1);
    }
  }

  /** The shared layers and the tool head over a batch of encoded states. */
  trunk(states: SparseRows): TrunkPass {
    const { first, second, tool } = this.layers;
    const rows = rowsOf(states);
    const h1 = this.biases(first, rows);
    this.backend.gather(h1, first.weight, states, first.columns);
    this.backend.rectify(h1);
    const h2 = this.dense(h1, rows, second);
    this.backend.rectify(h2);
    return { rows, input: states, first: h1, second: h2, logits: this.dense(h2, rows, tool) };
  }

  /** One pointer head, counted from 1, over the candidates of some of the states. */
  point(head: number, trunk: TrunkPass, choices: Choices): PointerPass {
    const { state, candidate, score } = elementOf(this.layers.pointers, head - 1);
    const { hidden, pointer } = this.shape;
    const count = choices.states.length;
    const total = rowsOf(choices.candidates);
    const states = this.backend.scratch(count * hidden);
    choices.states.forEach((row, i) =>
      states.set(trunk.second.subarray(row * hidden, (row + 1) * hidden), i * hidden),
    );
    const context = this.dense(states, count, state);
    const layer = this.backend.scratch(total * pointer).fill(0);
    this.backend.gather(layer, candidate, choices.candidates, pointer);
    const logits = this.backend.scratch(total);
    this.backend.score(logits, context, { starts: choices.starts, units: pointer, layer, weights: score });
    return { choices, states, hidden: layer, logits };
  }

  /** All heads; `choices[i]` are those of pointer head i + 1. */
  forward(states: SparseRows, choices: readonly Choices[]): ForwardPass {
    const trunk = this.trunk(states);
    return { trunk, pointers: choices.map((of, i) => this.point(i + 1, trunk, of)) };
  }

  /** Adds the gradient of a loss to `gradients`, given the loss's gradient by every logit. */
  backward(pass: ForwardPass, slopes: HeadArrays): void {
    const { trunk } = pass;
    const { hidden } = this.shape;
    const d2 = this.backend.scratch(trunk.rows * hidden);
    this.denseBackward(trunk.second, trunk.rows, elementOf(slopes, toolHead), {
      layer: this.layers.tool,
      slope: this.slopes.tool,
      into: d2,
    });
    pass.pointers.forEach((pointer, i) => this.pointBackward(i, pointer, elementOf(slopes, i + 1), d2));
    this.backend.gate(d2, trunk.second);
    const d1 = this.backend.scratch(trunk.rows * hidden);
    this.denseBackward(trunk.first, trunk.rows, d2, {
      layer: this.layers.second,
      slope: this.slopes.second,
      into: d1,
    });
    this.backend.gate(d1, trunk.first);
    this.backend.scatter(this.slopes.first.weight, d1, trunk.input, hidden);
    this.backend.addRows(this.slopes.first.bias, d1, trunk.rows);
  }

  private biases(layer: Dense, rows: number): Float32Array {
    const out = this.backend.scratch(rows * layer.columns);
    for (let r = 0; r < rows; r++) out.set(layer.bias, r * layer.columns);
    return out;
  }

  private dense(input: Float32Array, rows: number, layer: Dense): Float32Array {
    const out = this.biases(layer, rows);
    const shape = { m: rows, k: layer.rows, n: layer.columns, accumulate: true };
    this.backend.multiply(out, input, layer.weight, shape);
    return out;
  }

  private denseBackward(
    input: Float32Array,
    rows: number,
    slope: Float32Array,
    target: { layer: Dense; slope: Dense; into: Float32Array },
  ): void {
    const { layer } = target;
    const shape = { m: layer.rows, k: rows, n: layer.columns, transposeA: true, accumulate: true };
    this.backend.multiply(target.slope.weight, input, slope, shape);
    this.backend.addRows(target.slope.bias, slope, rows);
    const turned = transpose(this.backend, layer.weight, layer.rows, layer.columns);
    this.backend.multiply(target.into, slope, turned, { m: rows, k: layer.columns, n: layer.rows });
  }

  private pointBackward(index: number, pass: PointerPass, slope: Float32Array, d2: Float32Array): void {
    const layer = elementOf(this.layers.pointers, index);
    const into = elementOf(this.slopes.pointers, index);
    const { hidden, pointer } = this.shape;
    const { states, starts, candidates } = pass.choices;
    if (states.length === 0) return;
    const dLayer = this.backend.scratch(rowsOf(candidates) * pointer);
    const dContext = this.backend.scratch(states.length * pointer).fill(0);
    const scored: ScoredChoices = { starts, units: pointer, layer: pass.hidden, weights: layer.score };
    this.backend.scoreBackward(slope, scored, { layer: dLayer, context: dContext, weights: into.score });
    this.backend.scatter(into.candidate, dLayer, candidates, pointer);
    const dStates = this.backend.scratch(states.length * hidden);
    const target = { layer: layer.state, slope: into.state, into: dStates };
    this.denseBackward(pass.states, states.length, dContext, target);
    states.forEach((row, i) => {
      for (let j = 0; j < hidden; j++)
        d2[row * hidden + j] = at(d2, row * hidden + j) + at(dStates, i * hidden + j);
    });
  }
}

/** How many rows there are. */
const rowsOf = ({ starts }: SparseRows): number => starts.length - 1;

function transpose(backend: Backend, data: Float32Array, rows: number, columns: number): Float32Array {
  const out = backend.scratch(rows * columns);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) out[c * rows + r] = at(data, r * columns + c);
  return out;
}
