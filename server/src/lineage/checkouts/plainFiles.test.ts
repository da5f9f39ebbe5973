import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  makeTestRepository,
  testEnvironment,
  type TestRepository,
} from "../../../../test/support/lineage/repository.ts";
import { HarnessError } from "../../base/errors.ts";
import { addCheckout, checkoutDirectory, removeCheckout } from "./checkout.ts";
import { openRepository, type Repository } from "../repository.ts";
import { findOtherFile } from "./plainFiles.ts";
import { treeAt } from "./treeAt.ts";

const data = '{"id":"hard"}\n{"id":"harder"}\n';

/** What a repository's own configuration could make of a checkout; each is set up by plain git. */
const tricks: Readonly<Record<string, (made: TestRepository) => void>> = {
  "a smudge filter in info/attributes": (made) => {
    made.git("config", "filter.easy.smudge", "sed s/hard/easy/");
    made.git("config", "filter.easy.required", "true");
    writeFileSync(join(made.root, ".git/info/attributes"), "*.jsonl filter=easy\n");
  },
  "a long-running filter process": (made) => {
    made.git("config", "filter.easy.process", "false");
    made.git("config", "filter.easy.required", "true");
    writeFileSync(join(made.root, ".git/info/attributes"), "*.jsonl filter=easy\n");
  },
  "a smudge filter in the file of core.attributesFile": (made) => {
    made.git("config", "filter.easy.smudge", "sed s/hard/easy/");
    const file = join(made.root, ".git/own-attributes");
    writeFileSync(file, "*.jsonl filter=easy\n");
    made.git("config", "core.attributesFile", file);
  },
  "line ends that the configuration asks for": (made) => {
    made.git("config", "core.autocrlf", "true");
    writeFileSync(join(made.root, ".git/info/attributes"), "* text eol=crlf\n");
  },
  "an encoding of the work tree": (made) => {
    writeFileSync(join(made.root, ".git/info/attributes"), "*.jsonl working-tree-encoding=UTF-16\n");
  },
  "a replaced object": (made) => {
    const easy = execFileSync("git", ["hash-object", "-w", "--stdin"], {
      ...{ cwd: made.root, env: testEnvironment, encoding: "utf8" },
      input: '{"id":"easy"}\n',
    });
    made.git("replace", made.git("rev-parse", "HEAD:data/items.jsonl"), easy.trim());
  },
  "a sparse checkout": (made) => {
    made.git("sparse-checkout", "set", "--no-cone", "/a.txt");
  },
  "hooks in a folder of the configuration": (made) => {
    made.write("hooks/post-checkout", '#!/bin/sh\necho \'{"id":"easy"}\' > data/items.jsonl\n');
    chmodSync(join(made.root, "hooks/post-checkout"), 0o755);
    made.git("config", "core.hooksPath", join(made.root, "hooks"));
  },
};

