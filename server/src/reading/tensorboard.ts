import { size } from "../../../shared/words/numbers.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import { ByteQueue } from "./byteQueue.ts";
import { bufferOf, type ByteStream } from "./bytes.ts";
import { maskedCrc32c } from "./crc32c.ts";
import { decodeEvent, type SkippedKind, type SummaryEvent } from "./tensorboardEvent.ts";

export type TensorBoardItem =
  | {
      readonly type: "scalar";
      readonly step: number;
      /** Seconds since 1970. */
      readonly wallTime: number;
      readonly tag: string;
      /** May be NaN or infinite: the file can hold them. */
      readonly value: number;
    }
  | {
      /** A record that is left out. */
      readonly type: "problem";
      /** Byte where the record begins. */
      readonly offset: number;
      readonly reason: string;
    }
  | {
      /** The last item. */
      readonly type: "end";
      /** Where the record begins that was not complete yet, or the end of the file: where to resume. */
      readonly offset: number;
      /** Bytes behind `offset` belong to a record that is still being written, or was cut off. */
      readonly torn: boolean;
      readonly records: number;
      /** Values that are no numbers, by kind. */
      readonly skipped: Readonly<Partial<Record<SkippedKind, number>>>;
    };

export interface TensorBoardOptions {
  /** The file, for messages. */
  readonly name: string;
  /** Where in the file the first byte of the stream lies: 0, or the offset of an earlier "end". */
  readonly offset?: number;
  readonly maxRecordBytes?: number;
}

const headerBytes = 12;
const footerBytes = 4;

/**
 * Reads the scalars of a TensorBoard event file as it grows: records whose checksum is wrong are problems and reading
 * goes on behind them; it ends where a record is not complete.
 * @throws HarnessError badInput when the file is no event file
 */
export async function* readTensorBoard(
  stream: ByteStream,
  options: TensorBoardOptions,
): AsyncGenerator<TensorBoardItem> {
  const { name, maxRecordBytes = 64 * 1024 * 1024 } = options;
  const queue = new ByteQueue();
  const skipped: Partial<Record<SkippedKind, number>> = {};
  let offset = options.offset ?? 0;
  let [records, toSkip] = [0, 0];
  for await (const chunk of stream) {
    queue.push(bufferOf(chunk));
    for (;;) {
      toSkip -= queue.skip(toSkip);
      const header = toSkip > 0 ? undefined : queue.peek(headerBytes);
      if (header === undefined) break;
      const length = bodyLength(header);
      if (length === undefined) {
        if (offset === 0) throw notEvents(name);
        yield { type: "problem", offset, reason: "its length is damaged: nothing after it can be read" };
        yield { type: "end", offset, torn: false, records, skipped };
        return;
      }
      const whole = headerBytes + length + footerBytes;
      if (length > maxRecordBytes) {
        yield { type: "problem", offset, reason: `it is longer than ${size(maxRecordBytes)}` };
        toSkip = whole;
      } else {
        const record = queue.peek(whole);
        if (record === undefined) break;
        const event = eventOf(record);
        if (typeof event === "string") yield { type: "problem", offset, reason: event };
        else {
          if (offset === 0 && event.fileVersion?.startsWith("brain.Event:") !== true) throw notEvents(name);
          yield* scalarsOf(event, offset);
          for (const kind of event.skipped) skipped[kind] = (skipped[kind] ?? 0) + 1;
        }
        queue.skip(whole);
      }
      offset += whole;
      records++;
    }
  }
  yield { type: "end", offset, torn: queue.length > 0 || toSkip > 0, records, skipped };
}

const notEvents = (name: string): HarnessError =>
  new HarnessError(
    "badInput",
    `${name} does not begin like a TensorBoard event file; give an events.out.tfevents file.`,
  );

/** The length that a record header claims, or nothing when its checksum is wrong. */
function bodyLength(header: Buffer): number | undefined {
  if (maskedCrc32c(header.subarray(0, 8)) !== header.readUInt32LE(8)) return undefined;
  const length = header.readUInt32LE(0) + header.readUInt32LE(4) * 2 ** 32;
  return Number.isSafeInteger(length) ? length : undefined;
}

function eventOf(record: Buffer): SummaryEvent | string {
  const body = record.subarray(headerBytes, -footerBytes);
  if (maskedCrc32c(body) !== record.readUInt32LE(record.length - footerBytes)) return "its checksum is wrong";
  try {
    return decodeEvent(body);
  } catch (e) {
    return `it is not an event (${messageOf(e)})`;
  }
}

function* scalarsOf({ step, wallTime, scalars }: SummaryEvent, offset: number): Generator<TensorBoardItem> {
  if (typeof step === "bigint") {
    if (scalars.length > 0) yield { type: "problem", offset, reason: `its step ${step} is too large` };
    return;
  }
  for (const { tag, value } of scalars) yield { type: "scalar", step, wallTime, tag, value };
}
