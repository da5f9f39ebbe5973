import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { lineageTool } from "../../server/src/assistant/lineageTool.ts";
import { lineagePages } from "../../server/src/language/lineage/lineagePages.ts";
import { readLineageOutline } from "../../server/src/engine/versions/lineageReport.ts";
import { evotrainerAlone as evotrainer, lineageOf } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

const ref = "refs/heads/evotrainer/ledger";

describe("a ledger that was taken back by some commits", function () {
  this.timeout(240_000);
  let root = "";
  let was = "";
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  before(() => {
    root = makeEvolvedProject();
    assert.deepEqual(lineageOf(root).notices, undefined);
    was = git("rev-parse", ref);
    git("update-ref", ref, `${was}~4`);
  });
  after(() => rmSync(root, { recursive: true, force: true }));
  const told = /^Notice: Somebody took the last 4 commits off the ledger: .*git update-ref \S+ [0-9a-f]{40}/m;

  for (const args of [
    ["lineage"],
    ["lineage", "--predictions"],
    ["diagnose", "v1"],
    ["compare", "v1", "v2-linear-shape"],
    ["rollouts", "v1"],
    ["items"],
    ["review", "v2"],
    ["promote", "v3-bonus"],
    ["propose", "--parent", "v1", "--intervention", "nothing"],
  ])
    it(`is reported by ${args.join(" ")}`, () => {
      assert.match(evotrainer(root, ...args).stderr, told);
    });

  it("is in the document of lineage --json, in what an assistant is told and in the editor's lineage", async () => {
    const [notice = ""] = lineageOf(root).notices ?? [];
    assert.match(notice, /^Somebody took the last 4 commits off the ledger/);
    const { facts } = await lineageTool.run({ root } as Parameters<typeof lineageTool.run>[0], {});
    assert.deepEqual((facts as { notices?: unknown }).notices, [notice]);
    const page = await lineagePages()(root, {}, () => readLineageOutline(root));
    assert.deepEqual(page.notices, [notice]);
  });

  it("is not reported once it is accepted", () => {
    const accepted = evotrainer(root, "lineage", "accept");
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stdout, /The ledger is accepted as it is at [0-9a-f]{12}/);
    assert.doesNotMatch(accepted.stderr, /Notice/);
    assert.doesNotMatch(evotrainer(root, "lineage").stderr, /Notice/);
    git("update-ref", ref, was);
    assert.equal(lineageOf(root).notices, undefined, "and it may go on from there");
  });
});

describe("a clone of a repository that has a ledger", function () {
  this.timeout(240_000);
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  it("says where the versions are, and has them after the command that it names", () => {
    const origin = makeEvolvedProject();
    const clone = `${origin}-clone`;
    roots.push(origin, clone);
    execFileSync("git", ["clone", "--quiet", origin, clone]);
    const told = evotrainer(clone, "lineage");
    assert.match(told.stdout, /has no versions yet/);
    const [, command = ""] =
      /^Notice: This clone has no ledger, but it has fetched origin\/evotrainer\/ledger\. .* run `git ([^`]+)`/m.exec(
        told.stderr,
      ) ?? [];
    const refused = evotrainer(clone, "evolve");
    assert.equal(refused.code, 2, "it begins no second ledger unless it is asked to");
    assert.match(refused.stderr, /Nothing was trained: this clone has no ledger, but it has fetched origin/);
    assert.ok(refused.stderr.includes(command) && refused.stderr.includes("evolve --restart"));
    assert.deepEqual(lineageOf(clone).versions, []);
    execFileSync("git", command.split(" "), { cwd: clone });
    const names = (root: string): string[] => lineageOf(root).versions.map(({ name }) => name);
    assert.deepEqual(names(clone), names(origin));
    assert.doesNotMatch(evotrainer(clone, "lineage").stderr, /Notice/);
  });
});
