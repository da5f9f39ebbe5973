import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutConnections } from "./support/base/connections.ts";

const root = new URL("..", import.meta.url).pathname;

/** Every file of the product that can reach beyond its process, and what it reaches. A new one needs its line and its reason. */
const connecting: Readonly<Record<string, string>> = {
  "client/src/hosts/sshPrompts.ts": "the socket on which ssh's questions are answered, in the file system",
  "server/src/diagnosis/judge/ask.ts": "the language model that a judge in a diagnostic names",
  "server/src/engine/owner/connect.ts": "the process that has the archive, over a socket in the file system",
  "server/src/engine/owner/owner.ts": "listens on that socket",
  "server/src/proposals/model/boundedFetch.ts": "the language model that `models` in evotrainer.yaml names",
  "server/src/runner/ray/processStream.ts": "a stream of a process, as a socket",
  "server/src/runner/ray/rayClient.ts": "the Ray cluster that a host names",
  "server/src/runner/ray/rayRoute.ts": "the Ray cluster that a host names",
  "server/src/runner/ssh/outputChannel.ts": "a socket in the file system, for what a host writes",
  "server/src/runner/ssh/prompts/askpass.cjs": "the socket on which ssh's questions are answered",
  "server/src/runner/ssh/prompts/tokenSocket.ts": "the socket on which ssh's questions are answered",
};

/** Ways to connect, without imports of types. */
const ways =
  /^import (?!type\b).*from "node:(?:net|https?|http2|tls|dgram|dns(?:\/promises)?)"|require\("node:(?:net|https?|http2|tls|dgram|dns)"\)|\bfetch\(|\bnew (?:WebSocket|XMLHttpRequest|EventSource)\b|sendBeacon/m;

describe("connections", () => {
  it("are made by the files that are known to make them, and by no other", () => {
    const files = ["client/src", "server/src", "shared", "webview/src"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(?:ts|cjs)$/.test(path) && !path.endsWith(".test.ts"))
        .map((path) => `${folder}/${path.replaceAll("\\", "/")}`),
    );
    const found = files.filter((file) =>
      ways.test(readFileSync(join(root, file), "utf8").replaceAll(/^\s*(?:\/\/|\*).*$/gm, "")),
    );
    assert.deepEqual(found.sort(), Object.keys(connecting).sort());
  });

  it("are refused and noted in programs that are watched, and in those that they start", () => {
    const folder = mkdtempSync(join(tmpdir(), "evo-connections-"));
    try {
      const { env, attempts } = withoutConnections(folder);
      const inner = `fetch("http://127.0.0.1:65000/").catch(() => {});`;
      const outer = `
        require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(inner)}]);
        try { require("node:net").connect(9, "127.0.0.1"); } catch {}
        try { require("node:dns").lookup("localhost", () => {}); } catch {}
        require("node:net").connect(${JSON.stringify(join(folder, "no.sock"))}).on("error", () => {});`;
      const ran = spawnSync(process.execPath, ["-e", outer], {
        env: { ...process.env, ...env },
        encoding: "utf8",
      });
      assert.equal(ran.status, 0, ran.stderr);
      assert.equal(attempts().length, 3, attempts().join("\n"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
