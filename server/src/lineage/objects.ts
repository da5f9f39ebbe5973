import type { Git } from "./git.ts";

export type ReadObject =
  | { type: "found"; kind: string; content: Buffer }
  | { type: "tooLarge"; bytes: number }
  | { type: "missing" };

/**
 * Reads many objects with one `git cat-file --batch` process, in the order asked for. Objects over `limitBytes` are
 * passed over without being held in memory.
 */
export function readObjects(
  git: Git,
  names: readonly string[],
  limitBytes: number,
  onObject: (object: ReadObject, index: number) => void,
): Promise<void> {
  const input = `${names.join("\n")}\n`;
  return names.length === 0 ? Promise.resolve() : readNamed(git, input, limitBytes, onObject);
}

/** What git says of an object before its content. */
interface Header {
  readonly kind: string;
  readonly bytes: number;
}

const header = /^[0-9a-f]{40,64} (\w+) (\d+)$/;

function otherHeader(line: string): Header | undefined {
  const [, kind, size] = header.exec(line) ?? [];
  return kind === undefined ? undefined : { kind, bytes: Number(size) };
}

const between = Buffer.from(" blob ");
const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57;

/** The header of a file, which most are, without making texts of it: "<hash> blob <size>". Undefined for any other line. */
function blobHeader(bytes: Buffer, from: number, to: number): Header | undefined {
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    // a to f
    if (!isDigit(byte) && (byte < 97 || byte > 102)) break;
  }
  if (at - from < 40 || at - from > 64) return undefined;
  for (const expected of between) if (bytes[at++] !== expected) return undefined;
  if (at === to) return undefined;
  let size = 0;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (!isDigit(byte)) return undefined;
    size = 10 * size + byte - 48;
  }
  return { kind: "blob", bytes: size };
}

/** As `readObjects`, of names that are written already: one a line. */
export async function readNamed(
  git: Git,
  input: string | Buffer,
  limitBytes: number,
  onObject: (object: ReadObject, index: number) => void,
): Promise<void> {
  let index = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  /** So many bytes have to be there before anything can be done. */
  let wanted = 1;
  let body: Header | undefined;
  let skipping = 0;

  /** Gives what is complete in some bytes, and returns where the rest begins. */
  const take = (whole: Buffer): number => {
    for (let at = 0; ;) {
      wanted = 1;
      if (skipping > 0) {
        const now = Math.min(skipping, whole.length - at);
        skipping -= now;
        at += now;
        if (skipping > 0) return at;
      }
      if (body !== undefined) {
        const ends = at + body.bytes;
        // A line feed follows.
        wanted = body.bytes + 1;
        if (whole.length < at + wanted) return at;
        const { kind } = body;
        body = undefined;
        onObject({ type: "found", kind, content: whole.subarray(at, ends) }, index++);
        at = ends + 1;
        continue;
      }
      const end = whole.indexOf(10, at);
      if (end < 0) {
        wanted = whole.length - at + 1;
        return at;
      }
      const found = blobHeader(whole, at, end) ?? otherHeader(whole.toString("latin1", at, end));
      at = end + 1;
      if (found === undefined) onObject({ type: "missing" }, index++);
      else if (found.bytes > limitBytes) {
        skipping = found.bytes + 1;
        onObject({ type: "tooLarge", bytes: found.bytes }, index++);
      } else body = found;
    }
  };

  // Without --buffer git writes each object by itself.
  await git.stream(
    ["cat-file", "--batch", "--buffer"],
    (chunk) => {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes < wanted) return;
      const whole = pending.length === 1 ? chunk : Buffer.concat(pending);
      const rest = whole.subarray(take(whole));
      pending = rest.length === 0 ? [] : [rest];
      pendingBytes = rest.length;
    },
    { input },
  );
}
