import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { interventionWith, sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { patchApplies } from "./patch-applies.ts";

const project = sampleProject["evotrainer.yaml"] ?? "";
const files = {
  ...sampleProject,
  "evotrainer.yaml": project.replace(
    /^surfaces:\n/m,
    'surfaces:\n  - { factor: reward, kind: text, files: ["reward/*.py"] }\n  - { factor: environment, kind: text, files: ["env/*.py"] }\n',
  ),
  "reward/score.py": "def score(x):\n    return 1.0\n",
  "env/tools.py": "a = 1\n",
};
const patch = (path: string, from: string, to: string): string =>
  `      --- a/${path}\n      +++ b/${path}\n      @@ -1,2 +1,2 @@\n       def score(x):\n      -    return ${from}\n      +    return ${to}\n`;
const check = (edits: string) =>
  checkMarked({
    kind: "intervention",
    text: interventionWith(edits, "reward"),
    rules: [patchApplies],
    files,
  });

describe("rule patch-applies", () => {
  it("accepts a patch that applies on its surface", () =>
    check(`  - patch: |\n${patch("reward/score.py", "1.0", "0.5")}`));
  it("accepts a patch that starts from what the one before it leaves", () =>
    check(
      `  - patch: |\n${patch("reward/score.py", "1.0", "0.5")}  - patch: |\n${patch("reward/score.py", "0.5", "0.2")}`,
    ));
  const wrong: Readonly<Record<string, readonly [body: string, says: string]>> = {
    "does not apply": [
      patch("reward/score.py", "2.0", "0.5"),
      'The patch does not apply: in reward/score.py hunk 1 (line 3 of the patch) expects "    return 2.0" at line 2, but the file has "    return 1.0".',
    ],
    "is of another factor": [
      "      --- a/env/tools.py\n      +++ b/env/tools.py\n      @@ -1 +1 @@\n      -a = 1\n      +a = 2\n",
      "env/tools.py belongs to environment, but",
    ],
    "leaves its surface": [
      patch("lib/score.py", "1.0", "0.5"),
      "lib/score.py is on no surface of the kind text",
    ],
    "changes a split": [
      patch("data/audit.jsonl", "1.0", "0.5"),
      "must stay as it is in the parent, because it belongs",
    ],
    "is no diff": ["      return 0.5\n", "Line 1 of the patch does not begin a file"],
  };
  for (const [name, [body, says]] of Object.entries(wrong))
    it(`refuses a patch that ${name}`, () =>
      check(`  - patch: |\n    ^^^^^ patch-applies: ${says}\n${body}`));
});
