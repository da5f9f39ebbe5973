import type { Git } from "./git.ts";

export type ReadObject =
  | { type: "found"; name: string; oid: string; kind: string; content: Buffer }
  | { type: "tooLarge"; name: string; oid: string; bytes: number }
  | { type: "missing"; name: string };

/**
 * Reads many objects with one `git cat-file --batch` process, in the order asked for. Objects over `limitBytes` are
 * passed over without being held in memory.
 */
export async function readObjects(
  git: Git,
  names: readonly string[],
  limitBytes: number,
  onObject: (object: ReadObject, index: number) => void,
): Promise<void> {
  if (names.length === 0) return;
  let index = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let body: { oid: string; kind: string; bytes: number } | undefined;
  let skipping = 0;

  const name = () => names[index] ?? "";
  const emit = (object: ReadObject) => {
    onObject(object, index);
    index++;
  };
  const joined = () => {
    const whole = pending.length === 1 ? (pending[0] ?? Buffer.alloc(0)) : Buffer.concat(pending);
    pending = [whole];
    return whole;
  };
  const drop = (whole: Buffer, bytes: number) => {
    const rest = whole.subarray(bytes);
    pending = rest.length === 0 ? [] : [rest];
    pendingBytes = rest.length;
  };
  const step = (): boolean => {
    if (skipping > 0) {
      const whole = joined();
      const now = Math.min(skipping, whole.length);
      skipping -= now;
      drop(whole, now);
      return now > 0;
    }
    if (body !== undefined) {
      if (pendingBytes < body.bytes + 1) return false;
      const whole = joined();
      emit({ type: "found", name: name(), ...body, content: whole.subarray(0, body.bytes) });
      drop(whole, body.bytes + 1);
      body = undefined;
      return true;
    }
    if (pendingBytes === 0) return false;
    const whole = joined();
    const end = whole.indexOf(10);
    if (end < 0) return false;
    const header = whole.toString("utf8", 0, end);
    drop(whole, end + 1);
    const match = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
    if (match === null) {
      emit({ type: "missing", name: name() });
      return true;
    }
    const [, oid = "", kind = "", size = "0"] = match;
    const bytes = Number(size);
    if (bytes > limitBytes) {
      skipping = bytes + 1;
      emit({ type: "tooLarge", name: name(), oid, bytes });
    } else body = { oid, kind, bytes };
    return true;
  };
  await git.stream(
    ["cat-file", "--batch"],
    (chunk) => {
      pending.push(chunk);
      pendingBytes += chunk.length;
      while (step());
    },
    { input: `${names.join("\n")}\n` },
  );
}
