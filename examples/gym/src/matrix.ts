export interface ProductShape {
  readonly m: number;
  readonly k: number;
  /** A multiple of 8. */
  readonly n: number;
  /** a is stored k×m and read transposed. */
  readonly transposeA?: boolean;
  /** Add to what c holds instead of overwriting it. */
  readonly accumulate?: boolean;
}

/** Rows of zeros and ones: those of row r are in columns[starts[r]] to columns[starts[r + 1] - 1], ascending, each once. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
}

/** Candidates of several choices, each with `units` hidden units: choice i has candidates starts[i] to starts[i + 1] - 1. */
export interface ScoredChoices {
  readonly starts: Int32Array;
  readonly units: number;
  /** Candidates × units: before `score` a product of the candidates, afterwards what the rectifier lets through. */
  readonly layer: Float32Array;
  /** Units. */
  readonly weights: Float32Array;
}

/** Memory and what a network computes in it: matrices row by row in float32. All backends give the same bits, but for `multiply`. */
export interface Backend {
  readonly name: "wasm" | "plain";
  /** Zeroed memory that stays. */
  keep(length: number): Float32Array;
  /** Memory with arbitrary contents that is valid until `release`. */
  scratch(length: number): Float32Array;
  release(): void;
  /** c[m×n] = a[m×k] · b[k×n]. */
  multiply(c: Float32Array, a: Float32Array, b: Float32Array, shape: ProductShape): void;
  /** c[rows×n] += x · w[?×n] for rows x of zeros and ones; n is a multiple of 8. */
  gather(c: Float32Array, w: Float32Array, rows: SparseRows, n: number): void;
  /** w[?×n] += xᵀ · d[rows×n]: the gradient of `gather` by w. */
  scatter(w: Float32Array, d: Float32Array, rows: SparseRows, n: number): void;
  /** layer = max(0, layer + context of its choice), and logits = layer · weights with float64 sums. */
  score(logits: Float32Array, context: Float32Array, choices: ScoredChoices): void;
  /** From the gradient by the logits: writes that of the layer, adds those of context and weights. */
  scoreBackward(
    slopes: Float32Array,
    choices: ScoredChoices,
    into: { readonly layer: Float32Array; readonly context: Float32Array; readonly weights: Float32Array },
  ): void;
  /** Negative elements become 0. */
  rectify(output: Float32Array): void;
  /** Elements of a gradient become 0 where the rectified output is 0: the gradient of `rectify`. */
  gate(slope: Float32Array, output: Float32Array): void;
  /** into[n] += the sum over the rows of d[rows×n]. */
  addRows(into: Float32Array, d: Float32Array, rows: number): void;
}

/** Element of a typed array; callers keep the index inside. */
export function at(data: Float32Array | Int32Array, index: number): number {
  return data[index] ?? 0;
}

/** An element that has to be there. */
export function elementOf<V>(list: readonly V[], index: number): V {
  const value = list[index];
  if (value === undefined) throw new RangeError(`there is no element ${index} in a list of ${list.length}`);
  return value;
}
