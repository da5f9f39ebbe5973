import { gemmModule } from "./gemmModule.ts";

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

/** Memory and the matrix product, c[m×n] = a[m×k] · b[k×n], all row by row in float32. */
export interface Backend {
  readonly name: "wasm" | "plain";
  /** Zeroed memory that stays. */
  keep(length: number): Float32Array;
  /** Memory with arbitrary contents that is valid until `release`. */
  scratch(length: number): Float32Array;
  release(): void;
  multiply(c: Float32Array, a: Float32Array, b: Float32Array, shape: ProductShape): void;
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

/** The product with plain typed arrays: the fallback, and what the WASM kernel is measured against. */
export function plainBackend(): Backend {
  return {
    name: "plain",
    keep: (length) => new Float32Array(length),
    scratch: (length) => new Float32Array(length),
    release: () => undefined,
    multiply(c, a, b, { m, k, n, transposeA, accumulate }) {
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
    },
  };
}

type Gemm = (
  a: number,
  b: number,
  c: number,
  m: number,
  k: number,
  n: number,
  rowStride: number,
  columnStride: number,
  accumulate: number,
) => void;

function isGemm(value: unknown): value is Gemm {
  return typeof value === "function";
}

const pageBytes = 65536;

/** The SIMD kernel in WebAssembly; undefined where the runtime has no SIMD. Reserves `megabytes`, touches what is used. */
export function wasmBackend(megabytes = 512): Backend | undefined {
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(Buffer.from(gemmModule, "base64"));
  } catch {
    return undefined;
  }
  const pages = megabytes * 16;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { gemm } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  if (!isGemm(gemm)) return undefined;
  const end = pages * pageBytes;
  let bottom = pageBytes;
  let top = end;
  const take = (length: number): number => Math.ceil((length * 4) / 64) * 64;
  const check = (): void => {
    if (bottom > top) throw new Error(`The policy needs more than ${megabytes} MB; use smaller batches.`);
  };
  return {
    name: "wasm",
    keep(length) {
      const view = new Float32Array(memory.buffer, bottom, length);
      bottom += take(length);
      check();
      return view;
    },
    scratch(length) {
      top -= take(length);
      check();
      return new Float32Array(memory.buffer, top, length);
    },
    release() {
      top = end;
    },
    multiply(c, a, b, { m, k, n, transposeA, accumulate }) {
      const [rowStride, columnStride] = transposeA ? [1, m] : [k, 1];
      gemm(a.byteOffset, b.byteOffset, c.byteOffset, m, k, n, rowStride, columnStride, accumulate ? 1 : 0);
    },
  };
}

/** The fastest backend that this runtime has. */
export function bestBackend(): Backend {
  return wasmBackend() ?? plainBackend();
}
