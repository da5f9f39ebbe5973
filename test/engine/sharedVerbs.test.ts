import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sharedVerb } from "../support/commands/sharedVerbs.ts";
import { evotrainer, evotrainerAlone } from "./cli.ts";
import { makeProjectAfterOne } from "./finishedProject.ts";
import { verlSample } from "./importAnswers.ts";

/** Each verb that tests run in a shared process, and some that are badly asked. */
const lines: readonly (readonly string[])[] = [
  ["check"],
  ["--json", "lineage"],
  ["lineage", "nobody"],
  ["diagnose", "v1"],
  ["diagnose", "--with", "gone.yaml"],
  ["rollouts", "v1"],
  ["compare", "v1", "v2"],
  ["compare", "--nothing"],
  ["gaps", "v1"],
  ["backtest", "harness/diagnostics/leak.diagnostic.yaml", "--against", "all"],
  ["curriculum", "v1"],
  ["review"],
  ["replay"],
  ["cases", "v1"],
  ["budget"],
  ["jobs"],
  ["import", "evidence.jsonl", "--version", "old"],
  ["propose", "--intervention", "nothing"],
  ["review", "nobody", "approve"],
  ["revert", "nobody", "--comment", "x"],
  ["label", "queue", "v1"],
  ["hint"],
  ["skills"],
  ["items"],
  ["init", "--command", "x"],
];

describe("verbs that tests run in a process that has started already", function () {
  this.timeout(240_000);
  let root = "";
  before(() => {
    root = makeProjectAfterOne();
    writeFileSync(join(root, "evidence.jsonl"), verlSample() + verlSample({ score: 0 }));
    // Both say of it that it was imported before.
    assert.equal(evotrainerAlone(root, "import", "evidence.jsonl", "--version", "old").code, 0);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  for (const words of lines)
    it(`evotrainer ${words.join(" ")}: say the same as in a process that ends`, () => {
      const alone = evotrainerAlone(root, ...words);
      assert.deepEqual(sharedVerb(root, words), alone);
      assert.notEqual(alone.stdout + alone.stderr, "");
    });

  it("find what was changed since they last looked", () => {
    const spec = join(root, "harness/diagnostics/late.diagnostic.yaml");
    const said = (): string => evotrainer(root, "check").stdout;
    const before = said();
    writeFileSync(
      spec,
      "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: late\nlabel: { when: rewrd < 1.0 }\n",
    );
    assert.match(said(), /late\.diagnostic\.yaml:4:\d+: error: .*rewrd/);
    rmSync(spec);
    assert.equal(said(), before);
  });

  it("have another process where the environment is another", () => {
    const [before, where] = [process.env["PATH"], join(root, "nowhere")];
    try {
      process.env["PATH"] = where;
      assert.match(sharedVerb(root, ["lineage"])?.stderr ?? "", /git/);
    } finally {
      process.env["PATH"] = before;
    }
    assert.equal(sharedVerb(root, ["lineage"])?.code, 0);
  });

  it("are none that start jobs or keep keys", () => {
    for (const words of [["evolve"], ["trust"], ["promote", "v2"], ["--help"], []])
      assert.equal(sharedVerb(root, words), undefined, words.join(" "));
    assert.ok(existsSync(root));
  });
});
