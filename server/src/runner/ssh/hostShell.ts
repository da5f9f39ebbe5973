import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { silentLog, type Log } from "../../base/log.ts";
import { announceLogin, spawnOnHost, type HostProcess } from "./hostProcess.ts";
import type { SshRoute } from "./sshArguments.ts";

export interface HostShellOptions extends SshRoute {
  readonly log?: Log;
  /** How long lost connections are replaced before a request fails; 30 s by default. */
  readonly patienceSeconds?: number;
}

interface Pending {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (reply: Buffer) => void;
  readonly reject: (e: unknown) => void;
}

/** More than a line with a mark has. */
const tailBytes = 128;
const replyLimitBytes = 16 * 1024 ** 2;
/** Without a byte; a long answer over a slow link takes the time that it needs. */
const silenceMilliseconds = 60_000;
const backoffMilliseconds = [100, 300, 1000, 3000, 5000];

/**
 * One long-lived `ssh host 'exec sh -s'` that answers scripts one after the other. Scripts go over standard input, so
 * the login shell sees nothing but three plain words; what a profile prints before is dropped; a broken connection is
 * replaced. A script may therefore run twice and has to bear that.
 */
export class HostShell {
  readonly route: SshRoute;
  readonly #log: Log;
  readonly #patience: number;
  #connection: Connection | undefined;
  #isClosed = false;
  /** How often a connection was made. */
  connects = 0;

  /** Milliseconds for which its user was asked while it connected. */
  get waited(): number {
    return this.#connection?.waited ?? 0;
  }

  /** Bytes that the login shell printed before it was asked anything. */
  get noise(): number {
    return this.#connection?.noise ?? 0;
  }

  constructor(options: HostShellOptions) {
    this.route = options;
    this.#log = options.log ?? silentLog;
    this.#patience = (options.patienceSeconds ?? 30) * 1000;
  }

  /**
   * Runs a script on the host and gives what it printed. `patience` in milliseconds may be Infinity.
   * @throws HarnessError hostUnreachable, hostRefused, cancelled
   */
  async run(script: string, options: { patience?: number; signal?: AbortSignal } = {}): Promise<Buffer> {
    const deadline = Date.now() + (options.patience ?? this.#patience);
    for (let attempt = 0; ; attempt++) {
      if (this.#isClosed || options.signal?.aborted === true)
        throw new HarnessError("cancelled", `The connection to ${this.route.name} was closed.`);
      try {
        return await this.#connect().ask(script);
      } catch (e) {
        this.#connection?.kill();
        this.#connection = undefined;
        if (!HarnessError.is(e, "hostUnreachable")) throw e;
        const wait = backoffMilliseconds[Math.min(attempt, backoffMilliseconds.length - 1)] ?? 0;
        if (Date.now() + wait > deadline) throw e;
        this.#log.warn("hosts", "connection lost", { host: this.route.name, error: e.message });
        await delay(wait);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.kill();
    this.#connection = undefined;
  }

  #connect(): Connection {
    if (this.#connection?.isOpen !== true) {
      this.connects++;
      this.#connection = new Connection(this.route);
    }
    return this.#connection;
  }
}

/** One ssh process and the scripts that it has not answered yet. */
class Connection {
  isOpen = true;
  noise = 0;
  readonly #process: HostProcess;
  #loggedIn: () => void = () => undefined;
  readonly #mark = `evo${randomBytes(16).toString("hex")}`;
  readonly #child: HostProcess["child"];
  #pending: Pending[] = [];
  #next = 0;
  #received: Buffer = Buffer.alloc(0);
  /** What came after `received` and holds no mark. */
  #parts: Buffer[] = [];
  #held = 0;
  #tail: Buffer = Buffer.alloc(0);
  #errors = "";

  constructor(route: SshRoute) {
    this.#process = spawnOnHost(route, "exec sh -s");
    this.#child = this.#process.child;
    announceLogin(route, new Promise((resolve) => (this.#loggedIn = resolve)));
    this.#child.stdout.once("data", this.#loggedIn);
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#child.stderr.on(
      "data",
      (chunk: Buffer) => (this.#errors = (this.#errors + chunk.toString("utf8")).slice(-4096)),
    );
    this.#child.on("error", (e) => this.#end(e.message));
    this.#child.on("close", () => this.#end(this.#errors));
  }

  get waited(): number {
    return this.#process.waited();
  }

  ask(script: string): Promise<Buffer> {
    const id = this.#next++;
    return new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => {
        // Whoever is asked for a code may need longer.
        if (this.#process.isAsking()) timer.refresh();
        else this.#end("it did not answer in time");
      }, silenceMilliseconds);
      const done = (): void => clearTimeout(timer);
      this.#pending.push({
        id,
        timer,
        resolve: (reply) => {
          done();
          resolve(reply);
        },
        reject: (e) => {
          done();
          reject(e instanceof Error ? e : new Error(String(e)));
        },
      });
      if (!this.isOpen) {
        this.#end(this.#errors);
        return;
      }
      this.#child.stdin.write(
        `echo; echo '${this.#mark} begin ${id}'\n(\n${script}\n) </dev/null 2>&1\necho; echo '${this.#mark} end ${id}'\n`,
      );
    });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
    this.#end("it was closed");
  }

  #read(chunk: Buffer): void {
    for (const { timer } of this.#pending) timer.refresh();
    this.#parts.push(chunk);
    this.#held += chunk.length;
    const seam = Buffer.concat([this.#tail, chunk]);
    this.#tail = seam.subarray(-tailBytes);
    // Joining the parts of a long answer each time would copy it over and over.
    if (!seam.includes(this.#mark)) {
      if (this.#held > replyLimitBytes) this.#end("its answer is too large");
      return;
    }
    this.#received = Buffer.concat([this.#received, ...this.#parts]);
    this.#parts = [];
    this.#answer();
    this.#held = this.#received.length;
  }

  /** Hands out the answers that are whole. */
  #answer(): void {
    for (;;) {
      const [first] = this.#pending;
      const begin = Buffer.from(`\n${this.#mark} begin ${first?.id ?? "-"}\n`);
      const start = this.#received.indexOf(begin);
      if (first === undefined || start < 0) {
        // What a profile prints, and what nobody asked for.
        if (this.#received.length > begin.length) this.#received = this.#received.subarray(-begin.length);
        return;
      }
      if (first.id === 0) this.noise = Math.max(this.noise, start);
      const end = Buffer.from(`\n${this.#mark} end ${first.id}\n`);
      const stop = this.#received.indexOf(end, start + begin.length - 1);
      if (stop < 0) {
        if (this.#received.length > replyLimitBytes) this.#end("its answer is too large");
        return;
      }
      this.#pending.shift();
      first.resolve(
        Buffer.from(this.#received.subarray(start + begin.length, Math.max(stop, start + begin.length))),
      );
      this.#received = this.#received.subarray(stop + end.length - 1);
    }
  }

  #end(why: string): void {
    this.isOpen = false;
    this.#loggedIn();
    this.#child.kill("SIGKILL");
    const pending = this.#pending;
    this.#pending = [];
    for (const { reject } of pending) reject(this.#process.failure(why));
  }
}
