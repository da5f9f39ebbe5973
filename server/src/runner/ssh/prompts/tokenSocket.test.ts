import assert from "node:assert/strict";
import { connect } from "node:net";
import { skipBecause } from "../../../../../test/support/base/skip.ts";
import { callSocket, TokenSocket } from "./tokenSocket.ts";

describe("a socket with a token", () => {
  let socket: TokenSocket;
  beforeEach(function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no folder for it");
    socket = TokenSocket.open() ?? assert.fail("there is a folder for it");
  });
  afterEach(() => socket.close());

  it("answers whoever shows the token, and nobody else", async () => {
    const seen: unknown[] = [];
    const { token, revoke } = socket.admit((message) => {
      seen.push(message);
      return Promise.resolve({ said: "yes" });
    });
    assert.deepEqual(await callSocket(socket.address, { token, n: 1 }), { said: "yes" });
    for (const message of [{}, { token: "" }, { token: token.slice(1) }, { token: [token] }])
      assert.equal(await callSocket(socket.address, message), undefined);
    revoke();
    assert.equal(await callSocket(socket.address, { token }), undefined);
    assert.deepEqual(seen, [{ token, n: 1 }]);
  });

  it("ends a connection that sends a message without end", async () => {
    const caller = connect(socket.address);
    caller.on("error", () => undefined);
    const closed = new Promise<string>((resolve) => caller.once("close", () => resolve("ended")));
    caller.resume();
    // Far more than the buffers of the system hold.
    const sent = new Promise<string>((resolve) =>
      caller.write("x".repeat(32 * 1024 ** 2), (e) => {
        if (!e && !caller.destroyed) resolve("taken");
      }),
    );
    const became = await Promise.race([closed, sent]);
    caller.destroy();
    assert.equal(became, "ended");
  });
});
