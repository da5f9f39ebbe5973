import { once } from "node:events";
import { Transform, type Readable, type TransformCallback, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { randomBytes } from "node:crypto";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { loginOver, spawnOnHost } from "./hostProcess.ts";
import type { SshRoute } from "./sshArguments.ts";

/**
 * What the login shell sees: plain words and one single-quoted string without line breaks, which csh and fish read alike.
 * It takes the script from the first bytes of standard input and leaves the rest to it.
 */
const loader = `exec sh -c 'read -r n; eval "$(dd bs=1 count=$n 2>/dev/null)"'`;

async function begin(route: SshRoute, script: string) {
  await loginOver(route);
  const { child, failure } = spawnOnHost(route, loader);
  let said = "";
  child.stderr.on("data", (d: Buffer) => (said = (said + d.toString("utf8")).slice(-4096)));
  child.stdin.on("error", () => undefined);
  child.on("error", (e) => (said += e.message));
  const body = Buffer.from(script);
  child.stdin.write(Buffer.concat([Buffer.from(`${body.length}\n`), body]));
  return { child, failure: (printed = "") => failure(said || printed) };
}

/**
 * Runs a script on the host with `content` as its standard input. The script has to print "received" at its end.
 * @throws HarnessError hostUnreachable, hostRefused
 */
export async function upload(route: SshRoute, script: string, content: Readable): Promise<void> {
  const { child, failure: failed } = await begin(route, script);
  let printed = "";
  child.stdout.on("data", (d: Buffer) => (printed = (printed + d.toString("utf8")).slice(-4096)));
  const over = once(child, "close");
  await Promise.all([
    over,
    pipeline(content, child.stdin).catch(() => {
      child.stdin.destroy();
    }),
  ]);
  if (!/^received$/m.test(printed)) throw failed(printed);
}

/**
 * Runs a script on the host and writes what it prints, at most `limitBytes`, to `sink`.
 * @throws HarnessError hostUnreachable, hostRefused, diskFull for more than the limit
 */
export async function download(
  route: SshRoute,
  script: string,
  limitBytes: number,
  sink: Writable,
): Promise<void> {
  const mark = `evo${randomBytes(16).toString("hex")}`;
  const { child, failure: failed } = await begin(
    route,
    `echo; echo '${mark}'; ( ${script}\n) </dev/null || exit 9`,
  );
  child.stdin.end();
  const over = once(child, "close");
  const content = new AfterMark(Buffer.from(`\n${mark}\n`), limitBytes);
  const failure = await pipeline(child.stdout, content, sink).then(
    () => undefined,
    (e: unknown) => (e instanceof Error ? e : new Error(String(e))),
  );
  if (failure !== undefined) child.kill("SIGKILL");
  const [code] = (await over) as [number | null];
  if (content.isOver)
    throw new HarnessError(
      "diskFull",
      `The host ${route.name} sends more than ${limitBytes} bytes; it is stopped here.`,
    );
  // A sink that has all it wants may close early.
  if (failure !== undefined && !["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"].includes(codeOf(failure) ?? ""))
    throw failure;
  if (failure === undefined && code !== 0) throw failed();
}

/** Drops everything up to a mark. */
class AfterMark extends Transform {
  hasBegun = false;
  isOver = false;
  #held: Buffer = Buffer.alloc(0);
  #left: number;
  readonly #mark: Buffer;

  constructor(mark: Buffer, limitBytes: number) {
    super();
    this.#mark = mark;
    this.#left = limitBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let part: Buffer = chunk;
    if (!this.hasBegun) {
      this.#held = Buffer.concat([this.#held, chunk]);
      const at = this.#held.indexOf(this.#mark);
      if (at < 0) {
        this.#held = this.#held.subarray(-this.#mark.length);
        done();
        return;
      }
      this.hasBegun = true;
      part = this.#held.subarray(at + this.#mark.length);
    }
    this.#left -= part.length;
    this.isOver = this.#left < 0;
    if (this.isOver) done(new Error("too much"));
    else done(null, part);
  }
}
