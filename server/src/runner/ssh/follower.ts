import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../keeper/payload.ts";
import type { Bandwidth } from "./bandwidth.ts";
import type { SshRoute } from "./sshArguments.ts";
import { startScript } from "./transfer.ts";

/** More is not held in memory: the connection is not read from until it is written. */
const heldBytes = 8 * 1024 ** 2;
/** What is packed at a time where bytes travel compressed. */
const packedBytes = 16 * 1024 ** 2;

export interface FollowRequest {
  readonly route: SshRoute;
  /** A file on the host, which file that has to be, and from which byte on it is wanted. */
  readonly path: string;
  readonly id: string;
  readonly offset: number;
  readonly compress: "none" | "gzip";
  readonly bandwidth: Bandwidth;
  /** Takes what came. Nothing is read from the host meanwhile, but for what fits into a buffer. */
  readonly take: (parts: readonly Buffer[]) => Promise<void>;
}

/** cut: the connection ended. changed: another file has the name, or it is shorter now. stopped: by us. */
export type FollowEnd = "cut" | "changed" | "stopped";

/**
 * Follows a file of a host that grows, with a process of its own. On the host one line tells that it is the file that is
 * meant; behind it come its bytes, as they are, until somebody stops it.
 */
export class Follower {
  /** How it ended. @throws HarnessError hostRefused, and what `take` throws */
  readonly end: Promise<FollowEnd>;
  readonly #child: ReturnType<typeof startScript>["child"];
  #isStopped = false;

  constructor(request: FollowRequest) {
    const mark = `evo${randomBytes(16).toString("hex")}`;
    const { child, failure } = startScript(request.route, followScript(request, mark));
    this.#child = child;
    this.end = this.#run(request, mark, failure);
    this.end.catch(() => undefined);
  }

  /** Ends it; what it has taken is written by the time `end` is there. */
  stop(): void {
    this.#isStopped = true;
    this.#child.stdin.destroy();
    this.#child.kill("SIGKILL");
  }

  async #run(request: FollowRequest, mark: string, failure: () => HarnessError): Promise<FollowEnd> {
    const over = once(this.#child, "close").catch(() => undefined);
    try {
      const answer = await headOf(this.#child.stdout, mark);
      if (answer === "changed") return "changed";
      if (answer === "ok") {
        const { stdout } = this.#child;
        const bytes =
          request.compress === "gzip" ? stdout.pipe(createGunzip({ chunkSize: 256 * 1024 })) : stdout;
        const { bandwidth } = request;
        await drain(bytes, Math.min(heldBytes, bandwidth.bytesPerSecond ?? heldBytes), async (parts) => {
          if (this.#isStopped) return;
          await request.take(parts);
          await bandwidth.spend(parts.reduce((sum, part) => sum + part.length, 0));
        });
      }
      if (this.#isStopped) return "stopped";
      await over;
      const error = failure();
      if (HarnessError.is(error, "hostRefused")) throw error;
      return "cut";
    } finally {
      this.#child.kill("SIGKILL");
      // What is not read any more would keep it from closing.
      this.#child.stdout.destroy();
      await over;
    }
  }
}

/** What stands behind the mark; whatever comes before, from a profile say, is dropped. Undefined when it never comes. */
async function headOf(stream: Readable, mark: string): Promise<string | undefined> {
  let held: Buffer = Buffer.alloc(0);
  const begin = Buffer.from(`\n${mark} `);
  for (;;) {
    for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) {
      if (!(chunk instanceof Buffer)) return undefined;
      held = Buffer.concat([held, chunk]);
      const start = held.indexOf(begin);
      const stop = start < 0 ? -1 : held.indexOf(10, start + 1);
      if (stop >= 0) {
        stream.unshift(held.subarray(stop + 1));
        return held.toString("utf8", start + begin.length, stop);
      }
      if (start < 0) held = held.subarray(-begin.length);
    }
    if (stream.readableEnded || stream.destroyed) return undefined;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        for (const name of ["readable", "end", "close", "error"]) stream.off(name, go);
        resolve();
      };
      for (const name of ["readable", "end", "close", "error"]) stream.on(name, go);
    });
  }
}

/** Hands everything of a stream on, many chunks at once where they come fast, and holds it back while they wait. */
async function drain(
  stream: Readable,
  mostBytes: number,
  take: (parts: Buffer[]) => Promise<void>,
): Promise<void> {
  let parts: Buffer[] = [];
  let held = 0;
  let isEnded = stream.destroyed || stream.readableEnded;
  let wake = (): void => undefined;
  stream.on("data", (chunk: Buffer) => {
    parts.push(chunk);
    held += chunk.length;
    if (held >= mostBytes) stream.pause();
    wake();
  });
  const end = (): void => {
    isEnded = true;
    wake();
  };
  // What was packed and is cut off is asked for again.
  for (const name of ["end", "close", "error"]) stream.on(name, end);
  stream.resume();
  for (;;) {
    if (held === 0) {
      if (isEnded) return;
      await new Promise<void>((resolve) => (wake = resolve));
      continue;
    }
    const batch = parts;
    parts = [];
    held = 0;
    await take(batch);
    stream.resume();
  }
}

function followScript({ path, id, offset, compress }: FollowRequest, mark: string): string {
  const file = shellWord(path);
  // A background job has no standard input, so whoever watches for our end reads a copy of it.
  return `off=${offset}
exec 3<&0 </dev/null 2>/dev/null
[ -f ${file} ] && exec 4<${file} && set -- $(stat -L -c '%d:%i:%W %s' /dev/fd/4) && [ "$1" = ${shellWord(id)} ] && [ "$2" -ge "$off" ] || {
printf '\\n%s\\n' '${mark} changed'
exit 0
}
printf '\\n%s\\n' '${mark} ok'
${compress === "gzip" ? packedTail : plainTail(file)}`;
}

/**
 * A long way is made by cat, which moves more at a time than tail; how far it came is where the file stands open now.
 * Not -F: after another file took the name that would begin anew; the next status tells of it instead.
 */
const plainTail = (file: string): string => `at() {
while read -r key value; do
[ "$key" != pos: ] || echo "$value"
done </proc/$$/fdinfo/4
}
if [ $(($2 - off)) -gt 1000000 ]; then
dd bs=1 skip="$off" count=0 <&4
if [ "$(at)" = "$off" ]; then
cat <&4
off=$(at)
[ -n "$off" ] || exit 0
fi
fi
exec 4<&-
tail -c +$((off + 1)) -f ${file} 3<&- &
t=$!
(cat >/dev/null; kill $t) <&3 3<&- >/dev/null &
c=$!
exec 3<&-
trap 'kill $t $c' EXIT HUP TERM INT
wait $t`;

/** A packer that waits for more would keep the last lines to itself: it gets what is there, and is over. */
const packedTail = `(cat >/dev/null; kill $$) <&3 3<&- >/dev/null &
c=$!
exec 3<&-
trap 'kill $c' EXIT
trap 'exit 0' HUP TERM INT PIPE
while s=$(stat -L -c %s /dev/fd/4) && [ "$s" -ge "$off" ]; do
n=$((s - off))
[ "$n" -le ${packedBytes} ] || n=${packedBytes}
if [ "$n" -gt 0 ]; then
tail -c +$((off + 1)) /dev/fd/4 | head -c "$n" | gzip -1 || exit 0
off=$((off + n))
else sleep 0.1
fi
done`;
