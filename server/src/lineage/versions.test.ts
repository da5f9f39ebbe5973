import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeTestRepository, type TestRepository } from "../../../test/support/lineage/repository.ts";
import {
  createProposal,
  createVersion,
  listFilesAt,
  readBytesAt,
  readFileAt,
  snapshotWorkTree,
} from "./versions.ts";

const at = new Date("2026-01-02T03:04:05Z");
const files = { "harness/main.yaml": "a: 1\n", "run.sh": "#!/bin/sh\n", "data/x.txt": "x\n" };

describe("versions", () => {
  let made: TestRepository;
  let repository: Repository;
  let head: string;
  beforeEach(async () => {
    made = makeTestRepository(files);
    chmodSync(join(made.root, "run.sh"), 0o755);
    symlinkSync("data/x.txt", join(made.root, "link"));
    made.commit("modes");
    repository = await openRepository(made.root);
    head = made.git("rev-parse", "HEAD");
  });
  afterEach(() => made.dispose());

  const create = (name: string, edits: Parameters<typeof createVersion>[1]["edits"], parent = head) =>
    createVersion(repository, { domain: "swe", name, parent, edits, message: `Version ${name}`, at });

  /** What differs between two commits: the letter of git and the path. */
  const changed = (from: string, to: string): string[] => {
    const fields = made.git("diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to).split("\0");
    return fields.flatMap((path, i) => (i % 2 === 0 ? [] : [`${fields[i - 1] ?? ""} ${path}`]));
  };

  /** All that a user could notice: status, index bytes, HEAD. */
  const surroundings = () => ({
    status: made.git("status", "--porcelain=v2", "--branch", "--untracked-files=all"),
    index: readFileSync(join(made.root, ".git/index")).toString("base64"),
    head: readFileSync(join(made.root, ".git/HEAD"), "utf8"),
    stash: made.git("stash", "list"),
  });

  const dirt: Record<string, () => void> = {
    "a clean tree": () => undefined,
    "uncommitted and staged changes": () => {
      made.write("harness/main.yaml", "a: staged\n");
      made.git("add", "harness/main.yaml");
      made.write("harness/main.yaml", "a: unstaged\n");
      made.git("rm", "--quiet", "--cached", "data/x.txt");
    },
    "a detached head": () => void made.git("checkout", "--quiet", "--detach"),
    "an untracked file where a version has one": () => made.write("harness/new.yaml", "mine\n"),
    "an unfinished merge": () => {
      made.git("checkout", "--quiet", "-b", "side");
      made.write("harness/main.yaml", "a: side\n");
      made.commit();
      made.git("checkout", "--quiet", "main");
      made.write("harness/main.yaml", "a: main\n");
      made.commit();
      assert.throws(() => made.git("merge", "side"));
    },
  };
  for (const [name, makeDirt] of Object.entries(dirt))
    it(`leave work tree, index and HEAD as they are with ${name}`, async () => {
      makeDirt();
      const before = surroundings();
      const { commit } = await create("v1", [
        { path: "harness/main.yaml", content: "a: 2\n" },
        { path: "harness/new.yaml", content: "b: 1\n" },
      ]);
      await snapshotWorkTree(repository);
      assert.deepEqual(surroundings(), before);
      assert.equal(await readFileAt(repository, commit, "harness/main.yaml"), "a: 2\n");
      assert.equal(made.git("rev-parse", "evo/swe/v1"), commit);
    });

  it("keep modes, delete files, store bytes, and record author, time and parent", async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    const { commit } = await create("v1", [
      { path: "run.sh", content: "#!/bin/sh\necho\n" },
      { path: "data/x.txt", content: null },
      { path: "data/ü b.bin", content: bytes },
    ]);
    assert.match(made.git("ls-tree", commit, "run.sh"), /^100755 /);
    assert.deepEqual(await readBytesAt(repository, commit, "data/ü b.bin"), bytes);
    assert.deepEqual(await listFilesAt(repository, commit), [
      "data/ü b.bin",
      "harness/main.yaml",
      "link",
      "run.sh",
    ]);
    assert.deepEqual(changed(head, commit), ["D data/x.txt", "A data/ü b.bin", "M run.sh"]);
    assert.equal(
      made.git("log", "-1", "--format=%an <%ae> %ct %P %s", commit),
      `Test User <test@example.org> ${at.getTime() / 1000} ${head} Version v1`,
    );
  });

  it("get the same commit for the same request, and refuse other content under the same name", async () => {
    const edits = [{ path: "harness/main.yaml", content: "a: 2\n" }];
    const { commit } = await create("v1", edits);
    assert.equal((await create("v1", edits)).commit, commit);
    const later = { domain: "swe", name: "v1", parent: head, edits, message: "other words", at: new Date() };
    assert.equal((await createVersion(repository, later)).commit, commit);
    await assert.rejects(create("v1", [{ path: "harness/main.yaml", content: "a: 3\n" }]), (e) =>
      HarnessError.is(e, "refMoved"),
    );
    await assert.rejects(create("v1", edits, commit), (e) => HarnessError.is(e, "refMoved"));
    assert.equal(made.git("rev-parse", "evo/swe/v1"), commit);
  });

  it("get one commit when several callers ask at once", async () => {
    const edits = [{ path: "harness/main.yaml", content: "a: 2\n" }];
    const made5 = await Promise.all(Array.from({ length: 5 }, () => create("v1", edits)));
    assert.equal(new Set(made5.map((v) => v.commit)).size, 1);
  });

  it("may have no edits, and a proposal may exist beside them", async () => {
    const { commit } = await create("v0", []);
    assert.deepEqual(changed(head, commit), []);
    const proposal = { domain: "swe", id: "p-1", parent: commit, edits: [], message: "p", at };
    assert.equal(
      (await createProposal(repository, proposal)).commit,
      made.git("rev-parse", "evo/proposals/swe/p-1"),
    );
  });

  const refused: [string, string][] = [
    ["a path outside", "../x"],
    ["an absolute path", "/etc/passwd"],
    ["an empty part", "harness//x"],
    ["a dot", "./x"],
    [".git", ".git/config"],
    [".GIT in capitals deep down", "harness/.GIT/hooks/post-checkout"],
    ["a symbolic link", "link"],
    ["a folder", "harness"],
    ["a file as a folder", "data/x.txt/y"],
  ];
  for (const [name, path] of refused)
    it(`refuse to edit ${name}`, async () => {
      await assert.rejects(create("v1", [{ path, content: "x" }]), (e) => HarnessError.is(e, "badInput"));
      assert.equal(made.git("branch", "--list", "evo/*"), "");
    });

  it("refuse to delete a missing file and to edit a file twice", async () => {
    await assert.rejects(create("v1", [{ path: "nope", content: null }]), (e) =>
      HarnessError.is(e, "notFound"),
    );
    const twice = [
      { path: "a", content: "1" },
      { path: "a", content: "2" },
    ];
    await assert.rejects(create("v1", twice), (e) => HarnessError.is(e, "badInput"));
    await assert.rejects(readFileAt(repository, head, "nope"), (e) => HarnessError.is(e, "notFound"));
    await assert.rejects(readFileAt(repository, head, "data"), (e) => HarnessError.is(e, "notFound"));
    await assert.rejects(readFileAt(repository, "HEAD", "run.sh"), (e) => HarnessError.is(e, "badInput"));
  });

  it("run none of the user's hooks and sign nothing", async () => {
    const hooks = join(made.root, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    for (const hook of ["reference-transaction", "pre-commit", "post-commit", "post-checkout"])
      writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch "${join(made.root, ".git/ran")}"\nexit 1\n`, {
        mode: 0o755,
      });
    made.git("config", "commit.gpgSign", "true");
    made.git("config", "gpg.program", "false");
    await create("v1", [{ path: "x", content: "x" }]);
    assert.equal(existsSync(join(made.root, ".git/ran")), false);
  });

  it("name the branch that is in the way", async () => {
    made.git("branch", "evo");
    await assert.rejects(create("v1", []), /evo\/swe\/v1 cannot be created because a branch/);
  });

  it("work in the project's folder inside a larger repository", async () => {
    made.write("packages/p/harness/a.yaml", "a: 1\n");
    const parent = made.commit();
    const inner = await openRepository(join(made.root, "packages/p"));
    const edits = [{ path: "harness/a.yaml", content: "a: 2\n" }];
    const { commit } = await createVersion(inner, {
      domain: "swe",
      name: "v1",
      parent,
      edits,
      message: "m",
      at,
    });
    assert.equal(made.git("show", `${commit}:packages/p/harness/a.yaml`), "a: 2");
    assert.equal(await readFileAt(inner, commit, "harness/a.yaml"), "a: 2\n");
    assert.deepEqual(await listFilesAt(inner, commit, "harness"), ["harness/a.yaml"]);
    assert.deepEqual(changed(parent, commit), ["M packages/p/harness/a.yaml"]);
  });

  it("can snapshot uncommitted work, and use HEAD for a clean tree", async () => {
    assert.deepEqual(await snapshotWorkTree(repository), { commit: head, dirty: false });
    made.write(".gitignore", "*.log\n");
    made.write("big.log", "ignored\n");
    made.write("harness/main.yaml", "a: mine\n");
    made.write("new.txt", "new\n");
    const { commit, dirty } = await snapshotWorkTree(repository, at);
    assert.equal(dirty, true);
    assert.equal(await readFileAt(repository, commit, "harness/main.yaml"), "a: mine\n");
    assert.deepEqual(changed(head, commit), ["A .gitignore", "M harness/main.yaml", "A new.txt"]);
    assert.equal(made.git("rev-parse", `${commit}^`), head);
  });
});
