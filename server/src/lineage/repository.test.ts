import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError, type Reason } from "../base/errors.ts";
import { bindGit } from "./git.ts";
import { GitError } from "./gitProcess/gitError.ts";
import { openRepository, resolveCommit } from "./repository.ts";
import {
  makeTestRepository,
  testEnvironment,
  type TestRepository,
} from "../../../test/support/lineage/repository.ts";
import { keepEnvironment } from "../../../test/support/base/environment.ts";

const rejects = (work: Promise<unknown>, reason: Reason, message: RegExp) =>
  assert.rejects(work, (e) => {
    assert.ok(HarnessError.is(e, reason), `expected ${reason}, got ${String(e)}`);
    assert.match(e.message, message);
    return true;
  });

describe("openRepository", () => {
  let made: TestRepository;
  const restoreEnvironment = keepEnvironment();
  beforeEach(() => {
    made = makeTestRepository();
    process.env["GIT_CONFIG_GLOBAL"] = "/dev/null";
    process.env["GIT_CONFIG_NOSYSTEM"] = "1";
  });
  afterEach(() => {
    restoreEnvironment();
    made.dispose();
  });

  it("finds the top level from a folder below it", async () => {
    made.write("packages/my project/evotrainer.yaml", "x: 1\n");
    const repository = await openRepository(join(made.root, "packages/my project"));
    assert.equal(repository.topLevel, made.root);
    assert.equal(repository.prefix, "packages/my project/");
    assert.equal(repository.commonDir, join(made.root, ".git"));
    assert.deepEqual(repository.identity, { name: "Test User", email: "test@example.org" });
  });

  it("excludes the engine's folder once, and leaves the user's files alone", async () => {
    const exclude = join(made.root, ".git/info/exclude");
    writeFileSync(exclude, "# mine\n*.log");
    await openRepository(made.root);
    await openRepository(made.root);
    assert.equal(readFileSync(exclude, "utf8"), "# mine\n*.log\n.evotrainer/\n");
    made.write(".evotrainer/runs/x", "1");
    assert.equal(made.git("status", "--porcelain"), "");
    const linked = `${made.root} linked`;
    made.git("worktree", "add", "--quiet", "--detach", linked);
    try {
      const repository = await openRepository(linked);
      assert.equal(repository.commonDir, join(made.root, ".git"));
      assert.equal(readFileSync(exclude, "utf8").split(".evotrainer/").length, 2);
    } finally {
      rmSync(linked, { recursive: true });
    }
  });

  it("notices a commit, another branch, a detached head and refs that git has packed, in the worktree that it opened", async () => {
    const linked = `${made.root} linked`;
    made.git("worktree", "add", "--quiet", "-b", "other", linked);
    try {
      const [repository, elsewhere] = [await openRepository(made.root), await openRepository(linked)];
      const first = made.git("rev-parse", "HEAD");
      for (const change of [
        () => made.commit("second"),
        () => made.git("pack-refs", "--all"),
        () => made.commit("third"),
        () => made.git("checkout", "--quiet", "--detach", first),
        () => made.git("checkout", "--quiet", "-b", "an/other"),
        () => made.commit("fourth"),
        () => made.git("symbolic-ref", "refs/heads/alias", "refs/heads/main"),
        () => made.git("symbolic-ref", "HEAD", "refs/heads/alias"),
      ]) {
        change();
        const head = made.git("rev-parse", "HEAD");
        assert.equal(await resolveCommit(repository, "HEAD"), head, change.toString());
        assert.equal(await resolveCommit(repository, "HEAD"), head, change.toString());
        assert.equal(await resolveCommit(elsewhere, "HEAD"), first);
      }
      made.git("symbolic-ref", "HEAD", "refs/heads/none");
      await rejects(resolveCommit(repository, "HEAD"), "notFound", /There is no commit "HEAD"/);
    } finally {
      rmSync(linked, { recursive: true });
    }
  });

  it("writes nothing when opened read-only", async () => {
    const exclude = join(made.root, ".git/info/exclude");
    rmSync(exclude, { force: true });
    await openRepository(made.root, { readOnly: true });
    assert.throws(() => readFileSync(exclude));
  });

  it("uses a fallback identity when none is configured", async () => {
    made.git("config", "--unset", "user.name");
    made.git("config", "--unset", "user.email");
    const { identity } = await openRepository(made.root);
    assert.deepEqual(identity, { name: "EvoTrainer", email: "evotrainer@localhost" });
  });

  it("says what to do when there is no repository, no commit, no folder or no work tree", async () => {
    const folder = mkdtempSync(join(tmpdir(), "evotrainer-plain-"));
    try {
      await rejects(openRepository(folder), "notARepository", /git init/);
      execFileSync("git", ["init", "--quiet", folder], { env: testEnvironment });
      await rejects(openRepository(folder), "noCommits", /git commit/);
      await rejects(openRepository(join(folder, "gone")), "notFound", /no folder/);
      execFileSync("git", ["init", "--quiet", "--bare", join(folder, "bare")], { env: testEnvironment });
      await rejects(openRepository(join(folder, "bare")), "notARepository", /bare/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("says that git is missing or too old", async () => {
    const bin = mkdtempSync(join(tmpdir(), "evotrainer-bin-"));
    try {
      process.env["PATH"] = bin;
      await rejects(openRepository(made.root), "gitMissing", /install git/);
      writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.24.1\n", { mode: 0o755 });
      await rejects(openRepository(made.root), "gitMissing", /2\.25 or newer/);
    } finally {
      rmSync(bin, { recursive: true });
    }
  });

  it("ignores the environment of a git hook", async () => {
    mkdirSync(join(made.root, "elsewhere"));
    process.env["GIT_DIR"] = join(made.root, "elsewhere");
    process.env["GIT_INDEX_FILE"] = join(made.root, "elsewhere/index");
    process.env["EDITOR"] = "false";
    assert.equal((await openRepository(made.root)).topLevel, made.root);
  });

  it("resolves commits and refuses anything that looks like an option", async () => {
    const repository = await openRepository(made.root);
    const head = made.git("rev-parse", "HEAD");
    assert.equal(await resolveCommit(repository, "main"), head);
    assert.equal(await resolveCommit(repository, head.slice(0, 10)), head);
    for (const bad of ["", "--all", "nothing", "main:a.txt", "0".repeat(40)])
      await rejects(resolveCommit(repository, bad), "notFound", /no commit/);
  });
});

describe("bindGit", () => {
  it("takes no folder of the work tree for a repository, whose configuration could start programs", async () => {
    const made = makeTestRepository();
    try {
      made.git("clone", "--quiet", "--bare", ".", "inner");
      await assert.rejects(bindGit(join(made.root, "inner")).text(["rev-parse", "--git-dir"]), GitError);
    } finally {
      made.dispose();
    }
  });

  it("shows what a commit has, whatever somebody had git show in its place", async () => {
    const made = makeTestRepository({ "a.txt": "one\n", "b.txt": "easier\n" });
    try {
      made.git("replace", made.git("rev-parse", "HEAD:a.txt"), made.git("rev-parse", "HEAD:b.txt"));
      assert.equal(made.git("cat-file", "blob", "HEAD:a.txt"), "easier");
      const git = bindGit(made.root);
      assert.equal(await git.text(["cat-file", "blob", "HEAD:a.txt"]), "one");
      assert.equal((await git.bytes(["cat-file", "blob", "HEAD:a.txt"])).toString(), "one\n");
    } finally {
      made.dispose();
    }
  });

  it("keeps the failures of one command separate from those of other commands at the same time", async () => {
    const made = makeTestRepository();
    try {
      const git = bindGit(made.root);
      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) =>
          git.text(i % 2 === 0 ? ["rev-parse", "HEAD"] : ["cat-file", "-t", "nope"]),
        ),
      );
      for (const [i, result] of results.entries()) {
        if (i % 2 === 0) assert.equal(result.status, "fulfilled");
        else {
          assert.equal(result.status, "rejected");
          assert.ok(result.reason instanceof GitError && result.reason.exitCode === 128);
        }
      }
      await assert.rejects(git.text(["mktree"], { input: "nonsense\n" }), GitError);
      const stop = () => {
        throw new Error("enough");
      };
      await assert.rejects(git.stream(["cat-file", "--batch"], stop, { input: "HEAD\n" }), /enough/);
      const pieces: Buffer[] = [];
      // What a reader returns that takes each piece at once means nothing.
      await git.stream(["cat-file", "--batch"], (piece) => pieces.push(piece), { input: "HEAD\n" });
      assert.match(Buffer.concat(pieces).toString(), /^[0-9a-f]{40} commit \d+\n/);
      made.dispose();
      for (const input of [undefined, ""])
        await rejects(git.text(["mktree"], input === undefined ? {} : { input }), "notFound", /no folder/);
    } finally {
      made.dispose();
    }
  });
});
