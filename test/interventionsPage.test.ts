import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkSpecs } from "../server/src/language/checks/checkSpecs.ts";
import { loadProject } from "../server/src/project/project.ts";
import { workTree } from "../server/src/project/source.ts";
import { titleOf } from "../server/src/proposals/difference/difference.ts";
import { draftOf } from "../server/src/proposals/draft.ts";

const page = readFileSync(new URL("../docs/interventions.md", import.meta.url), "utf8");

/** The examples of the page that are whole files: their first line is a comment with the path. */
const files = new Map(
  [...page.matchAll(/^```(?:yaml|python)\n# (\S+)\n([^]*?)^```$/gm)].map(([, path = "", text = ""]) => [
    path,
    path.endsWith(".py") ? `# ${path}\n${text}` : text,
  ]),
);
const around: Readonly<Record<string, string>> = {
  "harness/train.yaml": "temperature: 1.0\nnum_generations: 8\nlearning_rate: 1.0e-6\nloss: grpo\n",
  "prompts/system.txt": "Answer.\n",
  "grade.py": "right = 1\n",
  "data/train.jsonl": '{"id":"t"}\n',
  "data/selection.jsonl": '{"id":"s"}\n',
  "data/audit.jsonl": '{"id":"a"}\n',
};

describe("the examples of the page on interventions", () => {
  let root = "";
  before(() => {
    root = mkdtempSync(join(tmpdir(), "evo-page-"));
    for (const [path, text] of [...files, ...Object.entries(around)]) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("are a project in which nothing is wrong", async () => {
    assert.ok(files.has("evotrainer.yaml") && files.size >= 5);
    assert.deepEqual(await checkSpecs(root), []);
  });

  it("become the drafts that the page says", async () => {
    const parent = workTree(root);
    const project = await loadProject(parent);
    const titles: Record<string, string> = {};
    for (const { spec } of project.interventions) {
      const drafted = await draftOf(
        { spec, because: "x", finding: null },
        { parent, declared: project.spec },
      );
      assert.equal(drafted.type, "sound", JSON.stringify(drafted));
      titles[spec.name] = titleOf(drafted.draft.files);
    }
    assert.deepEqual(titles, {
      "faster-learning": "learning_rate: 0.000001 → 0.00001",
      "partial-credit": "reward/score.py: +2 -0 lines (score)",
      warmer: "temperature: 1 → 1.2",
    });
    for (const said of ["`reward/score.py: +2 -0 lines (score)`", "`1.0e-5`"]) assert.ok(page.includes(said));
  });
});
