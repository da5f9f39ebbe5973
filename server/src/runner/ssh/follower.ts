import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import type { Bandwidth } from "./bandwidth.ts";
import { OutputChannel, partsOf } from "./outputChannel.ts";
import type { SshRoute } from "./sshArguments.ts";
import { startScript, type HostScript } from "./transfer.ts";

/** More is not held in memory: the connection is not read from until it is written. */
const heldBytes = 2 * 1024 ** 2;
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
  /** Takes what came. Nothing is read from the host meanwhile, and the bytes are its own only so long. */
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
  readonly #request: FollowRequest;
  #child: HostScript<Readable | null>["child"] | undefined;
  #isStopped = false;

  constructor(request: FollowRequest) {
    this.#request = request;
    this.end = this.#run();
    this.end.catch(() => undefined);
  }

  /** Ends it; what it has taken is written by the time `end` is there. */
  stop(): void {
    this.#isStopped = true;
    this.#child?.stdin.destroy();
    this.#child?.kill("SIGKILL");
  }

  async #run(): Promise<FollowEnd> {
    const request = this.#request;
    const channel = await OutputChannel.open(
      Math.min(heldBytes, request.bandwidth.bytesPerSecond ?? heldBytes),
    );
    const mark = `evo${randomBytes(16).toString("hex")}`;
    const { child, failure } = startScript(request.route, followScript(request, mark), channel?.far);
    channel?.started();
    this.#child = child;
    // Stopped before there was anything to stop.
    if (this.#isStopped) this.stop();
    const over = once(child, "close").catch(() => undefined);
    try {
      const parts = channel?.parts() ?? partsOf(child.stdout ?? Readable.from([]));
      const head = await headOf(parts, mark);
      if (head?.answer === "changed") return "changed";
      if (head?.answer === "ok") await this.#take(head.rest, parts);
      if (this.#isStopped) return "stopped";
      await over;
      const error = failure();
      if (HarnessError.is(error, "hostRefused")) throw error;
      return "cut";
    } finally {
      child.kill("SIGKILL");
      // What is not read any more would keep it from closing.
      channel?.destroy();
      child.stdout?.destroy();
      await over;
    }
  }

  async #take(rest: Buffer, parts: Parts): Promise<void> {
    const { compress, bandwidth, take } = this.#request;
    for await (const came of compress === "gzip" ? unpacked(rest, parts) : following(rest, parts)) {
      if (this.#isStopped) return;
      await take(came);
      await bandwidth.spend(came.reduce((sum, part) => sum + part.length, 0));
    }
  }
}

type Parts = AsyncIterable<readonly Buffer[]>;

async function* following(first: Buffer, parts: Parts): AsyncGenerator<readonly Buffer[], void> {
  if (first.length > 0) yield [first];
  yield* parts;
}

/** What is packed and cut off is asked for again. */
const unpacked = (first: Buffer, parts: Parts): Parts => {
  async function* copies(): AsyncGenerator<Buffer, void> {
    for await (const came of following(first, parts)) yield Buffer.concat(came);
  }
  const packed = Readable.from(copies(), { objectMode: false });
  const bytes = createGunzip({ chunkSize: 256 * 1024 });
  pipeline(packed, bytes).catch(() => undefined);
  return partsOf(bytes);
};

/** What stands behind the mark; whatever comes before, from a profile say, is dropped. Undefined when it never comes. */
async function headOf(
  parts: AsyncGenerator<readonly Buffer[], void>,
  mark: string,
): Promise<{ readonly answer: string; readonly rest: Buffer } | undefined> {
  let held: Buffer = Buffer.alloc(0);
  const begin = Buffer.from(`\n${mark} `);
  for (;;) {
    const part = await parts.next();
    if (part.done === true) return undefined;
    held = Buffer.concat([held, ...part.value]);
    const start = held.indexOf(begin);
    const stop = start < 0 ? -1 : held.indexOf(10, start + 1);
    if (stop >= 0)
      return {
        answer: held.toString("utf8", start + begin.length, stop),
        rest: held.subarray(stop + 1),
      };
    if (start < 0) held = held.subarray(-begin.length);
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
