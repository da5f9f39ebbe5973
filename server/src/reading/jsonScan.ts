const quote = 0x22;
const backslash = 0x5c;
/** Most strings of a document are keys: up to this length a loop is faster than a call into the engine. */
const shortString = 24;

/** Index of the quote that ends a string whose text begins at `from`, or -1 when these bytes do not hold it. */
export function closingQuote(bytes: Buffer, from: number): number {
  for (let i = from; ;) {
    for (const near = Math.min(bytes.length, i + shortString); i < near; i++) {
      const byte = bytes[i];
      if (byte === quote) return i;
      if (byte === backslash) i++;
    }
    const at = bytes.indexOf(quote, i);
    if (at === -1 || backslashesBefore(bytes, i, at) % 2 === 0) return at;
    i = at + 1;
  }
}

/** How many backslashes stand directly before `at`, looking back to `from`. */
export function backslashesBefore(bytes: Buffer, from: number, at: number): number {
  let i = at;
  while (i > from && bytes[i - 1] === backslash) i--;
  return at - i;
}

export interface JsonScan {
  /** Where nesting first exceeds the limit; nothing behind it was looked at. */
  readonly tooDeepAt?: number;
  /** How many NaN, Infinity and -Infinity stand outside strings: Python writes them, JSON has none of them. */
  readonly literals: number;
  /** At most so many values are in it: what decoding may allocate. */
  readonly values: number;
}

const names = { NaN: Buffer.from("NaN"), Infinity: Buffer.from("Infinity") };

/** Looks at JSON from outside, without decoding: how deep it is, and what in it is no JSON number. */
export function scanJson(
  bytes: Buffer,
  maxDepth: number,
  onLiteral?: (start: number, end: number) => void,
): JsonScan {
  let [depth, literals, values] = [0, 0, 1];
  const literal = (at: number, name: keyof typeof names): number => {
    if (!bytes.subarray(at, at + name.length).equals(names[name])) return at;
    literals++;
    const start = name === "Infinity" && bytes[at - 1] === 0x2d ? at - 1 : at;
    onLiteral?.(start, at + name.length);
    return at + name.length - 1;
  };
  for (let i = 0; i < bytes.length; i++)
    switch (bytes[i] ?? 0) {
      case quote: {
        const end = closingQuote(bytes, i + 1);
        if (end === -1) return { literals, values };
        i = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        values++;
        if (++depth > maxDepth) return { literals, values, tooDeepAt: i };
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
        values++;
        break;
      case 0x4e: // N
        i = literal(i, "NaN");
        break;
      case 0x49: // I
        i = literal(i, "Infinity");
        break;
    }
  return { literals, values };
}

/** The same JSON with each NaN and Infinity replaced by null. */
export function nullLiterals(bytes: Buffer, scan: JsonScan): Buffer {
  const out = Buffer.allocUnsafe(bytes.length + scan.literals);
  let [from, to] = [0, 0];
  scanJson(bytes, Infinity, (start, end) => {
    to += bytes.copy(out, to, from, start);
    to += out.write("null", to, "latin1");
    from = end;
  });
  to += bytes.copy(out, to, from);
  return out.subarray(0, to);
}

interface Frame {
  readonly isList: boolean;
  index: number;
  key: string;
}

/** The paths of the first `count` NaN and Infinity, as `rows[3].reward`. */
export function literalPaths(bytes: Buffer, count: number): string[] {
  const places: number[] = [];
  scanJson(bytes, Infinity, (start) => places.length < count && places.push(start));
  const paths: string[] = [];
  const frames: Frame[] = [];
  let text: { start: number; end: number } | undefined;
  for (let i = 0; i < bytes.length && paths.length < places.length; i++) {
    if (i === places[paths.length]) paths.push(pathOf(frames));
    const frame = frames.at(-1);
    switch (bytes[i] ?? 0) {
      case quote: {
        const end = closingQuote(bytes, i + 1);
        if (end === -1) return paths;
        text = { start: i + 1, end };
        i = end;
        break;
      }
      case 0x3a: // :
        if (frame !== undefined && text !== undefined)
          frame.key = bytes.toString("utf8", text.start, Math.min(text.end, text.start + 80));
        break;
      case 0x7b:
      case 0x5b:
        frames.push({ isList: bytes[i] === 0x5b, index: 0, key: "" });
        break;
      case 0x7d:
      case 0x5d:
        frames.pop();
        break;
      case 0x2c:
        if (frame !== undefined) frame.index++;
        break;
    }
  }
  return paths;
}

function pathOf(frames: readonly Frame[]): string {
  const parts = frames.map(({ isList, index, key }, i) => {
    if (isList) return `[${index}]`;
    return /^[\w/-]+$/.test(key) ? `${i > 0 ? "." : ""}${key}` : `[${JSON.stringify(key)}]`;
  });
  const path = parts.join("");
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
