import { readSync } from "node:fs";
import { openFile } from "./bytes.ts";
import { graphProblem } from "./pickleCheck.ts";
import { PickleInput } from "./pickleInput.ts";
import { PickleMachine } from "./pickleMachine.ts";

export interface PickleOptions {
  /** The file, for messages. */
  readonly name: string;
  /**
   * Objects that Python would build by importing and calling become a `PickledObject` with the name and the data that
   * the file gives. Without it the file is refused with the first such name. Nothing is ever called either way.
   */
  readonly opaque?: boolean;
  readonly maxDepth?: number;
  /** Values and containers of one pickle. */
  readonly maxObjects?: number;
  /** Bytes of one pickle. */
  readonly maxBytes?: number;
  /** Bytes of one text. */
  readonly maxStringBytes?: number;
  /** Bytes that one pickle may unfold to, counting what it shares as often as it is used. */
  readonly maxUnfoldedBytes?: number;
}

/**
 * One pickle of a file as plain data: list, tuple, set and frozenset are arrays; a dict is an object whose keys are
 * written as `json.dumps` does; bytes are a Buffer; an integer that a number cannot hold is a bigint; nan and inf stay.
 */
export interface Pickled {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
}

/**
 * Reads the pickles that stand one after another in a file, without running anything in them.
 * @throws HarnessError notFound, badInput
 */
export async function* readPickles(
  path: string,
  options: Partial<PickleOptions> = {},
): AsyncGenerator<Pickled> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    const readAt = (position: number, length: number): Buffer => {
      const buffer = Buffer.allocUnsafe(Math.min(length, Math.max(0, size - position)));
      let got = 0;
      while (got < buffer.length) {
        const n = readSync(file.fd, buffer, got, buffer.length - got, position + got);
        if (n === 0) break;
        got += n;
      }
      return buffer.subarray(0, got);
    };
    yield* pickles(inputOf({ size, readAt }, { name: path, ...options }), options);
  } finally {
    await file.close();
  }
}

/**
 * Reads the pickles that stand one after another in these bytes.
 * @throws HarnessError badInput
 */
export function* parsePickles(bytes: Buffer, options: PickleOptions): Generator<Pickled> {
  const readAt = (position: number, length: number): Buffer => bytes.subarray(position, position + length);
  yield* pickles(inputOf({ size: bytes.length, readAt }, options), options);
}

function inputOf(
  source: { readonly size: number; readonly readAt: (position: number, length: number) => Buffer },
  { name, maxStringBytes = 64 * 1024 * 1024 }: PickleOptions,
): PickleInput {
  return new PickleInput({ ...source, name, maxStringBytes });
}

function* pickles(input: PickleInput, options: Partial<PickleOptions>): Generator<Pickled> {
  const { opaque = false, maxObjects = 16_000_000, maxBytes = 512 * 1024 * 1024 } = options;
  for (let index = 0; index === 0 || !input.atEnd; index++) {
    const start = input.position;
    const machine = new PickleMachine(input, { opaque, maxObjects, maxBytes });
    const value = machine.run();
    const problem = graphProblem(value, {
      maxDepth: options.maxDepth ?? 1000,
      maxUnfoldedBytes: options.maxUnfoldedBytes ?? 1024 ** 3,
      isShared: machine.isShared,
      allowObjects: opaque,
    });
    if (problem !== undefined) input.fail(problem, start);
    yield { index, start, end: input.position, value };
  }
}
