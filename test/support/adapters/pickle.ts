/** For tests: plain data as Python pickles it (protocol 4), without Python. */
export function pickleOf(value: unknown): Buffer {
  return Buffer.concat([Buffer.from([0x80, 4]), ...opcodes(value), Buffer.from(".")]);
}

function opcodes(value: unknown): Buffer[] {
  if (value === null || value === undefined) return [Buffer.from("N")];
  if (typeof value === "boolean") return [Buffer.from([value ? 0x88 : 0x89])];
  if (typeof value === "number") return [Number.isSafeInteger(value) ? integer(value) : float(value)];
  if (typeof value === "string") {
    const text = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    return [Buffer.from("X"), length, text];
  }
  if (Array.isArray(value)) return [Buffer.from("]("), ...value.flatMap(opcodes), Buffer.from("e")];
  return [
    Buffer.from("}("),
    ...Object.entries(value).flatMap(([key, v]) => [...opcodes(key), ...opcodes(v)]),
    Buffer.from("u"),
  ];
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.write("J");
  bytes.writeInt32LE(value, 1);
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.write("G");
  bytes.writeDoubleBE(value, 1);
  return bytes;
}
