import assert from "node:assert/strict";
import { makeTestRepository } from "../../../../test/support/lineage/repository.ts";
import { HarnessError } from "../../base/errors.ts";
import { openWorkspace } from "./workspace.ts";

describe("an engine's folder that came with the project", () => {
  for (const [what, path] of [
    ["an archive", ".evotrainer/archive.duckdb"],
    ["a record in a project below the top", "sub/.evotrainer/records/runs/v1/outcome.json"],
  ] as const)
    it(`is believed nothing: ${what}`, async () => {
      const made = makeTestRepository({ "evotrainer.yaml": "", "sub/evotrainer.yaml": "" });
      try {
        const root = path.startsWith("sub/") ? `${made.root}/sub` : made.root;
        await openWorkspace(root);
        made.write(path, "theirs");
        made.git("add", "--force", path);
        await assert.rejects(
          openWorkspace(root),
          (e) => HarnessError.is(e, "badInput") && e.message.startsWith(`Git tracks ${path}:`),
        );
        await openWorkspace(root, { readOnly: true });
      } finally {
        made.dispose();
      }
    });
});
