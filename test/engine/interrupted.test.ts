import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";

describe("a verb that is interrupted by Ctrl+C", function () {
  this.timeout(60_000);

  it("says in one line that nothing was changed, and ends with 130", async () => {
    const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
    const child = spawn(process.execPath, [cli, "mcp"], { cwd: tmpdir() });
    const said = text(child.stderr);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    // By its answer it has begun.
    await once(child.stdout, "data");
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "exit"), [130, null]);
    assert.equal(await said, "Interrupted. Nothing was changed.\n");
  });
});
