import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { z } from "zod";
import { identify } from "../../job/processes.ts";
import { ownFolder } from "./ownFolder.ts";

/** Answers one message; the signal is aborted when its sender goes away. What it gives is sent back as JSON. */
export type Handle = (message: unknown, signal: AbortSignal) => Promise<unknown>;

const messageLimit = 65_536;
const Shown = z.looseObject({ token: z.string() });

/**
 * A socket in a folder that only its user can enter. Each caller sends one line of JSON with a token, which says who
 * answers it, and gets one back.
 */
export class TokenSocket {
  readonly folder: string;
  readonly address: string;
  readonly #server: Server;
  readonly #handlers = new Map<string, { readonly handle: Handle; readonly callers: Set<Socket> }>();
  readonly #remove = (): void => rmSync(this.folder, { recursive: true, force: true });

  /** Undefined where there is no such folder. Nothing is left open by it that would keep a process alive. */
  static open(): TokenSocket | undefined {
    const base = ownFolder();
    if (base === undefined) return undefined;
    sweep(base);
    return new TokenSocket(mkdtempSync(join(base, `ask-${process.pid}-`)));
  }

  private constructor(folder: string) {
    this.folder = folder;
    this.address = join(folder, "socket");
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket));
    this.#server.on("error", () => undefined);
    // It is bound when this returns.
    this.#server.listen(this.address).unref();
    chmodSync(this.address, 0o600);
    process.once("exit", this.#remove);
  }

  /** Lets callers in that show the token, until it is revoked; then those that wait are turned away. */
  admit(handle: Handle): { readonly token: string; readonly revoke: () => void } {
    const token = randomBytes(24).toString("hex");
    const callers = new Set<Socket>();
    this.#handlers.set(token, { handle, callers });
    const revoke = (): void => {
      this.#handlers.delete(token);
      for (const caller of callers) caller.destroy();
    };
    return { token, revoke };
  }

  close(): void {
    process.off("exit", this.#remove);
    for (const { callers } of this.#handlers.values()) for (const caller of callers) caller.destroy();
    this.#handlers.clear();
    this.#server.close();
    this.#remove();
  }

  #serve(socket: Socket): void {
    const gone = new AbortController();
    socket.on("error", () => undefined);
    socket.on("close", () => gone.abort());
    void readLine(socket).then((line) => {
      const message = parse(line);
      const shown = Shown.safeParse(message);
      const found = shown.success ? this.#handlers.get(shown.data.token) : undefined;
      if (found === undefined) {
        socket.destroy();
        return;
      }
      found.callers.add(socket);
      // A caller that goes away ends its side; nothing else is said after the message.
      socket.once("end", () => socket.destroy());
      socket.resume();
      found.handle(message, gone.signal).then(
        (reply) => socket.end(`${JSON.stringify(reply ?? {})}\n`, () => socket.destroy()),
        () => socket.destroy(),
      );
      socket.once("close", () => found.callers.delete(socket));
    });
  }
}

/** Sends a message to such a socket and gives the reply; undefined when nobody answers. */
export async function callSocket(
  address: string,
  message: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<unknown> {
  const socket = connect(address);
  socket.on("error", () => undefined);
  const stop = (): void => void socket.destroy();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  socket.write(`${JSON.stringify(message)}\n`);
  try {
    return parse(await readLine(socket));
  } finally {
    signal?.removeEventListener("abort", stop);
    socket.destroy();
  }
}

/** The first line that comes; undefined when none does. */
function readLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("utf8");
    const done = (line: string | undefined): void => {
      socket.off("data", read);
      resolve(line);
    };
    const read = (part: string): void => {
      text += part;
      const end = text.indexOf("\n");
      if (end >= 0) done(text.slice(0, end));
      else if (text.length > messageLimit) {
        socket.destroy();
        done(undefined);
      }
    };
    socket.on("data", read);
    socket.once("close", () => done(undefined));
  });
}

function parse(line: string | undefined): unknown {
  try {
    return line === undefined ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}

const dayMs = 24 * 3600 * 1000;

/** What processes left that were killed; those of another container are young. */
function sweep(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = Number(/^ask-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid === 0 || identify(pid) !== undefined) continue;
    const folder = join(base, name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > dayMs) rmSync(folder, { recursive: true, force: true });
  }
}
