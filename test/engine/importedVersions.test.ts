import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";
import { answer, Status, verlSample } from "./importAnswers.ts";
import { makeToyProject } from "./toyProject.ts";

describe("evidence from elsewhere under the name of a version of the project", function () {
  this.timeout(180_000);
  const made: string[] = [];
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  const keep = (root: string): string => (made.push(root), root);
  /** Rollouts of another run that all passed, in the contract. */
  const forged = (root: string): string =>
    readFileSync(join(root, ".evotrainer/runs/v1.train.s1/rollouts.jsonl"), "utf8")
      .replaceAll('"run":"v1.train.s1"', '"run":"other"')
      .replaceAll('"outcome":"fail"', '"outcome":"pass"');

  it("is refused, in the contract and in a foreign format, and an archive that is made anew leaves it out", () => {
    const root = keep(makeEvolvedProject());
    const before = evotrainer(root, "compare", "v0", "v1").stdout;
    writeFileSync(join(root, "own.jsonl"), forged(root));
    writeFileSync(join(root, "verl.jsonl"), verlSample());
    for (const file of ["own.jsonl", "verl.jsonl"]) {
      const { code, stdout } = evotrainer(root, "import", file, "--version", "v1");
      assert.equal(code, 1, stdout);
      assert.match(
        stdout,
        /v1 is a version of this project, and only what its own jobs wrote counts for it; import the file as another version/,
      );
    }
    const path = join(root, "own.jsonl");
    appendFileSync(
      join(root, ".evotrainer/archive.sources.jsonl"),
      `${JSON.stringify({ path, kind: "rollouts", run: null, version: "v1" })}\n`,
    );
    const rebuilt = evotrainer(root, "archive", "rebuild");
    assert.match(rebuilt.stdout, /left out .*own\.jsonl: .*own\.jsonl is left out: v1 is a version/);
    assert.equal(evotrainer(root, "compare", "v0", "v1").stdout, before);
    assert.equal(evotrainer(root, "import", "own.jsonl", "--version", "mine").code, 0);
    assert.equal(evotrainer(root, "compare", "v0", "v1").stdout, before);
  });

  it("that was there first keeps the version from being trained, and the message says what to do", () => {
    const root = keep(makeToyProject());
    writeFileSync(join(root, "verl.jsonl"), verlSample());
    assert.equal(evotrainer(root, "import", "verl.jsonl", "--version", "v0").code, 0);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 2, ran.stderr);
    const [, command = ""] =
      /^v0 is not trained: the archive has .*verl\.jsonl, imported as .* Run `evotrainer (archive forget --run \S+)`, import the file/m.exec(
        ran.stderr,
      ) ?? assert.fail(ran.stderr);
    assert.equal(evotrainer(root, ...command.split(" ")).code, 0);
    const { versions } = answer(Status, evotrainer(root, "--json", "archive"), 0);
    assert.deepEqual(versions, []);
  });
});
