import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { callOwner } from "./connect.ts";
import { openOwner, type Owner } from "./owner.ts";
import { readOwnerFile, type OwnerFile } from "../workspace/ownerFile.ts";
import { protocolVersion } from "./protocol.ts";
import { limits } from "./serve.ts";
import { makePlace } from "../../../../test/support/owner/ownerProcess.ts";
import { testServices } from "../../../../test/support/owner/services.ts";
import { release } from "../../base/release.ts";
import { patience } from "../../../../test/support/base/patience.ts";

const frame = (message: unknown): string => {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
const request = (method: string, params: unknown, id = 1): string =>
  frame({ jsonrpc: "2.0", id, method, params });

describe("an owner that gets a message", function () {
  this.timeout(20_000);
  let at: Awaited<ReturnType<typeof makePlace>>;
  let owner: Owner;
  let file: OwnerFile;
  before(async () => {
    at = await makePlace();
    owner = await openOwner(at.place, { role: "evolve", services: testServices });
    const found = await readOwnerFile(at.place.archive);
    assert.ok(found);
    file = found;
  });
  after(async () => {
    await owner.close();
    await at.remove();
  });

  /** Sends bytes and gives what came back once the owner has ended the connection. */
  async function send(...parts: readonly (string | Uint8Array)[]): Promise<string> {
    const socket = connect(file.address);
    let heard = "";
    socket.setEncoding("utf8").on("data", (text: string) => (heard += text));
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    for (const part of parts) if (socket.writable) socket.write(part);
    await closed;
    return heard;
  }
  /** The owner is as it was for somebody who behaves. */
  async function assertServes(): Promise<void> {
    const answer = await callOwner(file, { helloMs: 10_000 });
    assert.ok(answer.type === "connected");
    const call = { signal: new AbortController().signal, progress: () => undefined };
    assert.deepEqual(
      await answer.remote.run({ name: "who", service: await testServices.who(), params: {} }, call),
      { pid: process.pid },
    );
    answer.remote.close();
  }
  const hello = (token: string): string =>
    request("engine/hello", { token, protocol: protocolVersion, release });

  it("answers a request with the token, and refuses one without", async () => {
    await assertServes();
    const wrong = `${file.token.slice(0, -1)}${file.token.endsWith("0") ? "1" : "0"}`;
    assert.equal((await callOwner({ ...file, token: wrong }, { helloMs: 10_000 })).type, "silent");
    for (const [what, sent] of [
      ["a wrong token", hello(wrong)],
      ["a short token", hello("")],
      ["no token", request("engine/hello", { protocol: protocolVersion, release })],
      ["a list", request("engine/hello", [file.token])],
      ["a request before the token", request("engine/call", { name: "who", params: {} })],
    ] as const) {
      const heard = await Promise.race([send(sent), once(AbortSignal.timeout(20_000 * patience), "abort")]);
      assert.match(String(heard), /"error"/, what);
      assert.doesNotMatch(String(heard), /"result"|"pid"/, what);
    }
    await assertServes();
  });

  it("serves no client of another release, even one that ignores the difference", async () => {
    const heard = await send(
      request("engine/hello", { token: file.token, protocol: protocolVersion + 1, release }),
      request("engine/call", { name: "who", params: {} }, 2),
    );
    assert.match(heard, new RegExp(`"release":"${release}"`));
    assert.match(heard, /"id":2,"error":\{"code":4/);
    await assertServes();
  });

  it("survives data that is not a message, a message that is too long, and one that never ends", async () => {
    const headless = "x".repeat(limits.strangerBytes + 1);
    for (const [what, parts] of [
      ["no header", ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"]],
      ["a header that never ends", [headless]],
      ["a length that is none", ["Content-Length: much\r\n\r\n{}"]],
      ["a length below zero", ["Content-Length: -7\r\n\r\n{}"]],
      ["a body that never ends", [`Content-Length: ${2 ** 31}\r\n\r\n`, headless]],
      ["a body that is no JSON", [frame("{]")]],
      ["a binary body", [new Uint8Array(limits.strangerBytes + 1).fill(255)]],
      [
        "a body of a client that never ends",
        [hello(file.token), `Content-Length: ${2 ** 31}\r\n\r\n`, "x".repeat(limits.clientBytes + 1)],
      ],
    ] as const) {
      const heard = await Promise.race([
        send(...parts),
        once(AbortSignal.timeout(30_000 * patience), "abort"),
      ]);
      assert.equal(typeof heard, "string", `the owner ends the connection after ${what}`);
      await assertServes();
    }
  });

  it("survives JSON that is not a request", async () => {
    const socket: Socket = connect(file.address);
    await once(socket, "connect");
    for (const message of [
      "null",
      "1",
      "[]",
      "{}",
      '{"jsonrpc":"2.0","id":{},"method":7}',
      '{"id":3,"result":1}',
    ])
      socket.write(frame(message));
    socket.write(frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[[]]}}`));
    socket.write(frame(`{"jsonrpc":"2.0","method":"$/progress","params":null}`));
    await assertServes();
    socket.destroy();
  });

  it("survives any bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 200 }),
            fc.json().map(frame),
            fc.anything().map((params) => request("engine/call", JSON.parse(JSON.stringify({ params })))),
            fc.constant(hello(file.token)),
          ),
          { maxLength: 6 },
        ),
        async (parts) => {
          const socket = connect(file.address);
          socket.on("error", () => undefined);
          const closed = new Promise((resolve) => socket.once("close", resolve));
          for (const part of parts) if (socket.writable) socket.write(part);
          socket.end();
          socket.resume();
          await closed;
        },
      ),
      { numRuns: fuzzRuns() },
    );
    await assertServes();
  });
});
