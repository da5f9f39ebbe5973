import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { fuzzRuns } from "../../../../test/support/base/fuzz.ts";
import { HarnessError } from "../../base/errors.ts";
import { applyPatch } from "./applyPatch.ts";
import { readPatch } from "./readPatch.ts";

const file = "def score(x):\n    if x:\n        return 1.0\n    return 0.0\n";
const head = "--- a/reward/score.py\n+++ b/reward/score.py\n";
const good = `diff --git a/reward/score.py b/reward/score.py
index 1111111..2222222 100644
${head}@@ -1,4 +1,4 @@ def score(x):
 def score(x):
     if x:
-        return 1.0
+        return 0.5
     return 0.0
`;
const changed = file.replace("1.0", "0.5");

/** The files of a patch after it, by path; `texts` are those before. */
function outcome(patch: string, texts: Readonly<Record<string, string>> = { "reward/score.py": file }) {
  return Object.fromEntries(
    readPatch(patch).map((part) => [part.path, applyPatch(part, texts[part.path] ?? null)]),
  );
}

const refusal = (patch: string, texts?: Readonly<Record<string, string>>): string => {
  try {
    return `applied: ${JSON.stringify(outcome(patch, texts))}`;
  } catch (e) {
    assert.ok(HarnessError.is(e, "badInput"), String(e));
    return e.message;
  }
};

