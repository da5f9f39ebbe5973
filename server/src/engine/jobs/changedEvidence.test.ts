import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTestRepository, type TestRepository } from "../../../../test/support/lineage/repository.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { openRepository, statePath, type Repository } from "../../lineage/repository.ts";
import { closeRun } from "../../runner/job/closeRun.ts";
import { changedEvidence, changedEvidenceOf } from "./changedEvidence.ts";

describe("what became of the evidence of closed runs", function () {
  this.timeout(60_000);
  let made: TestRepository;
  let repository: Repository;
  const run = "v1.train.s1";
  const file = (name: string): string => statePath(repository, "runs", run, name);
  beforeEach(async () => {
    made = makeTestRepository({ "a.txt": "a\n" });
    repository = await openRepository(made.root);
    mkdirSync(file(""), { recursive: true });
    for (const name of ["rollouts.jsonl", "gpu.jsonl"]) writeFileSync(file(name), "one line\n");
    await closeRun({ repository, domain: "swe", version: "v1", run, directory: file("") });
  });
  afterEach(() => made.dispose());
  const told = async (): Promise<string> => {
    const sentences = await changedEvidence(made.root, openLedger(repository));
    assert.equal(
      await changedEvidenceOf(made.root, run),
      sentences.length === 0 ? undefined : sentences.join(" "),
    );
    assert.deepEqual(await changedEvidence(made.root), sentences);
    return sentences.join("\n");
  };

  const cases: readonly (readonly [string, () => void, RegExp])[] = [
    ["nothing happened", () => undefined, /^$/],
    ["the keeper wrote a last line about GPUs", () => appendFileSync(file("gpu.jsonl"), "more\n"), /^$/],
    ["a file is gone", () => rmSync(file("rollouts.jsonl")), /^$/],
    [
      "a file grew",
      () => appendFileSync(file("rollouts.jsonl"), "more\n"),
      /omething added 5 bytes to rollouts\.jsonl of the run v1\.train\.s1 after its job had ended\. .* cut the file back to 9 bytes/,
    ],
    [
      "a file was cut",
      () => writeFileSync(file("rollouts.jsonl"), "one\n"),
      /omething changed rollouts\.jsonl/,
    ],
    [
      "a file of the same size is another",
      () => writeFileSync(file("rollouts.jsonl"), "two line\n"),
      /omething changed rollouts\.jsonl/,
    ],
    [
      "what the GPUs did was changed",
      () => writeFileSync(file("gpu.jsonl"), "ONE LINE\n"),
      /omething changed gpu\.jsonl/,
    ],
    [
      "a file came later",
      () => writeFileSync(file("metrics.jsonl"), "more\n"),
      /omething added 5 bytes to metrics\.jsonl of .* delete the file/,
    ],
  ];
  for (const [title, happen, expected] of cases)
    it(`says ${expected.source === "^$" ? "nothing" : "so"} when ${title}`, async () => {
      happen();
      assert.match(await told(), expected);
    });

  it("says nothing of a copy of the project, whose files it reads once", async () => {
    const text = readFileSync(file("rollouts.jsonl"));
    rmSync(file("rollouts.jsonl"));
    writeFileSync(file("rollouts.jsonl"), text);
    const stamps = join(made.root, ".evotrainer/records/runs", run, "stamps.json");
    assert.ok(!existsSync(stamps));
    assert.equal(await told(), "");
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(stamps, "utf8")) as object), ["rollouts.jsonl"]);
    appendFileSync(file("rollouts.jsonl"), "x");
    assert.match(await told(), /added 1 byte to/);
  });

  it("says nothing of runs that were never closed", async () => {
    cpSync(file(""), statePath(repository, "runs", "v2.train.s1"), { recursive: true });
    appendFileSync(statePath(repository, "runs", "v2.train.s1", "rollouts.jsonl"), "more\n");
    assert.equal(await told(), "");
  });
});
