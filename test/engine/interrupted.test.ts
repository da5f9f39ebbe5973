import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

describe("a verb that is interrupted by Ctrl+C", function () {
  this.timeout(60_000);
  const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");

  it("says in one line that nothing was changed, and ends with 130", async () => {
    const child = spawn(process.execPath, [cli, "mcp"], { cwd: tmpdir() });
    const said = text(child.stderr);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    // By its answer it has begun.
    await once(child.stdout, "data");
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "exit"), [130, null]);
    assert.equal(await said, "Interrupted. Nothing was changed.\n");
  });

  it("says the same while the engine does what it asked for", async () => {
    const folder = mkdtempSync(join(tmpdir(), "interrupted-"));
    mkdirSync(join(folder, "run"));
    writeFileSync(
      join(folder, "run", "rollouts.jsonl"),
      Array.from({ length: 3000 }, (_, i) =>
        JSON.stringify({ prompt: `Item ${i}`, completion: "No.", reward: 0, step: 1 + (i % 30) }),
      ).join("\n"),
    );
    const child = spawn(process.execPath, [cli, "attach", "run"], { cwd: folder });
    let [said, isTold] = ["", false];
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      // It looks from then on, which takes longer than a signal.
      said += text;
      // A second one would end it at once.
      if (!isTold && said.includes("Following")) isTold = child.kill("SIGINT");
    });
    assert.deepEqual(await once(child, "close"), [130, null]);
    assert.match(
      said,
      /\nInterrupted\. The run goes on\. Run the same command again to continue from here\.\n$/,
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
});
