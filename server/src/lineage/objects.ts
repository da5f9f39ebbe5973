import type { Git } from "./gitProcess/commands.ts";

export type ReadObject =
  | { type: "found"; oid: string; kind: string; content: Buffer }
  | { type: "tooLarge"; oid: string; bytes: number }
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

const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/;

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
  let body: { readonly oid: string; readonly kind: string; readonly bytes: number } | undefined;
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
        const { oid, kind } = body;
        body = undefined;
        onObject({ type: "found", oid, kind, content: whole.subarray(at, ends) }, index++);
        at = ends + 1;
        continue;
      }
      const end = whole.indexOf(10, at);
      if (end < 0) {
        wanted = whole.length - at + 1;
        return at;
      }
      const [, oid = "", kind = "", size = ""] = header.exec(whole.toString("latin1", at, end)) ?? [];
      at = end + 1;
      const bytes = Number(size);
      if (oid === "") onObject({ type: "missing" }, index++);
      else if (bytes > limitBytes) {
        skipping = bytes + 1;
        onObject({ type: "tooLarge", oid, bytes }, index++);
      } else body = { oid, kind, bytes };
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
