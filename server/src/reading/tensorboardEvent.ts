import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** What of a summary is not a single number. */
export type SkippedKind = "histogram" | "image" | "audio" | "text" | "tensor" | "other";

export interface SummaryEvent {
  readonly step: number | bigint;
  /** Seconds since 1970. */
  readonly wallTime: number;
  /** "brain.Event:2" in the first event of a file. */
  readonly fileVersion?: string;
  readonly scalars: readonly { readonly tag: string; readonly value: number }[];
  readonly skipped: readonly SkippedKind[];
}

type Fields = Readonly<Record<number, (reader: BinaryReader, type: WireType) => void>>;

function readFields(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const take = fields[field];
    if (take === undefined) reader.skip(type, field);
    else take(reader, type);
  }
}

/**
 * Decodes an Event of TensorFlow (event.proto, summary.proto, tensor.proto).
 * @throws Error when the bytes are none
 */
export function decodeEvent(bytes: Uint8Array): SummaryEvent {
  let [wallTime, fileVersion] = [0, ""];
  let step: number | bigint = 0;
  const scalars: { tag: string; value: number }[] = [];
  const skipped: SkippedKind[] = [];
  const takeValue = (reader: BinaryReader): void => {
    const { tag, value } = decodeValue(reader.bytes());
    if (typeof value === "number") scalars.push({ tag, value });
    else skipped.push(value);
  };
  readFields(bytes, {
    1: (r) => (wallTime = r.double()),
    2: (r) => {
      const read = BigInt(r.int64());
      step = Number.isSafeInteger(Number(read)) ? Number(read) : read;
    },
    3: (r) => (fileVersion = r.string()),
    5: (r) => readFields(r.bytes(), { 1: takeValue }),
  });
  return { step, wallTime, scalars, skipped, ...(fileVersion === "" ? {} : { fileVersion }) };
}

function decodeValue(bytes: Uint8Array): { tag: string; value: number | SkippedKind } {
  let tag = "";
  let value: number | SkippedKind = "other";
  const skip = (kind: SkippedKind) => (reader: BinaryReader, type: WireType) => {
    reader.skip(type);
    value = kind;
  };
  readFields(bytes, {
    1: (r) => (tag = r.string()),
    2: (r) => (value = r.float()),
    4: skip("image"),
    5: skip("histogram"),
    6: skip("audio"),
    8: (r) => (value = decodeTensor(r.bytes())),
  });
  return { tag, value };
}

const text = 7;
/** Of the numeric types: how one element lies in `tensor_content`. */
const layouts: Readonly<Record<number, { readonly bytes: number; read(view: DataView): number }>> = {
  1: { bytes: 4, read: (v) => v.getFloat32(0, true) },
  2: { bytes: 8, read: (v) => v.getFloat64(0, true) },
  3: { bytes: 4, read: (v) => v.getInt32(0, true) },
  4: { bytes: 1, read: (v) => v.getUint8(0) },
  5: { bytes: 2, read: (v) => v.getInt16(0, true) },
  6: { bytes: 1, read: (v) => v.getInt8(0) },
  9: { bytes: 8, read: (v) => Number(v.getBigInt64(0, true)) },
  10: { bytes: 1, read: (v) => (v.getUint8(0) === 0 ? 0 : 1) },
  14: { bytes: 2, read: (v) => bfloat16(v.getUint16(0, true)) },
  17: { bytes: 2, read: (v) => v.getUint16(0, true) },
  19: { bytes: 2, read: (v) => half(v.getUint16(0, true)) },
  22: { bytes: 4, read: (v) => v.getUint32(0, true) },
  23: { bytes: 8, read: (v) => Number(v.getBigUint64(0, true)) },
};

/** The number in a tensor of one element. */
function decodeTensor(bytes: Uint8Array): number | SkippedKind {
  let dtype = 0;
  let content: Uint8Array | undefined;
  /** Only the first few are kept: there must be exactly one. */
  const values: number[] = [];
  const repeated = (read: (r: BinaryReader) => number) => (reader: BinaryReader, type: WireType) => {
    if (type !== WireType.LengthDelimited) values.push(read(reader));
    else {
      const packed = new BinaryReader(reader.bytes());
      while (packed.pos < packed.len && values.length < 2) values.push(read(packed));
    }
  };
  readFields(bytes, {
    1: (r) => (dtype = r.int32()),
    4: (r) => (content = r.bytes()),
    5: repeated((r) => r.float()),
    6: repeated((r) => r.double()),
    7: repeated((r) => r.int32()),
    10: repeated((r) => Number(r.int64())),
    11: repeated((r) => (r.bool() ? 1 : 0)),
    13: repeated((r) => (dtype === 14 ? bfloat16(r.int32()) : half(r.int32()))),
    16: repeated((r) => r.uint32()),
    17: repeated((r) => Number(r.uint64())),
  });
  if (dtype === text) return "text";
  const layout = layouts[dtype];
  if (layout === undefined) return "tensor";
  if (content !== undefined && content.length > 0)
    return content.length === layout.bytes
      ? layout.read(new DataView(content.buffer, content.byteOffset, content.byteLength))
      : "tensor";
  return values.length === 1 ? (values[0] ?? "tensor") : "tensor";
}

function bfloat16(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint16(0, bits & 0xffff);
  return view.getFloat32(0);
}

function half(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
