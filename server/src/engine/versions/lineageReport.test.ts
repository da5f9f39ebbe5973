import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LineageReport } from "../../../../shared/ledger/lineage.ts";
import { HarnessError } from "../../base/errors.ts";
import { importLineages } from "../../lineage/importing/importLineage.ts";
import { openRepository } from "../../lineage/repository.ts";
import { makeTestRepository } from "../../../../test/support/lineage/repository.ts";
import { readLineageReport } from "./lineageReport.ts";

const example = join(import.meta.dirname, "../../../../examples/swe-gym/template/evotrainer.yaml");

describe("readLineageReport", () => {
  const project = makeTestRepository({ "evotrainer.yaml": readFileSync(example, "utf8") });
  after(() => project.dispose());

  it("shows an imported lineage if its domain is given, and otherwise the project's lineage", async () => {
    const log = join(project.root, "results.tsv");
    writeFileSync(
      log,
      "commit\tval_bpb\tstatus\tdescription\na\t1\tkeep\tbaseline\nb\t0\tcrash\tx\nc\t2\titerate\ty\n",
    );
    await importLineages(await openRepository(project.root), {
      paths: [log],
      domain: "log",
      ownDomain: "swe",
    });
    const report = LineageReport.parse(await readLineageReport(project.root, "log"));
    assert.deepEqual(
      report.versions.map((v) => [v.name, v.decision, v.measured?.value ?? null, v.failure]),
      [
        ["a", "base", 1, null],
        ["b", "reject", null, "crash"],
        ["c", "pending", 2, null],
      ],
    );
    assert.equal(report.versions[2]?.reason, '"iterate" is not a known decision. y');
    assert.deepEqual((await readLineageReport(project.root)).versions, []);
  });
  it("lists the existing domains when asked for an unknown one", () =>
    assert.rejects(
      readLineageReport(project.root, "logs"),
      (e: unknown) => HarnessError.is(e, "notFound") && /no domain "logs".*choose from .*log/.test(e.message),
    ));
});
