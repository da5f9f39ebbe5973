import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EvolutionReport } from "../../shared/report/evolutionReport.ts";
import { crateProblems } from "../support/report/crateProblems.ts";
import { evotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

const champion = "v2-linear-shape";

describe("export", function () {
  this.timeout(300_000);
  let root = "";
  let folder = "";
  before(() => {
    root = makeEvolvedProject();
    folder = mkdtempSync(join(tmpdir(), "evo-export-"));
  });
  after(() => {
    for (const made of [root, folder]) rmSync(made, { recursive: true, force: true });
  });
  const reportOf = (...args: string[]): EvolutionReport => {
    const { code, stdout, stderr } = evotrainer(root, "export", "--format", "json", ...args);
    assert.equal(code, 0, stderr);
    return EvolutionReport.parse(JSON.parse(stdout));
  };

  it("has every decision with its interval, the selections, the opened split, answers, costs and evidence", () => {
    const report = reportOf();
    assert.deepEqual(
      report.versions.map(({ decisions }) => decisions.at(-1)?.decision),
      ["base", "keep", "keep", "reject", "reject", "invalid"],
    );
    const kept = report.versions.find(({ name }) => name === champion);
    const [decision] = kept?.decisions ?? [];
    assert.deepEqual(
      [decision?.confidence, decision?.candidates, decision?.comparison?.verdict],
      [0.95, 3, "improved"],
    );
    assert.equal(report.selection.looks, report.selection.comparisons.length);
    assert.ok(report.selection.looks >= 5);
    assert.deepEqual(
      report.sealed.filter(({ what }) => what === "promoted").map(({ version }) => version),
      [champion],
    );
    assert.deepEqual(
      kept?.approvals.map(({ gate, answer }) => [gate, answer]),
      [
        ["design", "approve"],
        ["completion", "approve"],
      ],
    );
    assert.ok(report.costs.jobs >= 6 && report.costs.seconds > 0);
    assert.ok(report.evidence.some(({ run, files }) => run === `${champion}.train.s1` && files.length > 0));
    assert.deepEqual(
      report.proposers.map(({ proposer, proposed, kept: n, invalid }) => [proposer, proposed, n, invalid]),
      [["search", 4, 1, 1]],
    );
    assert.deepEqual(report.warnings, [], "three seeds of each kept version");
  });

  it("writes one HTML file, and never over another one unasked", () => {
    const path = join(folder, "report.html");
    assert.equal(evotrainer(root, "export", "--out", path).code, 0);
    assert.match(readFileSync(path, "utf8"), /<h1>Evolution of toy<\/h1>/);
    writeFileSync(path, "mine");
    const again = evotrainer(root, "export", "--out", path);
    assert.equal(again.code, 2);
    assert.match(
      again.stderr,
      /report\.html exists already; give another name with --out, or replace it with --force/,
    );
    assert.equal(readFileSync(path, "utf8"), "mine");
    assert.equal(evotrainer(root, "export", "--out", path, "--force").code, 0);
    assert.notEqual(readFileSync(path, "utf8"), "mine");
  });

  it("writes a valid RO-Crate with the evidence as it was closed, and without that of the audit split", () => {
    const runs = join(root, ".evotrainer/runs");
    // What is written later is not what the decisions rest on; what was changed cannot be copied.
    appendFileSync(join(runs, `${champion}.train.s1/rollouts.jsonl`), "later\n");
    writeFileSync(join(runs, "v3-bonus.train.s1/rollouts.jsonl"), "changed\n");
    const crate = join(folder, "crate");
    const ran = evotrainer(root, "export", "--format", "ro-crate", "--with-evidence", "--out", crate);
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(readdirSync(crate).sort(), [
      "evidence",
      "report.html",
      "report.json",
      "ro-crate-metadata.json",
    ]);
    assert.deepEqual(
      crateProblems(JSON.parse(readFileSync(join(crate, "ro-crate-metadata.json"), "utf8"))),
      [],
    );
    const report = EvolutionReport.parse(JSON.parse(readFileSync(join(crate, "report.json"), "utf8")));
    const copies = report.evidence.flatMap(({ files }) => files.filter(({ copy }) => copy !== null));
    assert.ok(copies.length > 0);
    for (const { copy, sha256 } of copies) {
      const bytes = readFileSync(join(crate, copy ?? ""));
      assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256);
    }
    assert.ok(copies.every(({ copy }) => !copy?.includes(".audit.")));
    assert.match(
      report.warnings.join("\n"),
      /v3-bonus\.train\.s1\/rollouts\.jsonl is not what it was when its job had ended/,
    );
    assert.ok(!existsSync(join(crate, "evidence/v3-bonus.train.s1/rollouts.jsonl")));
    const full = evotrainer(root, "export", "--format", "ro-crate", "--out", crate);
    assert.equal(full.code, 2);
    assert.match(full.stderr, /crate is not empty; name a new folder with --out/);
  });

  for (const [args, says] of [
    [["--with-evidence"], /--with-evidence is for a folder; add --format ro-crate/],
    [["--out", "."], /is not a file; give a file name with --out/],
    [["--domain", "nowhere"], /no domain "nowhere"/],
  ] as const)
    it(`refuses ${args.join(" ")} with what to do`, () => {
      const ran = evotrainer(root, "export", ...args);
      assert.notEqual(ran.code, 0);
      assert.match(ran.stderr, says);
    });
});
