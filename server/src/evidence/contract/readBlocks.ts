import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { LineSplitter, type Block, type Line } from "./lines.ts";

const newline = 0x0a;

/**
 * Streams an open file from a byte offset to `end` or its present end, through `memory`, as blocks of whole lines. A line
 * that is longer than the memory, and what lies behind the last newline, come on their own. What is yielded lies in the
 * memory: use it before the next is asked for.
 */
export async function* readBlocks(
  file: FileHandle,
  memory: Buffer,
  offset: number,
  end = Infinity,
): AsyncGenerator<Block | Line> {
  // Where in the file the memory begins, and how much of the file is in it.
  let start = offset;
  let held = 0;
  let long: LineSplitter | undefined;
  for (;;) {
    const position = start + held;
    const length = Math.min(memory.length - held, end - position);
    const { bytesRead } = await file.read(memory, held, length, position);
    if (bytesRead === 0) break;
    const filled = held + bytesRead;
    let from = 0;
    if (long !== undefined) {
      from = memory.subarray(0, filled).indexOf(newline) + 1;
      yield* long.push(memory.subarray(0, from === 0 ? filled : from));
      if (from > 0) long = undefined;
      else from = filled;
    }
    const whole = memory.subarray(from, filled).lastIndexOf(newline) + 1 + from;
    if (whole > from) {
      const bytes = memory.subarray(from, whole);
      yield { start: start + from, bytes, isText: isUtf8(bytes) };
    }
    memory.copyWithin(0, whole, filled);
    start += whole;
    held = filled - whole;
    if (held < memory.length) continue;
    long = new LineSplitter(start);
    yield* long.push(memory);
    start += held;
    held = 0;
  }
  const rest = long ?? new LineSplitter(start);
  yield* rest.push(memory.subarray(0, held));
  const last = rest.end();
  if (last !== undefined) yield last;
}

/** Whether what was read is a block of lines. */
export const isBlock = (part: Block | Line): part is Block => "isText" in part;
