import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { sparseRows } from "../columns.ts";
import { at, type Backend, type ProductShape, type ScoredChoices } from "../matrix.ts";
import { Random } from "../random.ts";
import { plainBackend } from "./plainBackend.ts";
import { wasmBackend } from "./wasmBackend.ts";

function naive(a: Float32Array, b: Float32Array, c: Float32Array, shape: ProductShape): number[] {
  const { m, k, n, transposeA, accumulate } = shape;
  const out: number[] = [];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++) {
      let sum = accumulate ? at(c, i * n + j) : 0;
      for (let q = 0; q < k; q++) sum += at(a, transposeA ? q * m + i : i * k + q) * at(b, q * n + j);
      out.push(sum);
    }
  return out;
}

function agrees(backend: Backend): void {
  const shapes = fc.record({
    m: fc.integer({ min: 1, max: 23 }),
    k: fc.integer({ min: 1, max: 600 }),
    n: fc.integer({ min: 1, max: 4 }).map((x) => 8 * x),
    transposeA: fc.boolean(),
    accumulate: fc.boolean(),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(shapes, ({ seed, ...shape }) => {
      backend.release();
      const random = new Random(seed);
      const fill = (length: number): Float32Array => backend.scratch(length).map(() => random.next() - 0.5);
      const put = (values: Float32Array): Float32Array => {
        const into = backend.scratch(values.length);
        into.set(values);
        return into;
      };
      const a = put(fill(shape.m * shape.k));
      const b = put(fill(shape.k * shape.n));
      const c = put(fill(shape.m * shape.n));
      const expected = naive(a, b, c, shape);
      backend.multiply(c, a, b, shape);
      expected.forEach((value, i) =>
        assert.ok(Math.abs(value - at(c, i)) < 1e-3, `${value} is not ${at(c, i)}`),
      );
    }),
    { numRuns: 60 },
  );
}

describe("the matrix product", () => {
  it("with plain typed arrays agrees with the definition", () => agrees(plainBackend()));

  it("in WASM SIMD agrees with the definition", () => {
    const backend = wasmBackend(64);
    assert.ok(backend, "this runtime has no WASM SIMD");
    agrees(backend);
  });

  it("gives the same bits every time", () => {
    const backend = wasmBackend(64);
    assert.ok(backend);
    const random = new Random(5);
    const a = backend.keep(50 * 70);
    const b = backend.keep(70 * 16);
    for (let i = 0; i < a.length; i++) a[i] = random.normal();
    for (let i = 0; i < b.length; i++) b[i] = random.normal();
    const run = (): number[] => {
      const c = backend.scratch(50 * 16);
      backend.multiply(c, a, b, { m: 50, k: 70, n: 16 });
      return Array.from(c);
    };
    assert.deepEqual(run(), run());
  });

  it("reports that the memory is used up", () => {
    const backend = wasmBackend(1);
    assert.throws(() => backend?.scratch(1 << 20), /needs more than 1 MB/);
  });

  it("is the compiled form of wasm/kernels.ts as it is now", function () {
    this.timeout(60_000);
    const build = fileURLToPath(new URL("../../wasm/build.mjs", import.meta.url));
    const fresh = execFileSync(process.execPath, [build, "--print"], { encoding: "utf8" });
    const committed = readFileSync(new URL("kernelModule.ts", import.meta.url), "utf8");
    assert.ok(fresh === committed, "run node examples/gym/wasm/build.mjs");
  });
});

/** Rows of zeros and ones over `width` columns, and the same written out. */
function drawRows(random: Random, rows: number, width: number) {
  const ones = Array.from({ length: rows }, () =>
    Array.from({ length: width }, (_, column) => column).filter(() => random.chance(0.3)),
  );
  const dense = new Float32Array(rows * width);
  ones.forEach((row, r) => row.forEach((column) => (dense[r * width + column] = 1)));
  return { sparse: sparseRows(ones), dense };
}

describe("what a network computes", () => {
  const wasm = wasmBackend(64);
  assert.ok(wasm, "this runtime has no WASM SIMD");
  const sizes = fc.record({
    rows: fc.integer({ min: 1, max: 40 }),
    width: fc.integer({ min: 1, max: 300 }),
    n: fc.integer({ min: 1, max: 13 }).map((x) => 8 * x),
    seed: fc.nat(),
  });

  /** A matrix of numbers in the memory of every backend. */
  const matrix = (random: Random, length: number): readonly [Float32Array, Float32Array] => {
    const values = Float32Array.from({ length }, () => random.normal());
    const inside = wasm.scratch(length);
    inside.set(values);
    return [values, inside];
  };

  it("with rows of zeros and ones has every bit of the product with these written out, in both backends", () => {
    fc.assert(
      fc.property(sizes, ({ rows, width, n, seed }) => {
        wasm.release();
        const random = new Random(seed);
        const { sparse, dense } = drawRows(random, rows, width);
        const [plainW, wasmW] = matrix(random, width * n);
        const [plainC, wasmC] = matrix(random, rows * n);
        const [, expected] = matrix(random, rows * n);
        expected.set(plainC);
        const x = wasm.scratch(dense.length);
        x.set(dense);
        wasm.multiply(expected, x, wasmW, { m: rows, k: width, n, accumulate: true });
        plainBackend().gather(plainC, plainW, sparse, n);
        wasm.gather(wasmC, wasmW, sparse, n);
        assert.deepEqual(wasmC, expected);
        assert.deepEqual(plainC, Float32Array.from(expected));
      }),
      { numRuns: 60 },
    );
  });

  it("has a gradient with every bit of the transposed product, in both backends", () => {
    fc.assert(
      fc.property(sizes, ({ rows, width, n, seed }) => {
        wasm.release();
        const random = new Random(seed);
        const { sparse, dense } = drawRows(random, rows, width);
        const [plainW, wasmW] = matrix(random, width * n);
        const [plainD, wasmD] = matrix(random, rows * n);
        const expected = wasm.scratch(width * n);
        expected.set(plainW);
        const x = wasm.scratch(dense.length);
        x.set(dense);
        const shape = { m: width, k: rows, n, transposeA: true, accumulate: true };
        wasm.multiply(expected, x, wasmD, shape);
        plainBackend().scatter(plainW, plainD, sparse, n);
        wasm.scatter(wasmW, wasmD, sparse, n);
        assert.deepEqual(wasmW, expected);
        assert.deepEqual(plainW, Float32Array.from(expected));
      }),
      { numRuns: 60 },
    );
  });

  it("for candidates, and its gradient, has the same bits in both backends", () => {
    fc.assert(
      fc.property(sizes, ({ rows: count, n: units, seed }) => {
        wasm.release();
        const random = new Random(seed);
        const starts = Int32Array.from({ length: count + 1 }, () => 0);
        for (let i = 0; i < count; i++) starts[i + 1] = at(starts, i) + random.below(5);
        const total = at(starts, count);
        const layer = matrix(random, total * units);
        const weights = matrix(random, units);
        const context = matrix(random, count * units);
        const logits = matrix(random, total);
        const slopes = matrix(random, total);
        const dLayer = matrix(random, total * units);
        const dContext = matrix(random, count * units);
        const dWeights = matrix(random, units);
        [plainBackend(), wasm].forEach((backend, i) => {
          const of = (pair: readonly [Float32Array, Float32Array]): Float32Array => pair[i] ?? pair[0];
          const choices: ScoredChoices = { starts, units, layer: of(layer), weights: of(weights) };
          backend.score(of(logits), of(context), choices);
          const into = { layer: of(dLayer), context: of(dContext), weights: of(dWeights) };
          backend.scoreBackward(of(slopes), choices, into);
        });
        for (const [plain, inside] of [layer, logits, dLayer, dContext, dWeights])
          assert.deepEqual(Float32Array.from(inside), plain);
      }),
      { numRuns: 60 },
    );
  });

  it("with a rectifier, its gradient and sums of rows has the same bits in both backends", () => {
    fc.assert(
      fc.property(sizes, ({ rows, n, seed }) => {
        wasm.release();
        const random = new Random(seed);
        const output = matrix(random, rows * n);
        const slope = matrix(random, rows * n);
        const into = matrix(random, n);
        [plainBackend(), wasm].forEach((backend, i) => {
          const of = (pair: readonly [Float32Array, Float32Array]): Float32Array => pair[i] ?? pair[0];
          backend.rectify(of(output));
          backend.gate(of(slope), of(output));
          backend.addRows(of(into), of(slope), rows);
        });
        for (const [plain, inside] of [output, slope, into])
          assert.deepEqual(Float32Array.from(inside), plain);
        assert.ok(output[0].every((value) => value >= 0));
      }),
      { numRuns: 60 },
    );
  });
});
