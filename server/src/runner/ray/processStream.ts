import type { ChildProcessByStdio } from "node:child_process";
import { Socket } from "node:net";
import { Duplex, type Readable, type Writable } from "node:stream";

/** A connection through the standard input and output of a process. `failure` says why it ended when it did so early. */
export class ProcessStream extends Duplex {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #said = "";

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, failure: (said: string) => Error) {
    super({ allowHalfOpen: false });
    this.#child = child;
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause();
    });
    child.stderr.on(
      "data",
      (chunk: Buffer) => (this.#said = (this.#said + chunk.toString("utf8")).slice(-4096)),
    );
    child.on("error", (e) => this.destroy(failure(e.message)));
    child.on("close", (code) => {
      if (code !== 0) {
        this.destroy(failure(this.#said));
        return;
      }
      this.push(null);
      // One that nobody reads, as an agent keeps it, would not notice its end and be used again.
      setImmediate(() => {
        if (this.readableLength === 0) this.destroy();
      });
    });
  }

  override _read(): void {
    this.#child.stdout.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (e?: Error | null) => void): void {
    // What cannot be written is told by the end of the process.
    this.#child.stdin.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done());
  }

  override _destroy(e: Error | null, done: (e: Error | null) => void): void {
    this.#child.kill("SIGKILL");
    done(e);
  }

  // What an agent of node:http asks of a socket that it keeps.
  setKeepAlive(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setTimeout(): this {
    return this;
  }
  ref(): this {
    return this.#each("ref");
  }
  unref(): this {
    return this.#each("unref");
  }

  #each(what: "ref" | "unref"): this {
    this.#child[what]();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      if (pipe instanceof Socket) pipe[what]();
    return this;
  }
}
