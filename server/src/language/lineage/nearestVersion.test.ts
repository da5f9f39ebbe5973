import assert from "node:assert/strict";
import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { makeTestRepository } from "../../../../test/support/lineage/repository.ts";
import { createVersion } from "../../lineage/versions.ts";
import { checkSpecs } from "../checks/checkSpecs.ts";
import { nearestVersion } from "./nearestVersion.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";

describe("nearestVersion", function () {
  this.timeout(60_000);
  const project = makeTestRepository(sampleProject);
  const reward = sampleProject["harness/main.reward.yaml"] ?? "";
  const config = '{ "temperature": 1.5, "workers": 2 }\n';
  const names = async () => (await nearestVersion(project.root))?.name;
  after(() => project.dispose());

  before(async () => {
    assert.equal(await names(), undefined);
    const { repository, ledger } = await openWorkspace(project.root);
    const at = new Date("2026-01-01T00:00:00Z");
    let parent = project.git("rev-parse", "HEAD");
    let before: string | null = null;
    const edits = [
      ["v0", []],
      ["v1", [{ path: "harness/main.reward.yaml", content: reward.replace("flat", "binary") }]],
      ["v2", [{ path: "harness/config.json", content: config }]],
    ] as const;
    for (const [i, [name, changed]] of edits.entries()) {
      const request = { domain: "swe", name, parent, edits: changed, message: name, at };
      const { commit } = await createVersion(repository, request);
      const entry: LedgerEntry = {
        ...{ id: name, at: at.toISOString(), domain: "swe", type: "version", version: name },
        ...{ commit, parent: before, generation: i, factor: null, intervention: null, title: name },
      };
      await ledger.append([entry]);
      [parent, before] = [commit, name];
    }
  });

  it("returns the version from which the work tree was made, not the newest", async () => {
    assert.equal(await names(), "v0");
    assert.deepEqual(await checkSpecs(project.root, { parent: await nearestVersion(project.root) }), []);
  });

  it("follows changes in the editor", async () => {
    project.write("harness/main.reward.yaml", reward.replace("flat", "binary"));
    assert.equal(await names(), "v1");
    project.write("harness/config.json", config);
    assert.equal(await names(), "v2");
    project.write("harness/config.json", '{ "temperature": 1.5, "workers": 4 }\n');
    const found = await checkSpecs(project.root, { parent: await nearestVersion(project.root) });
    assert.deepEqual(
      found.map(({ file, code }) => `${file} ${code}`),
      ["harness/config.json frozen-changed"],
    );
  });

  it("gives a reason when there is no project", () =>
    assert.rejects(nearestVersion("/"), (e: unknown) => HarnessError.is(e, "projectMissing")));
});
