import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { addCheckout, checkoutDirectory, removeCheckout, worktreePaths } from "./checkout.ts";
import { openRepository, type Repository } from "../repository.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";

describe("checkout", () => {
  let made: TestRepository;
  let repository: Repository;
  let head: string;
  let directory: string;
  beforeEach(async () => {
    made = makeTestRepository({ "a.txt": "one\n", "project/p.txt": "p\n" });
    head = made.git("rev-parse", "HEAD");
    repository = await openRepository(made.root);
    directory = checkoutDirectory(repository, "run-1");
  });
  afterEach(() => made.dispose());
  const worktrees = () =>
    made
      .git("worktree", "list", "--porcelain")
      .split("\n")
      .filter((l) => l.startsWith("worktree"));

  it("has the commit's files, not the user's, and is removed without a trace", async () => {
    made.write("a.txt", "uncommitted\n");
    const before = made.git("status", "--porcelain=v2");
    const checkout = await addCheckout(repository, head, directory);
    assert.equal(readFileSync(join(checkout.projectDirectory, "a.txt"), "utf8"), "one\n");
    assert.equal(worktrees().length, 2);
    writeFileSync(join(directory, "a.txt"), "changed by a trainer\n");
    writeFileSync(join(directory, "untracked"), "");
    await removeCheckout(repository, directory);
    await removeCheckout(repository, directory);
    assert.equal(existsSync(directory), false);
    assert.equal(worktrees().length, 1);
    assert.equal(made.git("status", "--porcelain=v2"), before);
  });

  it("points to the project inside a larger repository", async () => {
    const inner = await openRepository(join(made.root, "project"));
    const at = checkoutDirectory(inner, "r");
    const checkout = await addCheckout(inner, head, at);
    assert.equal(readFileSync(join(checkout.projectDirectory, "p.txt"), "utf8"), "p\n");
    await removeCheckout(inner, at);
  });

  const leftovers: Record<string, () => void> = {
    "a folder that git does not know": () => {
      mkdirSync(join(directory, "deep"), { recursive: true });
      writeFileSync(join(directory, "deep/file"), "x");
    },
    "a whole checkout": () => void made.git("worktree", "add", "--quiet", "--detach", directory, "HEAD"),
    "a registration whose folder is gone": () => {
      made.git("worktree", "add", "--quiet", "--detach", directory, "HEAD");
      rmSync(directory, { recursive: true });
    },
    "a half-filled checkout that is still locked": () => {
      made.git("worktree", "add", "--quiet", "--detach", "--no-checkout", directory, "HEAD");
      writeFileSync(join(made.root, ".git/worktrees/run-1/locked"), "initializing\n");
      rmSync(join(directory, ".git"));
    },
  };
  for (const [name, leave] of Object.entries(leftovers))
    it(`starts again from ${name}`, async () => {
      leave();
      await addCheckout(repository, head, directory);
      assert.equal(readFileSync(join(directory, "a.txt"), "utf8"), "one\n");
      assert.equal(existsSync(join(directory, "deep")), false);
      await removeCheckout(repository, directory);
      assert.equal(worktrees().length, 1);
    });

  it("leaves the user's worktrees alone, even one whose folder is missing at the moment", async () => {
    const own = `${made.root} own`;
    made.git("worktree", "add", "--quiet", "--detach", own, "HEAD");
    rmSync(own, { recursive: true });
    await addCheckout(repository, head, directory);
    await removeCheckout(repository, directory);
    assert.deepEqual(worktrees(), [`worktree ${made.root}`, `worktree ${own}`]);
  });

  it("can be made several at once", async () => {
    const all = Array.from({ length: 4 }, (_, i) => checkoutDirectory(repository, `r${i}`));
    await Promise.all(all.map((d) => addCheckout(repository, head, d)));
    assert.equal(worktrees().length, 5);
    await Promise.all(all.map((d) => removeCheckout(repository, d)));
    assert.equal(worktrees().length, 1);
  });

  it("waits for a worktree that somebody else is just making, and says what git says of one that stays half made", async () => {
    const half = join(made.root, ".git/worktrees/half");
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, "gitdir"), `${join(made.root, "half", ".git")}\n`);
    writeFileSync(join(half, "commondir"), "");
    await assert.rejects(worktreePaths(repository), (e) => HarnessError.is(e, "gitFailed"));
    setTimeout(() => rmSync(half, { recursive: true }), 100);
    await addCheckout(repository, head, directory);
    assert.deepEqual(await worktreePaths(repository), [made.root, directory]);
  });

  it("never removes a folder outside the folder for checkouts", async () => {
    for (const bad of [
      made.root,
      join(made.root, ".evotrainer"),
      checkoutDirectory(repository, ".."),
      checkoutDirectory(repository, "a/b"),
    ])
      await assert.rejects(removeCheckout(repository, bad), (e) => HarnessError.is(e, "badInput"));
  });
});