describe("a patch that applies", () => {
  const cases: Readonly<Record<string, readonly [patch: string, expected: Record<string, string | null>]>> = {
    "as git writes it": [good, { "reward/score.py": changed }],
    "as diff -u writes it": [
      good.replace(/^diff.*\nindex.*\n/, "").replaceAll(/(score\.py)$/gm, "$1\t2026-01-01 00:00:00"),
      { "reward/score.py": changed },
    ],
    "with names that have no prefixes": [
      good.replace(/^diff.*\nindex.*\n/, "").replaceAll(/(?<=[-+] )[ab]\//g, ""),
      { "reward/score.py": changed },
    ],
    "with empty lines for empty lines of context": [
      `${head}@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n`,
      { "reward/score.py": "a\n\nc\n" },
    ],
    "at another line, if its lines are in one place": [
      good.replace("@@ -1,4 +1,4 @@", "@@ -40,4 +40,4 @@"),
      { "reward/score.py": changed },
    ],
    "that adds a file": [
      "--- /dev/null\n+++ b/reward/new.py\n@@ -0,0 +1,2 @@\n+a = 1\n+b = 2\n",
      { "reward/new.py": "a = 1\nb = 2\n" },
    ],
    "that adds an empty file": [
      "diff --git a/reward/__init__.py b/reward/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n",
      { "reward/__init__.py": "" },
    ],
    "that removes a file": [
      `diff --git a/reward/score.py b/reward/score.py\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/reward/score.py\n+++ /dev/null\n@@ -1,4 +0,0 @@\n${file.replaceAll(/^/gm, "-").slice(0, -1)}`,
      { "reward/score.py": null },
    ],
    "that ends a file without a line end": [
      `${head}@@ -4 +4 @@\n-    return 0.0\n+    return 0.0\n\\ No newline at end of file\n`,
      { "reward/score.py": file.slice(0, -1) },
    ],
    "of several files": [
      `${good}--- /dev/null\n+++ b/reward/more.py\n@@ -0,0 +1 @@\n+c = 3\n`,
      { "reward/score.py": changed, "reward/more.py": "c = 3\n" },
    ],
    "whose removed lines look like headers": [
      "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n y\n",
      { "notes.md": "++ b/x\ny\n" },
    ],
  };
  const texts: Readonly<Record<string, Record<string, string>>> = {
    "with empty lines for empty lines of context": { "reward/score.py": "a\n\nb\n" },
    "whose removed lines look like headers": { "notes.md": "-- a/x\ny\n" },
  };
  for (const [name, [patch, expected]] of Object.entries(cases))
    it(`is one ${name}`, () => assert.deepEqual(outcome(patch, texts[name]), expected));
});

describe("a patch that is refused says why", () => {
  const cases: Readonly<Record<string, readonly [patch: string, why: RegExp]>> = {
    "other lines than the file's": [
      good.replace("     if x:", "     if y:"),
      /^The patch does not apply: in reward\/score\.py hunk 1 \(line 5 of the patch\) expects " {4}if y:" at line 2, but the file has " {4}if x:"\. Write the patch against the parent's file\.$/,
    ],
    "lines behind the end": [
      `${head}@@ -9 +9 @@\n-nowhere\n+x\n`,
      /expects "nowhere" at line 9, but the file has 4 lines/,
    ],
    "lines that are in several places": [
      `${head}@@ -7 +7 @@\n-a\n+b\n`,
      /hunk 1 .* does not fit at line 7, and its lines are in 2 other places/,
    ],
    "no context": [`${head}@@ -2,0 +3 @@\n+x\n`, /gives no line of the file, .* Give some lines of context/],
    "hunks in the wrong order": [
      `${head}@@ -3 +3 @@\n-        return 1.0\n+        return 2.0\n@@ -1 +1 @@\n-def score(x):\n+def score(y):\n`,
      /hunk 2 .*does not apply|does not apply: in reward\/score\.py hunk 2/,
    ],
    "too few lines": [
      `${head}@@ -1,4 +1,4 @@\n def score(x):\n`,
      /ends after 1 old and 1 new lines, but its header counts 4 and 4/,
    ],
    "more lines than counted": [
      good.replace("-1,4 +1,4", "-1,3 +1,3"),
      /comes after hunk 1 of reward\/score\.py has all the lines that its header counts/,
    ],
    "a header that is no header": [`${head}@@ -x +y @@\n-a\n+b\n`, /should say where hunk 1/],
    "prose between its lines": [
      good.replace("diff --git", "Here is the patch:\ndiff --git"),
      /Line 1 of the patch/,
    ],
    "no diff at all": ["return 1.0\n", /Line 1 of the patch does not begin a file/],
    nothing: ["\n\n", /The patch is empty/],
    "no change": [`${head}@@ -1 +1 @@\n-def score(x):\n+def score(x):\n`, /changes nothing/],
    "a file twice": [good + good, /changes reward\/score\.py in two places/],
    "the mode": [
      "diff --git a/reward/score.py b/reward/score.py\nold mode 100644\nnew mode 100755\n",
      /^The patch changes the mode of reward\/score\.py; a patch changes lines only\.$/,
    ],
    "the mode after the names": [
      `${head}new mode 120000\n@@ -1 +1 @@\n-a\n+A\n`,
      /Line 3 of the patch is not one of a unified diff/,
    ],
    "an executable file": [
      "diff --git a/reward/x.py b/reward/x.py\nnew file mode 100755\n--- /dev/null\n+++ b/reward/x.py\n@@ -0,0 +1 @@\n+a\n",
      /adds reward\/x\.py with mode 100755/,
    ],
    "a symbolic link": [
      "diff --git a/reward/l b/reward/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/reward/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
      /^In the patch, reward\/l is a symbolic link; a patch changes regular files only\.$/,
    ],
    "a link that is changed": [
      "diff --git a/reward/l b/reward/l\nindex 1de5659..2de5659 120000\n--- a/reward/l\n+++ b/reward/l\n@@ -1 +1 @@\n-a\n+b\n",
      /reward\/l is a symbolic link/,
    ],
    "a submodule": [
      "diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n@@ -1 +1 @@\n-Subproject commit 1111111\n+Subproject commit 2222222\n",
      /^In the patch, lib is a submodule; a patch changes regular files only\.$/,
    ],
    "a rename": [
      "diff --git a/reward/score.py b/other/score.py\nsimilarity index 100%\nrename from reward/score.py\nrename to ../score.py\n",
      /^The patch renames reward\/score\.py to \.\.\/score\.py; write it as one file that is removed and one that is added/,
    ],
    "a rename by its names": [
      "--- a/reward/score.py\n+++ b/reward/other.py\n@@ -1 +1 @@\n-a\n+b\n",
      /renames reward\/score\.py to reward\/other\.py/,
    ],
    "two names that disagree": [
      good.replace("diff --git a/reward/score.py b/reward/score.py", "diff --git a/secret b/secret"),
      /names reward\/score\.py below the line diff --git "a\/secret b\/secret"/,
    ],
    "a binary file": [
      "diff --git a/reward/w.bin b/reward/w.bin\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzAOHXW\n",
      /changes reward\/w\.bin as a binary file/,
    ],
    "a binary file in words": [
      "diff --git a/reward/w.bin b/reward/w.bin\nindex 1..2 100644\nBinary files a/reward/w.bin and b/reward/w.bin differ\n",
      /changes reward\/w\.bin as a binary file/,
    ],
    "a zero byte": [good.replace("0.5", "0\0"), /holds a zero byte/],
    "Windows line ends": [good.replaceAll("\n", "\r\n"), /has Windows line ends \(CRLF\); save it with LF/],
    "added Windows line ends": [
      good.replace("return 0.5\n", "return 0.5\r\n"),
      /^The change adds Windows line ends \(CRLF\) to reward\/score\.py; end its lines with LF\.$/,
    ],
    "a lone carriage return": [good.replace("return 0.5", "return 0.5\r#"), /adds Windows line ends/],
    "an absolute path": [
      "--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1 @@\n+a\n",
      /names "\/etc\/cron\.d\/x", which is not a file inside the project/,
    ],
    "a path that leaves the project": [
      "--- /dev/null\n+++ b/reward/../../x\n@@ -0,0 +1 @@\n+a\n",
      /names "reward\/\.\.\/\.\.\/x", which is not a file inside the project/,
    ],
    "a path with a back slash": [
      "--- /dev/null\n+++ b/reward\\..\\x\n@@ -0,0 +1 @@\n+a\n",
      /not a file inside/,
    ],
    "a path with a drive": ["--- /dev/null\n+++ C:/x\n@@ -0,0 +1 @@\n+a\n", /not a file inside/],
    "a name that ends in a space": [
      "--- a/reward/score.py \n+++ b/reward/score.py \n@@ -1 +1 @@\n-a\n+b\n",
      /not a file inside/,
    ],
    "a name in quotes": ['--- "a/reward/\\303\\244.py"\n+++ "b/reward/\\303\\244.py"\n', /in quotes/],
    "an added file that is there": [
      "--- /dev/null\n+++ b/reward/score.py\n@@ -0,0 +1 @@\n+a\n",
      /adds reward\/score\.py, but the parent has that file already/,
    ],
    "a file that is not there": [
      good.replaceAll("score.py", "other.py"),
      /changes reward\/other\.py, which the parent does not have/,
    ],
    "a removed file with lines left": [
      "--- a/reward/score.py\n+++ /dev/null\n@@ -4 +3,0 @@\n-    return 0.0\n",
      /removes reward\/score\.py, but leaves lines of it/,
    ],
    "a line without an end in the middle": [
      `${head}@@ -1 +1 @@\n-def score(x):\n+def score(y):\n\\ No newline at end of file\n`,
      /ends line 1 of reward\/score\.py without a line end/,
    ],
  };
  const texts: Readonly<Record<string, Record<string, string>>> = {
    "lines that are in several places": { "reward/score.py": "a\nx\na\n" },
  };
  for (const [name, [patch, why]] of Object.entries(cases))
    it(`for ${name}`, () => assert.match(refusal(patch, texts[name]), why));

  it("for a file whose lines all end with CRLF", () => {
    const windows = { "reward/score.py": file.replaceAll("\n", "\r\n") };
    assert.match(
      refusal(good, windows),
      /differs at line 1 in the line end only: the file has a Windows line end \(CRLF\), the patch LF/,
    );
    const body = good.replaceAll(/^([ -].*)$/gm, "$1\r").replaceAll(/^(---.*)\r$/gm, "$1");
    assert.match(refusal(body, windows), /adds lines without Windows line ends to reward\/score\.py/);
  });
});

describe("what git writes", () => {
  let root = "";
  before(() => (root = mkdtempSync(join(tmpdir(), "evo-patch-"))));
  after(() => rmSync(root, { recursive: true, force: true }));

  it("is applied to what git says, for any two texts", () => {
    const text = fc.array(fc.constantFrom("a", "b", "", " ", "-- x", "++ y", "@@ -1 +1 @@", "\\ No"), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(text, text, fc.boolean(), fc.boolean(), (before, after, e1, e2) => {
        const [one, two] = [before.join("\n") + (e1 ? "\n" : ""), after.join("\n") + (e2 ? "\n" : "")];
        if (one === two) return;
        writeFileSync(join(root, "one"), one);
        writeFileSync(join(root, "two"), two);
        let patch = "";
        try {
          execFileSync("git", ["diff", "--no-index", "--no-color", "one", "two"], {
            cwd: root,
            encoding: "utf8",
          });
        } catch (e) {
          patch = String((e as { stdout: unknown }).stdout);
        }
        const named = patch
          .replace(/^diff --git .*$/m, "diff --git a/f b/f")
          .replace(/^--- a\/one$/m, "--- a/f")
          .replace(/^\+\+\+ b\/two$/m, "+++ b/f");
        const [part] = readPatch(named);
        assert.ok(part);
        assert.equal(applyPatch(part, one), two);
        assert.equal(readFileSync(join(root, "two"), "utf8"), two);
      }),
      { numRuns: Math.min(60, fuzzRuns()) },
    );
  });

  it("or anything else never makes the reader throw anything but a refusal", () => {
    const line = fc.constantFrom(
      ...good.split("\n"),
      "rename from a",
      "GIT binary patch",
      "\\ No newline at end of file",
      "@@ -0,0 +1 @@",
      "--- /dev/null",
      "+++ /dev/null",
      "+",
      "-",
      "\r",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        assert.equal(typeof refusal(lines.join("\n")), "string");
      }),
      { numRuns: fuzzRuns() },
    );
  });
});
