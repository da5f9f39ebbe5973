import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sampleReport } from "../../../../test/support/report/sampleReport.ts";
import type { EvolutionReport } from "../../../../shared/report/evolutionReport.ts";
import { copyEvidence } from "./copyEvidence.ts";

type File = EvolutionReport["evidence"][number]["files"][number];

describe("evidence that goes with a report", () => {
  let root = "";
  let to = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-copy-"));
    to = join(root, "crate");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Writes a file of a run, and says of it what a ledger says. */
  const closed = (run: string, name: string, text: string): File => {
    const path = join(root, ".evotrainer/runs", run, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    return { name, bytes: Buffer.byteLength(text), sha256, copy: null };
  };
  const copied = async (run: string, ...files: File[]) => {
    const evidence = [{ at: "2026-01-02T03:04:05.000Z", version: "v1", run, files }];
    const report = await copyEvidence(root, { ...sampleReport("x"), evidence, warnings: [] }, to);
    const there = readdirSync(root, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(root, ".evotrainer")))
      .map((entry) => join(entry.parentPath, entry.name));
    return {
      there,
      warnings: report.warnings,
      copies: report.evidence.flatMap((e) => e.files.map((f) => f.copy)),
    };
  };

  it("is copied as it was when its run was closed, without what came later", async () => {
    const file = closed("v1.train.s1", "rollouts.jsonl", "one\n");
    appendFileSync(join(root, ".evotrainer/runs/v1.train.s1/rollouts.jsonl"), "two\n");
    const { there, warnings, copies } = await copied("v1.train.s1", file);
    assert.deepEqual(there, [join(to, "evidence/v1.train.s1/rollouts.jsonl")]);
    assert.equal(readFileSync(there[0] ?? "", "utf8"), "one\n");
    assert.deepEqual([warnings, copies], [[], ["evidence/v1.train.s1/rollouts.jsonl"]]);
  });

  it("is not copied if it was changed, and the report says so", async () => {
    const file = closed("v1.train.s1", "rollouts.jsonl", "one\n");
    closed("v1.train.s1", "rollouts.jsonl", "two\n");
    const { there, warnings, copies } = await copied("v1.train.s1", file);
    assert.deepEqual([there, copies], [[], [null]]);
    assert.match(warnings.join(), /is not what it was when its job had ended/);
  });

  it("stays where it is if it is of the audit split, whatever its run is called", async () => {
    for (const run of ["v1.audit.s1", "v1.train.s1.audit.s2.r3"]) {
      const { there, warnings } = await copied(run, closed(run, "rollouts.jsonl", "sealed\n"));
      assert.deepEqual(there, [], run);
      assert.match(warnings.join(), /The evidence of the audit split was not copied/);
    }
  });

  it("is nothing but evidence in the folder of a run, whatever the ledger says", async () => {
    for (const [run, name] of [
      ["v1.train.s1", "policy"],
      ["v1.train.s1", "../../records/key"],
      ["../v1.train.s1", "rollouts.jsonl"],
      ["a/../../../v1.train.s1", "rollouts.jsonl"],
      ["..\\v1.train.s1", "rollouts.jsonl"],
      ["v1", "rollouts.jsonl"],
    ] as const) {
      const { there, copies } = await copied(run, closed(run, name, "not for others\n"));
      assert.deepEqual(copies, [null], `${run} ${name}`);
      assert.deepEqual(
        there.filter((path) => path.startsWith(to)),
        [],
        `${run} ${name}`,
      );
    }
  });
});
