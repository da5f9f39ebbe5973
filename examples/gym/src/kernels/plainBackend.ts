import { at, type Backend } from "../matrix.ts";

/** Everything with plain typed arrays: the fallback, and what the WASM kernels are measured against. */
export const plainBackend = (): Backend => ({
  name: "plain",
  keep: (length) => new Float32Array(length),
  scratch: (length) => new Float32Array(length),
  release: () => undefined,
  multiply,
  gather,
  scatter,
  score,
  scoreBackward,
  rectify,
  gate,
  addRows,
});

const multiply: Backend["multiply"] = (c, a, b, { m, k, n, transposeA, accumulate }) => {
  const rowStride = transposeA ? 1 : k;
  const columnStride = transposeA ? m : 1;
  if (!accumulate) c.fill(0, 0, m * n);
  for (let i = 0; i < m; i++) {
    for (let q = 0; q < k; q++) {
      const x = at(a, i * rowStride + q * columnStride);
      if (x === 0) continue;
      const row = i * n;
      const source = q * n;
      for (let j = 0; j < n; j++) c[row + j] = at(c, row + j) + x * at(b, source + j);
    }
  }
};

/** Calls `row` for every one of every row: the row's number and the column. */
function eachOne(
  { starts, columns }: { readonly starts: Int32Array; readonly columns: Int32Array },
  one: (row: number, column: number) => void,
): void {
  for (let r = 0; r + 1 < starts.length; r++)
    for (let p = at(starts, r); p < at(starts, r + 1); p++) one(r, at(columns, p));
}

const gather: Backend["gather"] = (c, w, rows, n) => {
  eachOne(rows, (r, column) => {
    for (let j = 0; j < n; j++) c[r * n + j] = at(c, r * n + j) + at(w, column * n + j);
  });
};

const scatter: Backend["scatter"] = (w, d, rows, n) => {
  eachOne(rows, (r, column) => {
    for (let j = 0; j < n; j++) w[column * n + j] = at(w, column * n + j) + at(d, r * n + j);
  });
};

const score: Backend["score"] = (logits, context, { starts, units, layer, weights }) => {
  for (let i = 0; i + 1 < starts.length; i++)
    for (let c = at(starts, i); c < at(starts, i + 1); c++) {
      let sum = 0;
      for (let j = 0; j < units; j++) {
        const z = at(layer, c * units + j) + at(context, i * units + j);
        const h = z > 0 ? z : 0;
        layer[c * units + j] = h;
        sum += h * at(weights, j);
      }
      logits[c] = sum;
    }
};

const scoreBackward: Backend["scoreBackward"] = (slopes, { starts, units, layer, weights }, into) => {
  for (let i = 0; i + 1 < starts.length; i++)
    for (let c = at(starts, i); c < at(starts, i + 1); c++) {
      const s = at(slopes, c);
      for (let j = 0; j < units; j++) {
        const h = at(layer, c * units + j);
        const d = h > 0 ? s * at(weights, j) : 0;
        into.layer[c * units + j] = d;
        into.context[i * units + j] = at(into.context, i * units + j) + d;
        into.weights[j] = at(into.weights, j) + s * h;
      }
    }
};

const rectify: Backend["rectify"] = (output) => {
  for (let i = 0; i < output.length; i++) if (at(output, i) < 0) output[i] = 0;
};

const gate: Backend["gate"] = (slope, output) => {
  for (let i = 0; i < slope.length; i++) if (at(output, i) <= 0) slope[i] = 0;
};

const addRows: Backend["addRows"] = (into, d, rows) => {
  const columns = into.length;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) into[c] = at(into, c) + at(d, r * columns + c);
};
