import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import { openRepository, type Repository } from "./repository.ts";
import { readRef } from "./refs.ts";
import { listFilesAt, readFileAt } from "./versions.ts";

describe("the memory of commits", () => {
  let made: TestRepository;
  let repository: Repository;
  beforeEach(async () => {
    made = makeTestRepository({ "a.txt": "one\n", "large.txt": "x".repeat(300_000) });
    repository = await openRepository(made.root);
  });
  afterEach(() => made.dispose());

  const hide = (): void => renameSync(join(made.root, ".git/objects"), join(made.root, ".git/hidden"));
  const show = (): void => renameSync(join(made.root, ".git/hidden"), join(made.root, ".git/objects"));

  it("asks git once for a commit", async () => {
    const head = made.git("rev-parse", "HEAD");
    const read = () => Promise.all([readFileAt(repository, head, "a.txt"), listFilesAt(repository, head)]);
    const before = await read();
    hide();
    assert.deepEqual(await read(), before);
    show();
  });

  it("asks git again for a large commit", async () => {
    const head = made.git("rev-parse", "HEAD");
    await readFileAt(repository, head, "large.txt");
    hide();
    await assert.rejects(readFileAt(repository, head, "large.txt"));
    show();
  });

  it("asks git again after a failure", async () => {
    const head = made.git("rev-parse", "HEAD");
    hide();
    await assert.rejects(readFileAt(repository, head, "a.txt"));
    show();
    assert.equal(await readFileAt(repository, head, "a.txt"), "one\n");
  });

  it("follows a branch that moves, is packed, and disappears", async () => {
    const ref = "refs/heads/evo/toy/v1";
    assert.equal(await readRef(repository, ref), undefined);
    const first = made.git("rev-parse", "HEAD");
    made.git("update-ref", ref, first);
    assert.equal(await readRef(repository, ref), first);
    assert.equal(await readRef(repository, ref), first);
    made.write("a.txt", "two\n");
    const second = made.commit();
    made.git("update-ref", ref, second);
    assert.equal(await readRef(repository, ref), second);
    made.git("pack-refs", "--all");
    assert.equal(await readRef(repository, ref), second);
    made.git("update-ref", ref, first);
    assert.equal(await readRef(repository, ref), first);
    made.git("update-ref", "-d", ref);
    assert.equal(await readRef(repository, ref), undefined);
  });
});
