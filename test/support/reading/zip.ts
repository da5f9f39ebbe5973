import { crc32, deflateRawSync } from "node:zlib";

export interface Part {
  readonly name: string;
  readonly data: Buffer;
  readonly method?: number;
  readonly packed?: Buffer;
  readonly bytes?: number;
  readonly crc?: number;
  readonly flags?: number;
  /** The index of an earlier part, if this part's directory entry points to that part's local header. */
  readonly same?: number;
}

/** For tests: a zip file with exactly these headers, whether they are true or not. */
export function makeZip(parts: readonly Part[]): Buffer {
  const out: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const part of parts) {
    const { data, method = 8, flags = 0x800 } = part;
    const packed = part.packed ?? (method === 8 ? deflateRawSync(data) : data);
    const name = Buffer.from(part.name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flags, 2);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(part.crc ?? crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(part.bytes ?? data.length, 18);
    fields.writeUInt16LE(name.length, 22);
    offsets.push(part.same === undefined ? at : (offsets[part.same] ?? 0));
    const offset = Buffer.alloc(14);
    offset.writeUInt32LE(offsets.at(-1) ?? 0, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, offset, name);
    if (part.same !== undefined) continue;
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, packed]);
    out.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...out, central, end]);
}

/** For tests: a zstd frame of raw blocks, or of run-length blocks that repeat one byte. */
export function zstdFrame(
  data: Buffer,
  { block = 65536, window }: { block?: number; window?: number } = {},
): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, window === undefined ? 0xa0 : 0, window ?? 0, 0, 0, 0]);
  if (window === undefined) header.writeUInt32LE(data.length, 5);
  const out: Buffer[] = [window === undefined ? header : header.subarray(0, 6)];
  for (let i = 0; i < data.length || i === 0; i += block) {
    const part = data.subarray(i, i + block);
    const last = i + block >= data.length ? 1 : 0;
    const size = Buffer.alloc(4);
    size.writeUInt32LE((part.length << 3) | last);
    out.push(size.subarray(0, 3), part);
  }
  return Buffer.concat(out);
}
