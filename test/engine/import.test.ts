import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { fixtureSet } from "../support/evidence/import.ts";
import { evotrainer } from "./cli.ts";
import { answer, ImportReport, Page, Status, verlSample } from "./importAnswers.ts";
import { makeToyProject } from "./toyProject.ts";

describe("import", function () {
  this.timeout(60_000);
  let cwd = "";
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), "evo-import-"));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (name: string, ...lines: string[]): string => {
    writeFileSync(join(cwd, name), lines.join(""));
    return name;
  };
  const bring = (code: number, ...args: string[]): z.infer<typeof ImportReport> =>
    answer(ImportReport, evotrainer(cwd, "--json", "import", ...args), code);

  it("works in any folder, stores every record once, and makes git ignore its files", () => {
    write("1.jsonl", verlSample(), verlSample({ score: 0 }));
    assert.equal(bring(0, "1.jsonl").rollouts, 2);
    assert.equal(readFileSync(join(cwd, ".evotrainer", ".gitignore"), "utf8"), "*\n");
    assert.deepEqual(bring(0, "1.jsonl").files, { read: 0, unchanged: 1, unrecognised: 0, refused: 0 });
    appendFileSync(join(cwd, "1.jsonl"), `${verlSample()}{"input": "torn`);
    assert.equal(bring(0, "1.jsonl").rollouts, 1);
    assert.match(evotrainer(cwd, "import", "1.jsonl").stdout, /The last line is not complete[^]*bytes wait/);
  });

  it("reads unrecognised files as the user says, and otherwise lists the known formats", () => {
    write("odd.jsonl", `{"custom": 1}\n`, verlSample());
    const left = bring(1, "odd.jsonl");
    assert.deepEqual([left.rollouts, left.files.unrecognised], [0, 1]);
    const read = bring(1, "odd.jsonl", "--as", "verl");
    assert.deepEqual([read.rollouts, read.problems.map((p) => p.line)], [1, [1]]);
    const { code, stderr } = evotrainer(cwd, "import", "odd.jsonl", "--as", "verll");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^There is no format verll; there are: evotrainer, verl, trl, .*openevolve.*evidence\.yaml\)\.\n$/,
    );
  });

  it("decides by --pass-when what the source leaves open, even later, and points at errors in the condition", () => {
    write("1.jsonl", verlSample(), verlSample({ score: 0.5 }), verlSample({ score: null }));
    bring(0, "1.jsonl");
    write("nan.jsonl", verlSample().replace('"score":1', '"score":NaN'));
    assert.match(
      evotrainer(cwd, "import", "nan.jsonl").stdout,
      /1 value that was NaN or Infinity and is now null\./,
    );
    assert.equal(evotrainer(cwd, "archive", "forget", "nan").code, 0);
    const again = bring(0, "1.jsonl", "--pass-when", "reward >= 1.0");
    assert.equal(again.rollouts, 3);
    const { total, pass, fail, unknown } = answer(Page, evotrainer(cwd, "--json", "rollouts"), 0);
    assert.deepEqual([total, pass, fail, unknown], [3, 1, 1, 1]);
    const wrong = evotrainer(cwd, "import", "1.jsonl", "--pass-when", "rewrd >= 1.0");
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.stderr,
      /Unknown variable: rewrd\. Did you mean reward\?\n {2}rewrd >= 1\.0\n {2}\^{5}\n$/,
    );
    // verl's own name for it.
    assert.match(
      evotrainer(cwd, "import", "1.jsonl", "--pass-when", "score >= 1").stderr,
      /Unknown variable: score\.[^]*is called `reward` here, and a number beside it `components\.score`/,
    );
  });

  it("has nothing to show for a folder without evidence, and reports a missing path", () => {
    write("notes.txt", "hello\n");
    const ran = evotrainer(cwd, "import", ".");
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /notes\.txt: it is in no known format/);
    const gone = evotrainer(cwd, "import", "gone.jsonl");
    assert.deepEqual([gone.code, gone.stdout], [2, ""]);
    assert.match(gone.stderr, /^There is no file or folder .*gone\.jsonl\.\n$/);
  });

  it("makes an archive that can be viewed, trimmed, forgotten in parts, compacted and rebuilt", () => {
    write("1.jsonl", verlSample(), verlSample());
    write("2.jsonl", verlSample({ step: 2 }));
    bring(0, "1.jsonl", "--version", "a", "--run", "first");
    bring(0, "2.jsonl", "--version", "b", "--run", "second");
    const status = (): unknown =>
      answer(Status, evotrainer(cwd, "--json", "archive", "status"), 0).versions.map((v) => [
        v.version,
        v.rollouts,
        v.trimmedTurns,
      ]);
    assert.deepEqual(status(), [
      ["a", 2, 0],
      ["b", 1, 0],
    ]);
    const done = (code: number, ...args: string[]): unknown =>
      answer(z.looseObject({}), evotrainer(cwd, "--json", "archive", ...args), code);
    done(0, "trim", "a");
    assert.deepEqual(status(), [
      ["a", 2, 4],
      ["b", 1, 0],
    ]);
    done(0, "forget", "b");
    assert.deepEqual(status(), [["a", 2, 4]]);
    done(0, "compact");
    done(0, "rebuild");
    assert.deepEqual(status(), [["a", 2, 0]], "the text is back, and what was forgotten is not");
    assert.ok(existsSync(join(cwd, "2.jsonl")), "the files are not touched");
    assert.equal(evotrainer(cwd, "archive", "forget").code, 2);
  });

  it("reads --version as a question about the release only when no command comes before it", () => {
    const { code, stdout } = evotrainer(cwd, "--version");
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal(evotrainer(cwd, "-V").stdout, stdout);
    write("1.jsonl", verlSample());
    assert.deepEqual(
      bring(0, "1.jsonl", "--version", "mine").runs.map((r) => r.version),
      ["mine"],
    );
  });

  it("writes the lineages of other tools into a project's git repository", function () {
    const path = fixtureSet(this, "lineage_aide_journal");
    const root = makeToyProject();
    try {
      const report = answer(ImportReport, evotrainer(root, "--json", "import", path), 0);
      assert.deepEqual(
        report.lineages.map((l) => [l.format, l.versionsAdded]),
        [
          ["aide", 10],
          ["aide", 1],
        ],
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
