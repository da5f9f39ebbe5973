import type { Backend } from "../matrix.ts";
import { kernelModule } from "./kernelModule.ts";

type Kernel = (...numbers: number[]) => void;

const names = ["gemm", "gather", "scatter", "score", "scoreBackward", "rectify", "gate", "addRows"] as const;

/** The compiled functions of wasm/kernels.ts. */
type Kernels = Readonly<Record<(typeof names)[number], Kernel>>;

const isKernels = (exports: Readonly<Record<string, unknown>>): exports is Kernels =>
  names.every((name) => typeof exports[name] === "function");

const pageBytes = 65536;

/** The memory of a backend: what stays grows from below, what is released grows from above. */
class Pages {
  readonly memory: WebAssembly.Memory;
  readonly #megabytes: number;
  readonly #end: number;
  #bottom = pageBytes;
  #top: number;

  constructor(megabytes: number) {
    const pages = megabytes * 16;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#megabytes = megabytes;
    this.#top = this.#end = pages * pageBytes;
  }

  keep(length: number): number {
    const from = this.#bottom;
    this.#bottom += bytesOf(length);
    this.#check();
    return from;
  }

  scratch(length: number): number {
    this.#top -= bytesOf(length);
    this.#check();
    return this.#top;
  }

  release(): void {
    this.#top = this.#end;
  }

  /** A copy of whole numbers, as an address. */
  numbers(of: Int32Array): number {
    const from = this.scratch(of.length);
    new Int32Array(this.memory.buffer, from, of.length).set(of);
    return from;
  }

  floats(from: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, from, length);
  }

  #check(): void {
    if (this.#bottom > this.#top)
      throw new Error(`The policy needs more than ${this.#megabytes} MB; use smaller batches.`);
  }
}

/** Of so many elements of 4 bytes, in whole cache lines. */
const bytesOf = (length: number): number => Math.ceil((length * 4) / 64) * 64;

/** The SIMD kernels in WebAssembly; undefined where the runtime has no SIMD. Reserves `megabytes`, touches what is used. */
export function wasmBackend(megabytes = 512): Backend | undefined {
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(Buffer.from(kernelModule, "base64"));
  } catch {
    return undefined;
  }
  const pages = new Pages(megabytes);
  const { memory } = pages;
  const kernels = new WebAssembly.Instance(module, { env: { memory } }).exports;
  if (!isKernels(kernels)) return undefined;
  const { gemm, gather, scatter, score, scoreBackward, rectify, gate, addRows } = kernels;
  return {
    name: "wasm",
    keep: (length) => pages.floats(pages.keep(length), length),
    scratch: (length) => pages.floats(pages.scratch(length), length),
    release: () => pages.release(),
    multiply(c, a, b, { m, k, n, transposeA, accumulate }) {
      const [rowStride, columnStride] = transposeA ? [1, m] : [k, 1];
      gemm(a.byteOffset, b.byteOffset, c.byteOffset, m, k, n, rowStride, columnStride, accumulate ? 1 : 0);
    },
    gather(c, w, { starts, columns }, n) {
      const [from, at] = [pages.numbers(starts), pages.numbers(columns)];
      gather(c.byteOffset, w.byteOffset, from, at, starts.length - 1, n);
    },
    scatter(w, d, { starts, columns }, n) {
      const [from, at] = [pages.numbers(starts), pages.numbers(columns)];
      scatter(w.byteOffset, d.byteOffset, from, at, starts.length - 1, n);
    },
    score(logits, context, { starts, units, layer, weights }) {
      const [layers, by, from] = [layer.byteOffset, weights.byteOffset, pages.numbers(starts)];
      score(logits.byteOffset, layers, context.byteOffset, by, from, starts.length - 1, units);
    },
    scoreBackward(slopes, { starts, units, layer, weights }, into) {
      const given = [slopes.byteOffset, layer.byteOffset, weights.byteOffset, pages.numbers(starts)];
      const made = [into.layer.byteOffset, into.context.byteOffset, into.weights.byteOffset];
      scoreBackward(...given, starts.length - 1, units, ...made);
    },
    rectify: (output) => rectify(output.byteOffset, output.length),
    gate: (slope, output) => gate(slope.byteOffset, output.byteOffset, slope.length),
    addRows: (into, d, rows) => addRows(into.byteOffset, d.byteOffset, rows, into.length),
  };
}