describe("the files of a checkout", () => {
  let made: TestRepository;
  let repository: Repository;
  let directory: string;
  beforeEach(async () => {
    made = makeTestRepository({ "data/items.jsonl": data, "a.txt": "$Id$\n", "tools/run.sh": "#!/bin/sh\n" });
    repository = await openRepository(made.root);
    directory = checkoutDirectory(repository, "run-1");
  });
  afterEach(() => made.dispose());
  const check = async (commit: string): Promise<void> => {
    await addCheckout(repository, commit, directory);
    assert.equal(readFileSync(join(directory, "data/items.jsonl"), "utf8"), data);
  };

  for (const [name, play] of Object.entries(tricks))
    it(`are those of the commit in spite of ${name}`, async () => {
      play(made);
      await check(made.git("rev-parse", "HEAD"));
      await removeCheckout(repository, directory);
    });

  it("are those of the commit where its own .gitattributes asks for something else", async () => {
    made.write(".gitattributes", "*.jsonl text eol=crlf\na.txt ident\n");
    await check(made.commit());
    assert.equal(readFileSync(join(directory, "a.txt"), "utf8"), "$Id$\n");
  });

  it("are links, programs and names with line ends as in the commit, and git sees no change", async () => {
    symlinkSync("data/items.jsonl", join(made.root, "link"));
    made.write("two\nlines", "x\n");
    chmodSync(join(made.root, "tools/run.sh"), 0o755);
    await check(made.commit());
    assert.equal(readlinkSync(join(directory, "link")), "data/items.jsonl");
    assert.equal(lstatSync(join(directory, "tools/run.sh")).mode & 0o111, 0o111);
    assert.equal(readFileSync(join(directory, "two\nlines"), "utf8"), "x\n");
    const status = ["-C", directory, "status", "--porcelain"];
    assert.equal(execFileSync("git", status, { env: testEnvironment, encoding: "utf8" }), "");
  });

  it("are without those that are to be left out, whatever their names, and git sees no change", async () => {
    const names = [
      "audit.jsonl",
      "[a]*?!.jsonl",
      "#b \\.jsonl",
      "end ",
      "two\nlines",
      "tab\t",
      "back\r",
      "ünd",
    ];
    const left = names.map((name) => `held/${name}`);
    for (const path of [...left, "held/a", "held/audit.jsonl.txt", "other/held/audit.jsonl"])
      made.write(path, `${path}\n`);
    await addCheckout(repository, made.commit(), directory, left);
    assert.deepEqual(readdirSync(join(directory, "held")), ["a", "audit.jsonl.txt"]);
    assert.deepEqual(readdirSync(join(directory, "other/held")), ["audit.jsonl"]);
    assert.equal(readFileSync(join(directory, "data/items.jsonl"), "utf8"), data);
    const status = ["-C", directory, "status", "--porcelain"];
    assert.equal(execFileSync("git", status, { env: testEnvironment, encoding: "utf8" }), "");
  });

  it("are those of a repository that names its objects by SHA-256", async () => {
    const own = makeTestRepository({});
    try {
      own.git("init", "--quiet", "--object-format=sha256", "inner");
      own.write("inner/items.jsonl", data);
      const git = (...args: string[]): string =>
        own.git("-C", "inner", "-c", "user.name=t", "-c", "user.email=t@example.org", ...args);
      git("add", "--all");
      git("commit", "--quiet", "-m", "first");
      const inner = await openRepository(join(own.root, "inner"));
      const at = checkoutDirectory(inner, "run-1");
      await addCheckout(inner, git("rev-parse", "HEAD"), at);
      assert.equal(readFileSync(join(at, "items.jsonl"), "utf8"), data);
    } finally {
      own.dispose();
    }
  });

  it("are fetched where a partial clone lacks them", async () => {
    const first = made.git("rev-parse", "HEAD");
    made.write("data/items.jsonl", "other\n");
    made.commit();
    made.git("config", "uploadpack.allowFilter", "true");
    made.git("config", "uploadpack.allowAnySHA1InWant", "true");
    made.git("clone", "--quiet", "--filter=blob:none", `file://${made.root}`, "clone");
    const clone = await openRepository(join(made.root, "clone"));
    const at = checkoutDirectory(clone, "run-1");
    await addCheckout(clone, first, at);
    assert.equal(readFileSync(join(at, "data/items.jsonl"), "utf8"), data);
  });

  describe("that Git LFS keeps", () => {
    const content = "weights\n".repeat(1000);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${content.length}\n`;
    let kept = "";
    let commit = "";
    beforeEach(() => {
      made.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
      made.write("big.bin", pointer);
      commit = made.commit();
      const folder = join(made.root, ".git/lfs/objects", sha256.slice(0, 2), sha256.slice(2, 4));
      mkdirSync(folder, { recursive: true });
      kept = join(folder, sha256);
      writeFileSync(kept, content);
    });

    it("are the contents that the commit names, and changes of them are found", async () => {
      await check(commit);
      assert.equal(readFileSync(join(directory, "big.bin"), "utf8"), content);
      const entries = await treeAt(repository, commit);
      assert.equal(await findOtherFile(repository, directory, entries), undefined);
      writeFileSync(join(directory, "big.bin"), content.replace("w", "W"));
      assert.equal(await findOtherFile(repository, directory, entries), "big.bin");
    });

    it("are refused where the content is not here, or is another", async () => {
      writeFileSync(kept, content.replace("w", "W"));
      await assert.rejects(check(commit), /What Git LFS keeps for big\.bin is not the content/);
      rmSync(kept);
      await assert.rejects(check(commit), /big\.bin is kept in Git LFS and is not on this machine/);
    });

    it("stay pointers where the commit does not use Git LFS", async () => {
      rmSync(join(made.root, ".gitattributes"));
      await check(made.commit());
      assert.equal(readFileSync(join(directory, "big.bin"), "utf8"), pointer);
    });
  });

  it("are refused where git has a damaged object", async () => {
    const blob = made.git("rev-parse", "HEAD:data/items.jsonl");
    const stored = join(made.root, ".git/objects", blob.slice(0, 2), blob.slice(2));
    const other = made.git("rev-parse", "HEAD:a.txt");
    chmodSync(stored, 0o644);
    writeFileSync(stored, readFileSync(join(made.root, ".git/objects", other.slice(0, 2), other.slice(2))));
    await assert.rejects(addCheckout(repository, made.git("rev-parse", "HEAD"), directory), (e) =>
      HarnessError.is(e, "gitFailed"),
    );
  });

  const changes: Readonly<Record<string, { change: () => void; path: string }>> = {
    "a changed file": { change: () => writeFileSync(join(directory, "a.txt"), "$Ix$\n"), path: "a.txt" },
    "a file that is gone": { change: () => rmSync(join(directory, "a.txt")), path: "a.txt" },
    "a link in place of a file": {
      change: () => {
        renameSync(join(directory, "a.txt"), join(directory, "b.txt"));
        symlinkSync("b.txt", join(directory, "a.txt"));
      },
      path: "a.txt",
    },
    "a link that leads elsewhere": {
      change: () => {
        rmSync(join(directory, "link"));
        symlinkSync("a.txt", join(directory, "link"));
      },
      path: "link",
    },
    "a changed file with a line end in its name": {
      change: () => writeFileSync(join(directory, "two\nlines"), "y\n"),
      path: "two\nlines",
    },
  };
  for (const [what, { change, path }] of Object.entries(changes))
    it(`are told from ${what}`, async () => {
      symlinkSync("data/items.jsonl", join(made.root, "link"));
      made.write("two\nlines", "x\n");
      const commit = made.commit();
      await check(commit);
      const entries = await treeAt(repository, commit);
      assert.equal(await findOtherFile(repository, directory, entries), undefined);
      change();
      assert.equal(await findOtherFile(repository, directory, entries), path);
    });
});
