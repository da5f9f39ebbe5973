import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "../shared/protocol/services.ts";
import { lspMethods } from "../shared/protocol/lspMethods.ts";

const root = join(import.meta.dirname, "..");

describe("what is generated from the protocol", function () {
  this.timeout(60_000);

  it("matches the contract and the files that do the work; npm run protocol updates it", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--import", "tsx", join(root, "scripts", "protocol.ts"), "--check"],
      { cwd: root, encoding: "utf8" },
    );
    assert.deepEqual({ status, stdout }, { status: 0, stdout: "" });
  });

  it("has on its page a section for every service and every method of the language server", () => {
    const page = readFileSync(join(root, "docs/protocol.md"), "utf8");
    const missing = [...serviceNames, ...Object.keys(lspMethods)].filter(
      (name) => !page.includes(`### \`${name}\``),
    );
    assert.deepEqual(missing, []);
    const files = readdirSync(join(root, "shared/protocol")).filter((file) => file.endsWith(".ts"));
    const texts = files.map((file) => readFileSync(join(root, "shared/protocol", file), "utf8"));
    const methods = texts.flatMap((text) =>
      [...text.matchAll(/"(evotrainer\/\w+)"/g)].map(([, name]) => name),
    );
    assert.ok(methods.length > 8);
    assert.deepEqual(
      methods.filter((name) => name !== undefined && !Object.hasOwn(lspMethods, name)),
      [],
    );
  });
});
