import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { at, plainBackend, wasmBackend, type Backend, type ProductShape } from "./matrix.ts";
import { Random } from "./random.ts";

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

  it("is the compiled form of wasm/gemm.ts as it is now", function () {
    this.timeout(60_000);
    const build = fileURLToPath(new URL("../wasm/build.mjs", import.meta.url));
    const fresh = execFileSync(process.execPath, [build, "--print"], { encoding: "utf8" });
    const committed = readFileSync(new URL("gemmModule.ts", import.meta.url), "utf8");
    assert.ok(fresh === committed, "run node examples/gym/wasm/build.mjs");
  });
});
