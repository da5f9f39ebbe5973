import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { SpecIndex } from "../specs/specIndex.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { documentLinks } from "./documentLinks.ts";

describe("document links", () => {
  it("lead to the files of the project that exist", () => {
    const root = mkdtempSync(join(tmpdir(), "evotrainer-links-"));
    const files = {
      ...sampleProject,
      "a.intervention.yaml": interventionWith(
        "  - { file: harness/config.json, path: a, from: 1, to: 2 }\n  - { file: ../up.json, path: a, from: 1, to: 2 }",
      ),
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    writeFileSync(join(dirname(root), "up.json"), "{}");
    const links = (file: string) => {
      const context = new SpecIndex().featureContext(join(root, file));
      assert.ok(context);
      return documentLinks(context).map((link) => relative(root, link.file));
    };
    assert.deepEqual(links("evotrainer.yaml"), [
      "harness/main.reward.yaml",
      "harness/main.reward.yaml",
      "harness/config.json",
      "harness/config.json",
    ]);
    assert.deepEqual(links("a.intervention.yaml"), ["harness/config.json"]);
    rmSync(root, { recursive: true });
    rmSync(join(dirname(root), "up.json"));
  });
});
