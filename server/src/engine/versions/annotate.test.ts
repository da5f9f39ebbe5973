import assert from "node:assert/strict";
import type { LineageReport } from "../../../../shared/ledger/lineage.ts";
import { HarnessError } from "../../base/errors.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { openRepository } from "../../lineage/repository.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { createVersion } from "../../lineage/versions.ts";
import { annotate } from "./annotate.ts";
import { lineageReader, readLineageReport } from "./lineageReport.ts";
import { versionChange, versionFile } from "./versionFiles.ts";

const project = `apiVersion: evotrainer/v1
kind: Project
name: sample
domain: swe
trainer: { command: [python, train.py] }
evaluation: { splits: { train: a.jsonl, selection: b.jsonl, audit: c.jsonl } }
surfaces:
  - { factor: reward, file: harness/main.reward.yaml, paths: [weight] }
reward: harness/main.reward.yaml
`;

describe("what people say about versions, and what versions changed", () => {
  let made: TestRepository;
  beforeEach(async () => {
    made = makeTestRepository();
    made.write("evotrainer.yaml", project);
    made.write("harness/main.reward.yaml", "weight: 1\n");
    made.git("add", "--all");
    made.git("commit", "--quiet", "--message", "start");
    const repository = await openRepository(made.root);
    const base = made.git("rev-parse", "HEAD");
    const at = "2026-01-01T00:00:00.000Z";
    const { commit } = await createVersion(repository, {
      domain: "swe",
      name: "v1",
      parent: base,
      edits: [
        { path: "harness/main.reward.yaml", content: "weight: 2\n" },
        { path: "harness/new.yaml", content: "new: true\n" },
      ],
      message: "v1",
      at: new Date(at),
    });
    const entry = {
      at,
      domain: "swe",
      type: "version",
      factor: null,
      intervention: null,
      title: "",
    } as const;
    await openLedger(repository).append([
      { ...entry, id: "version-v0", version: "v0", commit: base, parent: null, generation: 0 },
      { ...entry, id: "version-v1", version: "v1", commit, parent: "v0", generation: 1 },
    ]);
  });
  afterEach(() => made.dispose());

  it("names, tags and notes stay in the ledger, with their author and time", async () => {
    const outline = lineageReader();
    const before = await outline(made.root);
    const read = async (root: string): Promise<LineageReport> => {
      const { project, domain, versions } = await outline(root);
      return { project, domain, versions: versions.map((version) => version.report()) };
    };
    await annotate(made.root, { version: "v1", what: "text", value: " look at\nthe length " });
    await annotate(made.root, { version: "v1", what: "tag", value: "release" });
    await annotate(made.root, { version: "v1", what: "tag", value: "again" });
    await annotate(made.root, { version: "v1", what: "untag", value: "again" });
    await annotate(made.root, { version: "v1", what: "name", value: "first" });
    await annotate(made.root, { version: "v1", what: "name", value: "best" });
    const status = made.git("status", "--porcelain");
    assert.equal(status, "", "the user's files are untouched");
    const [, v1] = (await read(made.root)).versions;
    assert.ok(v1);
    assert.deepEqual([v1.alias, v1.tags], ["best", ["release"]]);
    const [note] = v1.notes;
    assert.equal(note?.text, "look at\nthe length");
    assert.notEqual(note.by, "");
    assert.deepEqual(await readLineageReport(made.root), await read(made.root));
    const { entries } = await openLedger(await openRepository(made.root)).read();
    assert.equal([...entries].filter(({ type }) => type === "note").length, 6);
    await annotate(made.root, { version: "v1", what: "name", value: "" });
    assert.equal((await read(made.root)).versions[1]?.alias, null);
    const after = await outline(made.root);
    assert.deepEqual([...(after.spokenOfSince?.(before) ?? [])], ["v1"]);
    assert.equal(await outline(made.root), after, "nothing was said since");
  });

  const refused = [
    [{ version: "v2", what: "text", value: "x" }, /no version v2.*v1/],
    [{ version: "v1", what: "text", value: "  " }, /the text is empty/],
    [{ version: "v1", what: "tag", value: "two\nlines" }, /one line/],
    [{ version: "v1", what: "name", value: "x".repeat(101) }, /100 characters/],
  ] as const;
  for (const [annotation, message] of refused)
    it(`refuses ${annotation.what} “${annotation.value.slice(0, 12)}” of ${annotation.version}`, () =>
      assert.rejects(annotate(made.root, annotation), (e) => HarnessError.is(e) && message.test(e.message)));

  it("lists the files that a version changed, and gives the old and new text of each", async () => {
    const change = await versionChange(made.root, "v1");
    assert.equal(change.against?.version, "v0");
    assert.deepEqual(change.files, [
      { path: "harness/main.reward.yaml", change: "modified" },
      { path: "harness/new.yaml", change: "added" },
    ]);
    assert.equal(await versionFile(made.root, change.commit, "harness/main.reward.yaml"), "weight: 2\n");
    assert.equal(
      await versionFile(made.root, change.against.commit, "harness/main.reward.yaml"),
      "weight: 1\n",
    );
    assert.deepEqual(
      (await versionChange(made.root, "v0", "v1")).files.map(({ change: how }) => how),
      ["modified", "deleted"],
    );
    assert.equal((await versionChange(made.root, "v0")).against, null);
    await assert.rejects(versionFile(made.root, "--all", "x"), /not a commit/);
    await assert.rejects(versionFile(made.root, change.commit, "../x"), /not a path inside/);
    await assert.rejects(versionChange(made.root, "v7"), /no version v7/);
  });
});
