import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { ProcessStream } from "./processStream.ts";

const stream = (script: string): ProcessStream =>
  new ProcessStream(
    spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "pipe"] }),
    (said) => new Error(said),
  );

describe("a connection through a process", function () {
  this.timeout(20_000);
  it("passes bytes both ways, complete and in order", async () => {
    const s = stream("cat");
    const sent = Buffer.alloc(3_000_000, "0123456789");
    s.write(sent.subarray(0, 1_000_000));
    s.end(sent.subarray(1_000_000));
    const parts: Buffer[] = [];
    for await (const part of s) parts.push(part as Buffer);
    assert.ok(Buffer.concat(parts).equals(sent));
  });

  it("closes when its process ends, even while nobody reads", async () => {
    await once(stream("exit 0"), "close");
  });

  it("says why it ended early", async () => {
    await assert.rejects(once(stream("echo why >&2; exit 255"), "data"), /why/);
    const none = new ProcessStream(
      spawn("/nonexistent/ssh", [], { stdio: ["pipe", "pipe", "pipe"] }),
      (said) => new Error(said),
    );
    await assert.rejects(once(none, "data"), /ENOENT/);
  });

  it("ends its process when it is closed", async () => {
    const s = stream("echo begun; exec sleep 600");
    await once(s, "data");
    s.destroy();
    await once(s, "close");
  });
});
