import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programArguments } from "../test/support/base/program.ts";

const root = join(import.meta.dirname, "..");

describe("published schemas", function () {
  this.timeout(60_000);

  it("match the contracts; npm run schemas updates them", () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [...programArguments(join(root, "scripts", "schemas.ts")), "--check"],
      { cwd: root, encoding: "utf8" },
    );
    assert.deepEqual({ status, stdout }, { status: 0, stdout: "" });
  });

  it("require a reason for an unknown outcome", () => {
    const schema = JSON.parse(readFileSync(join(root, "schemas", "rollout.schema.json"), "utf8")) as unknown;
    assert.ok(typeof schema === "object" && schema !== null && "then" in schema && "$schema" in schema);
    assert.deepEqual(schema.then, { required: ["unknown_reason"] });
    assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  });

  it("accept the example line of the guide", async () => {
    const { Rollout } = await import("../shared/model/rollout.ts");
    const guide = readFileSync(join(root, "docs", "evidence.md"), "utf8");
    const example = /```jsonl\n(.*)\n```/.exec(guide)?.[1] ?? "";
    assert.ok(Rollout.safeParse(JSON.parse(example)).success);
  });
});
