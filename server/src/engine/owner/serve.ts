import { timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import {
  createMessageConnection,
  ResponseError,
  SocketMessageWriter,
  type CancellationToken,
} from "vscode-jsonrpc/node";
import { release } from "../../base/release.ts";
import type { ServiceCall } from "../workspace/service.ts";
import { messageReader, silentLogger } from "./wire.ts";
import {
  Call,
  callRequest,
  closingNotification,
  codes,
  encodeError,
  Hello,
  helloRequest,
  progressType,
  protocolVersion,
  sameRelease,
  type Welcome,
} from "./protocol.ts";
import type { Role } from "./role.ts";

/** What a connection needs of its owner. */
export interface Served {
  readonly token: string;
  readonly role: Role;
  readonly isClosing: () => boolean;
  run(name: string, params: unknown, call: ServiceCall): Promise<unknown>;
}

/** Bytes that may arrive before a message is complete: of a stranger, and of a client that has shown the token. */
export const limits = { strangerBytes: 8_192, clientBytes: 16 * 2 ** 20, helloMs: 5_000 } as const;

/** Answers one client until its connection ends. Nothing that it sends can end more than its own connection. */
export function serveConnection(socket: Socket, owner: Served): { tellClosing(): void } {
  const reader = messageReader(socket);
  const writer = new LastWord(socket);
  const connection = createMessageConnection(reader, writer, silentLogger);
  const gone = new AbortController();
  let known = false;
  const impatience = setTimeout(() => socket.destroy(), limits.helloMs).unref();

  // The reader keeps all bytes of an incomplete message, so that a client must not be able to send one without end.
  let incomplete = 0;
  socket.on("data", (data: Buffer) => {
    incomplete += data.length;
    if (incomplete > (known ? limits.clientBytes : limits.strangerBytes)) socket.destroy();
  });
  const complete = (): void => {
    incomplete = 0;
  };

  connection.onRequest(helloRequest, (raw): Welcome => {
    complete();
    const hello = Hello.safeParse(raw);
    if (!hello.success || !sameToken(hello.data.token, owner.token)) {
      writer.endAfterNext = true;
      throw new ResponseError(codes.refused, "The token does not belong to this engine.");
    }
    if (owner.isClosing()) throw new ResponseError(codes.closing, "The engine is closing.");
    clearTimeout(impatience);
    known = sameRelease(hello.data);
    return { pid: process.pid, role: owner.role, protocol: protocolVersion, release };
  });
  connection.onRequest(callRequest, async (raw, cancellation) => {
    complete();
    if (!known) {
      writer.endAfterNext = true;
      throw new ResponseError(codes.refused, "The first message must carry the token of this engine.");
    }
    const call = Call.safeParse(raw);
    if (!call.success) throw new ResponseError(codes.refused, "This is not a request to an engine.");
    const { name, params, progress } = call.data;
    const own = cancelledBy(cancellation);
    try {
      return await owner.run(name, params, {
        signal: AbortSignal.any([gone.signal, own.signal]),
        progress: (report) => {
          if (progress !== undefined && !gone.signal.aborted)
            void connection.sendProgress(progressType, progress, report).catch(() => undefined);
        },
      });
    } catch (e) {
      throw encodeError(e);
    } finally {
      own.dispose();
    }
  });
  // What cannot be read leaves the stream without a place to go on from.
  connection.onError(() => socket.destroy());
  connection.onUnhandledNotification(complete);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    clearTimeout(impatience);
    gone.abort();
    connection.dispose();
  });
  connection.listen();
  return {
    tellClosing: () => void connection.sendNotification(closingNotification).catch(() => undefined),
  };
}

/** Ends the connection with a reply. */
class LastWord extends SocketMessageWriter {
  endAfterNext = false;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super(socket);
    this.#socket = socket;
  }

  override async write(...args: Parameters<SocketMessageWriter["write"]>): Promise<void> {
    const last = this.endAfterNext;
    await super.write(...args);
    if (last) this.#socket.end();
  }
}

function sameToken(shown: string, own: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(own)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function cancelledBy(token: CancellationToken): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const listener = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, dispose: () => listener.dispose() };
}
