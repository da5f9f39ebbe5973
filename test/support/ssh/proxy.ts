import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** An unreliable network between the ssh client and the server. */
export interface ChaosProxy {
  readonly port: number;
  /** The bytes that clients have sent so far. */
  readonly bytes: number;
  /** Milliseconds by which each packet is delayed. */
  delay: number;
  /** Cuts all connections with a reset. */
  reset(): void;
  /** Nothing passes any more, and neither side notices: a half-open link. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let bytes = 0;
  let held: (() => void)[] = [];
  const proxy: ChaosProxy = {
    port: 0,
    get bytes() {
      return bytes;
    },
    delay: 0,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
      sockets.clear();
      held = [];
    },
    freeze() {
      isFrozen = true;
    },
    thaw() {
      isFrozen = false;
      for (const pass of held.splice(0)) pass();
    },
    async close() {
      proxy.reset();
      server.close();
      await once(server, "close");
    },
  };
  const later = (pass: () => void): void => {
    const go = (): void => {
      if (isFrozen) held.push(pass);
      else pass();
    };
    if (proxy.delay > 0) setTimeout(go, proxy.delay);
    else go();
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({ port: target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (from === near) from.on("data", (chunk: Buffer) => (bytes += chunk.length));
      from.on("data", (chunk: Buffer) =>
        later(() => {
          if (!to.destroyed && !to.write(chunk)) {
            from.pause();
            to.once("drain", () => from.resume());
          }
        }),
      );
      from.on("end", () => later(() => to.end()));
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}
