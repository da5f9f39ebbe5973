import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import type { Git } from "./git.ts";
import { openRepository, type Repository } from "./repository.ts";
import { spooledGit } from "./spooledGit.ts";

async function answerOf(git: Git, args: readonly string[], input?: string): Promise<string> {
  const chunks: Buffer[] = [];
  await git.stream(args, (chunk) => chunks.push(Buffer.from(chunk)), input === undefined ? {} : { input });
  return Buffer.concat(chunks).toString("latin1");
}

describe("git whose answers go through a file", () => {
  let made: TestRepository;
  let repository: Repository;
  let folder: string;
  beforeEach(async () => {
    made = makeTestRepository({ "long.txt": "0123456789abcde\n".repeat(200_000), "empty.txt": "" });
    repository = await openRepository(made.root);
    folder = join(repository.commonDir, "evotrainer");
  });
  afterEach(() => made.dispose());

  const asked: [string, string[], string?][] = [
    ["a long answer", ["cat-file", "--batch", "--buffer"], "HEAD:long.txt\nHEAD\nnone\nHEAD:empty.txt\n"],
    ["a short answer", ["rev-parse", "HEAD"]],
    ["no answer", ["cat-file", "blob", "HEAD:empty.txt"]],
  ];
  for (const [name, args, input] of asked)
    it(`gives ${name} whole, and leaves no file`, async () => {
      const expected = await answerOf(repository.git, args, input);
      assert.equal(await answerOf(spooledGit(repository), args, input), expected);
      assert.deepEqual(readdirSync(folder), []);
    });

  it("goes through a pipe where the folder leads elsewhere", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "evo-elsewhere-"));
    try {
      rmSync(folder, { recursive: true, force: true });
      symlinkSync(elsewhere, folder);
      // A file that is made there and removed at once changes the time of the folder.
      utimesSync(elsewhere, 1000, 1000);
      assert.match(await answerOf(spooledGit(repository), ["rev-parse", "HEAD"]), /^[0-9a-f]{40}\n$/);
      assert.equal(statSync(elsewhere).mtimeMs, 1_000_000);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it("goes through a pipe where the folder cannot be made", async () => {
    rmSync(folder, { recursive: true, force: true });
    made.write(".git/evotrainer", "");
    assert.match(await answerOf(spooledGit(repository), ["rev-parse", "HEAD"]), /^[0-9a-f]{40}\n$/);
  });

  it("fails as git does, and as its reader does, and leaves no file", async () => {
    mkdirSync(folder, { recursive: true });
    const git = spooledGit(repository);
    await assert.rejects(answerOf(git, ["cat-file", "blob", "HEAD:none"]), /none/);
    await assert.rejects(
      git.stream(["cat-file", "blob", "HEAD:long.txt"], () => {
        throw new Error("enough");
      }),
      /enough/,
    );
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(existsSync(join(made.root, ".git/index.lock")), false);
  });
});
