import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Split } from "../../../../shared/model/rollout.ts";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { testProject, testProjectFiles } from "../../../../test/support/runner/project.ts";
import { HarnessError } from "../../base/errors.ts";
import { addCheckout, checkoutDirectory } from "../../lineage/checkouts/checkout.ts";
import { openRepository, type Repository } from "../../lineage/repository.ts";
import { evaluationEntries, withheldFiles } from "../../project/identity/evaluationEntries.ts";
import { comparedPaths, findAlteration, type Alteration } from "./evaluationCheck.ts";
import { stampsOf } from "./evaluationWatch.ts";

describe("the check of the evaluation after a job", () => {
  let made: TestRepository;
  let repository: Repository;
  let checkout: string;
  beforeEach(async () => {
    made = makeTestRepository(testProjectFiles());
    repository = await openRepository(made.root);
    checkout = checkoutDirectory(repository, "v1");
  });
  afterEach(() => made.dispose());
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), content);
  };

  /** What is found after a change in a checkout of the repository's newest commit. */
  async function after(
    change: () => void,
    files?: string[],
    splits: readonly Split[] = ["audit"],
  ): Promise<Alteration | undefined> {
    const project = testProject(files === undefined ? {} : { files });
    const commit = made.commit();
    const entries = await evaluationEntries(repository, commit, project);
    const withheld = await withheldFiles(repository, commit, project, splits);
    await addCheckout(repository, commit, checkout, withheld);
    const stamps = await stampsOf(
      checkout,
      entries.map(({ path }) => path).filter((path) => !withheld.includes(path)),
    );
    change();
    return findAlteration({ repository, checkout, project, entries, withheld, stamps });
  }

  it("covers exactly the declared files, folders and splits", async () => {
    const entries = await evaluationEntries(repository, made.commit(), testProject());
    assert.deepEqual(
      entries.map(({ file }) => file),
      [
        "data/audit.jsonl",
        "data/selection.jsonl",
        "data/train.jsonl",
        "eval/check.sh",
        "eval/deep/table.txt",
      ],
    );
    assert.equal(await after(() => write("harness/main.yaml", "shape: binary\n")), undefined);
    assert.deepEqual(comparedPaths(testProject({ files: ["eval", "eval/*.sh", "h*/main.yaml"] }), entries), [
      "data/audit.jsonl",
      "data/selection.jsonl",
      "data/train.jsonl",
      "eval",
    ]);
  });

  it("lets a job read everything and write beside the evaluation", async () => {
    assert.equal(
      await after(() => {
        write("data/cache.bin", "x");
        write("notes.txt", "x");
      }),
      undefined,
    );
  });

  const at = (path: string): string => join(checkout, path);
  const changes: readonly [string, string, boolean, () => void][] = [
    [
      "a changed file in a deep folder",
      "eval/deep/table.txt",
      false,
      () => write("eval/deep/table.txt", "2\n"),
    ],
    ["a changed split", "data/audit.jsonl", false, () => write("data/audit.jsonl", '{"id":"a2"}\n')],
    ["a new file", "eval/extra", false, () => write("eval/extra", "")],
    ["a deleted split", "data/train.jsonl", false, () => rmSync(at("data/train.jsonl"))],
    ["a deleted folder", "eval/check.sh", false, () => rmSync(at("eval"), { recursive: true })],
    [
      "a file that became a link inside",
      "eval/check.sh",
      false,
      () => {
        rmSync(at("eval/check.sh"));
        symlinkSync("../train.sh", at("eval/check.sh"));
      },
    ],
    [
      "a file that was written with the same content, its time put back",
      "data/audit.jsonl",
      true,
      () => {
        write("data/audit.jsonl", testProjectFiles()["data/audit.jsonl"] ?? "");
        utimesSync(at("data/audit.jsonl"), 1, 1);
      },
    ],
    [
      "a file that was replaced by one with the same content",
      "data/audit.jsonl",
      true,
      () => {
        write("data/other", testProjectFiles()["data/audit.jsonl"] ?? "");
        renameSync(at("data/other"), at("data/audit.jsonl"));
      },
    ],
    [
      "a folder that was moved away and back",
      "eval",
      true,
      () => {
        renameSync(at("eval"), at("eval2"));
        renameSync(at("eval2"), at("eval"));
      },
    ],
  ];
  for (const [name, file, isRestored, change] of changes)
    it(`shows ${name}`, async () => {
      assert.deepEqual(await after(change), { file, isRestored });
    });

  it("shows a file that a pattern would take in", async () => {
    assert.deepEqual(await after(() => write("eval/more.sh", ""), ["eval/*.sh"]), {
      file: "eval/more.sh",
      isRestored: false,
    });
  });

  it("shows a change behind a link", async () => {
    made.write("shared/table.txt", "1\n");
    symlinkSync("../shared/table.txt", join(made.root, "eval/linked"));
    assert.deepEqual(await after(() => write("shared/table.txt", "2\n")), {
      file: "shared/table.txt",
      isRestored: false,
    });
  });

  describe("without the audit split", () => {
    const withoutAudit = (change: () => void, files?: string[]) =>
      after(change, files, ["train", "selection"]);

    it("has every other file, and git sees no change", async () => {
      assert.equal(await withoutAudit(() => undefined), undefined);
      assert.deepEqual(readdirSync(join(checkout, "data")).sort(), ["selection.jsonl", "train.jsonl"]);
      assert.equal(made.git("-C", checkout, "status", "--porcelain"), "");
      assert.deepEqual(await withoutAudit(() => rmSync(at("data/train.jsonl"))), {
        file: "data/train.jsonl",
        isRestored: false,
      });
    });

    it("shows a job that makes the file itself, as a file, a folder or a link that leads nowhere", async () => {
      for (const make of [
        () => write("data/audit.jsonl", testProjectFiles()["data/audit.jsonl"] ?? ""),
        () => mkdirSync(at("data/audit.jsonl")),
        () => symlinkSync("nowhere", at("data/audit.jsonl")),
      ])
        assert.deepEqual(await withoutAudit(make), { file: "data/audit.jsonl", isRestored: false });
    });

    it("has neither the file nor a link to it where the split is a link, nor where a folder or a pattern names it too", async () => {
      made.write("shared/audit.jsonl", '{"id":"a1"}\n');
      rmSync(join(made.root, "data/audit.jsonl"));
      symlinkSync("../shared/audit.jsonl", join(made.root, "data/audit.jsonl"));
      for (const files of [["eval"], ["data"], ["shared"], ["*/*.jsonl"]]) {
        assert.equal(await withoutAudit(() => undefined, files), undefined, files.join());
        assert.deepEqual([existsSync(at("shared/audit.jsonl")), readdirSync(at("data")).length], [false, 2]);
      }
    });

    it("keeps what is another split as well", async () => {
      const { evaluation, ...rest } = testProject();
      const splits = { ...evaluation.splits, audit: evaluation.splits.selection };
      const project = { ...rest, evaluation: { ...evaluation, splits } };
      assert.deepEqual(await withheldFiles(repository, made.commit(), project, ["train"]), []);
    });
  });

  const isInvalid = (pattern: RegExp) => (e: unknown) =>
    HarnessError.is(e, "projectInvalid") && pattern.test(e.message);
  const declared = async (files: string[]): Promise<unknown> =>
    evaluationEntries(repository, made.commit(), testProject({ files }));

  it("refuses links that leave the repository, what is missing, and submodules", async () => {
    await assert.rejects(declared(["nothing"]), isInvalid(/^The evaluation file nothing does not exist/));
    await assert.rejects(declared(["eval/*.py"]), isInvalid(/eval\/\*\.py does not exist in this version/));
    symlinkSync("/etc", join(made.root, "eval/out"));
    await assert.rejects(declared(["eval"]), isInvalid(/holds eval\/out, which is a link that leads out/));
    await assert.rejects(declared(["eval/out"]), isInvalid(/eval\/out is a link that leads out/));
    rmSync(join(made.root, "eval/out"));
    symlinkSync("..", join(made.root, "eval/loop"));
    symlinkSync("nowhere", join(made.root, "dangling"));
    await declared(["eval"]);
    await assert.rejects(
      declared(["dangling"]),
      isInvalid(/dangling is a link that leads out .* or nowhere/),
    );
    made.git("update-index", "--add", "--cacheinfo", `160000,${made.git("rev-parse", "HEAD")},eval/judge`);
    made.git("commit", "--quiet", "-m", "submodule");
    const commit = made.git("rev-parse", "HEAD");
    await assert.rejects(
      evaluationEntries(repository, commit, testProject()),
      isInvalid(/needs the submodule eval\/judge, whose files no version holds/),
    );
  });
});
