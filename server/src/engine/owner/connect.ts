import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  CancellationTokenSource,
  createMessageConnection,
  SocketMessageWriter,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { release } from "../../base/release.ts";
import type { ServiceTypes } from "../../../../shared/protocol/services.ts";
import type { ServiceCall } from "../workspace/service.ts";
import { OwnerClosing } from "./loss.ts";
import type { Asked } from "./owner.ts";
import type { OwnerFile } from "../workspace/ownerFile.ts";
import {
  assertSameRelease,
  callRequest,
  closingNotification,
  decodeError,
  helloRequest,
  progressReport,
  progressType,
  protocolVersion,
  Welcome,
} from "./protocol.ts";
import type { Role } from "./role.ts";
import { messageReader, silentLogger } from "./wire.ts";

/** A connection to the process that owns the archive. */
export interface Remote {
  readonly pid: number;
  readonly role: Role;
  /**
   * Asks the owner for a service and holds what it answers against the contract.
   * @throws OwnerClosing, OwnerLost, HarnessError, and faults of the owner
   */
  run<S extends ServiceTypes>(asked: Asked<S>, call: ServiceCall<S["part"]>): Promise<S["result"]>;
  /** Leaves once everything is sent. */
  close(): void;
}

export type Answer =
  | { readonly type: "connected"; readonly remote: Remote }
  /** It lives and will give the archive back. */
  | { readonly type: "closing" }
  | { readonly type: "silent" };

/**
 * Calls the owner that a file names, and shows it the token. @throws HarnessError releaseMismatch
 */
export async function callOwner(
  file: Pick<OwnerFile, "address" | "token">,
  options: { readonly helloMs: number },
): Promise<Answer> {
  const socket = await reach(file.address, options.helloMs);
  if (socket === undefined) return { type: "silent" };
  const connection = createMessageConnection(
    messageReader(socket),
    new SocketMessageWriter(socket),
    silentLogger,
  );
  let closing = false;
  let pending = 0;
  const leaveIfClosing = (): void => {
    if (closing && pending === 0) socket.end();
  };
  connection.onNotification(closingNotification, () => {
    closing = true;
    leaveIfClosing();
  });
  connection.onError(() => socket.destroy());
  // Disposing rejects what is pending, which closing alone does not.
  socket.on("close", () => connection.dispose());
  connection.listen();
  const impatience = setTimeout(() => socket.destroy(), options.helloMs);
  try {
    const hello = { token: file.token, protocol: protocolVersion, release };
    const welcome = Welcome.safeParse(await connection.sendRequest(helloRequest, hello));
    if (!welcome.success) {
      socket.destroy();
      return { type: "silent" };
    }
    assertSameRelease(welcome.data);
    const { pid, role } = welcome.data;
    const remote: Remote = {
      pid,
      role,
      async run(asked, call) {
        if (closing) throw new OwnerClosing();
        pending++;
        try {
          return await ask(connection, asked, call);
        } finally {
          pending--;
          leaveIfClosing();
        }
      },
      close: () => socket.destroySoon(),
    };
    return { type: "connected", remote };
  } catch (e) {
    socket.destroy();
    const told = decodeError(e);
    // What is thrown on this side is passed on; an answer that is an error makes it no owner of ours.
    if (told === e) throw e;
    return { type: OwnerClosing.is(told) ? "closing" : "silent" };
  } finally {
    clearTimeout(impatience);
  }
}

async function ask<S extends ServiceTypes>(
  connection: MessageConnection,
  { name, service, params }: Asked<S>,
  call: ServiceCall<S["part"]>,
): Promise<S["result"]> {
  const cancellation = new CancellationTokenSource();
  const cancel = (): void => cancellation.cancel();
  call.signal.addEventListener("abort", cancel, { once: true });
  const token = randomUUID();
  try {
    const Progress = progressReport(service.part);
    const heard = connection.onProgress(progressType, token, (raw) => {
      const report = Progress.safeParse(raw);
      if (report.success) call.progress(report.data);
    });
    try {
      const asked = { name, params, progress: token };
      return service.result.parse(await connection.sendRequest(callRequest, asked, cancellation.token));
    } finally {
      heard.dispose();
    }
  } catch (e) {
    throw decodeError(e);
  } finally {
    call.signal.removeEventListener("abort", cancel);
    cancellation.dispose();
  }
}

/** A connected socket, or undefined where nobody listens. */
async function reach(address: string, ms: number): Promise<Socket | undefined> {
  const socket = connect(address);
  const impatience = setTimeout(() => socket.destroy(new Error("No answer.")), ms);
  try {
    await once(socket, "connect");
    socket.on("error", () => socket.destroy());
    return socket;
  } catch {
    // A socket without a listener, a missing one, one of somebody else: there is no owner to be had.
    socket.destroy();
    return undefined;
  } finally {
    clearTimeout(impatience);
  }
}
