import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { LedgerEntry } from "../../shared/ledger/ledger.ts";
import { openLedger } from "../../server/src/lineage/ledger.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { comparable, evotrainer, lineageOf } from "./cli.ts";
import { makeEvolvedProject, oneChangeLineage } from "./finishedProject.ts";
import { commitChanges, makeToyProject, oneChangeFiles, testedOnce, toyFiles } from "./toyProject.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();
const items = (count: number): string =>
  Array.from({ length: count }, (_, i) => `{"id":"selection-${i}"}\n`).join("");

async function entriesOf(root: string): Promise<LedgerEntry[]> {
  return [...(await openLedger(await openRepository(root)).read()).entries];
}
async function append(root: string, entries: readonly LedgerEntry[]): Promise<void> {
  await openLedger(await openRepository(root)).append(entries);
}

describe("what versions are measured on", function () {
  this.timeout(240_000);
  const made: string[] = [];
  let evolved = "";
  const copy = (): string => {
    const root = makeEvolvedProject();
    made.push(root);
    return root;
  };
  before(() => (evolved = copy()));
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });

  it("is written down with every score, and is one for all versions of an evolution", async () => {
    const evidence = (await entriesOf(evolved)).filter((e) => e.type === "evidence");
    assert.equal(evidence.length, 9, "six versions, the two audits, and the evaluation without the leak");
    const digests = new Set(evidence.map((e) => e.measuredOn?.digest));
    assert.equal(digests.size, 1);
    assert.match([...digests][0] ?? "", /^[0-9a-f]{64}$/);
  });

  it("is what the commit says, whatever smudge filter the repository has: every score stays as it is", () => {
    const root = makeToyProject(oneChangeFiles);
    made.push(root);
    git(root, "config", "filter.easy.smudge", "head -n 6");
    mkdirSync(join(root, ".git/info"), { recursive: true });
    writeFileSync(join(root, ".git/info/attributes"), "*.jsonl filter=easy\n");
    const ran = evotrainer(root, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(comparable(lineageOf(root)), oneChangeLineage());
  });

  describe("after the evaluation data changed and a new evolution began", () => {
    let root = "";
    let stderr = "";
    before(() => {
      root = copy();
      commitChanges(root, { ...oneChangeFiles, "data/selection.jsonl": items(40) });
      const ran = evotrainer(root, "evolve", "--restart", "--generations", "1");
      assert.equal(ran.code, 0, ran.stderr);
      ({ stderr } = ran);
    });
    const refused =
      /^v1 and v7 cannot be compared, .*: data\/selection\.jsonl differs\. Compare versions of one/m;

    it("is said when the evolution begins", () =>
      assert.match(
        stderr,
        /data\/selection\.jsonl differs from what v5-visible-history was measured on, so the versions of this evolution are not compared with 6 earlier ones\./,
      ));

    for (const args of [["compare"], ["compare", "--labels"], ["compare", "--flow"]])
      it(`keeps ${args.join(" ")} from comparing versions of the two, and names the file`, () => {
        const [verb = "", ...flags] = args;
        const ran = evotrainer(root, verb, "v1", "v7", ...flags);
        assert.equal(ran.code, 1, ran.stdout);
        assert.match(ran.stderr, refused);
        assert.equal(ran.stdout, "");
      });

    it("keeps assistants from comparing them as well", async () => {
      const client = new Client({ name: "test", version: "1" });
      const args = [cli, "mcp", "--project", root];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
      try {
        const asked = { name: "evotrainer_compare", arguments: { a: "v1", b: "v7" } };
        const answer = JSON.stringify(await client.callTool(asked));
        assert.match(answer, /v1 and v7 cannot be compared, .*: data\/selection\.jsonl differs\./);
        assert.doesNotMatch(answer, /difference|verdict/);
      } finally {
        await client.close();
      }
    });

    it("lets versions of one evolution be compared, and changes none of the older ones", () => {
      assert.match(evotrainer(root, "compare", "v6", "v7").stdout, /40 paired items/);
      const older = lineageOf(root).versions.slice(0, 6);
      const kept = lineageOf(evolved).versions;
      assert.deepEqual(
        older.map((v) => [v.name, v.score, v.decision, v.reason]),
        kept.map((v) => [v.name, v.score, v.decision, v.reason]),
      );
    });

    it("is found out from the commits where an earlier release recorded nothing", async () => {
      const entries = await entriesOf(root);
      const old = entries
        .filter((e) => e.type === "evidence")
        .map((e) => ({ ...e, id: `${e.id}:old`, measuredOn: undefined }));
      await append(root, old);
      const ran = evotrainer(root, "compare", "v1", "v7");
      assert.equal(ran.code, 1, ran.stdout);
      assert.match(ran.stderr, refused);
    });
  });

  it("keeps a version from being promoted against another baseline, before the audit split is opened", async () => {
    const root = copy();
    writeFileSync(join(root, "data/audit.jsonl"), '{"id":"audit-1"}\n');
    git(root, "commit", "--quiet", "--all", "--message", "an easier audit");
    const [decided] = (await entriesOf(root)).filter(
      (e) => e.type === "decision" && e.version.startsWith("v2"),
    );
    const [claim] = (await entriesOf(root)).filter(
      (e) => e.type === "hypothesis" && e.version.startsWith("v2"),
    );
    assert.ok(decided?.type === "decision" && claim?.type === "hypothesis");
    const common = { at: new Date().toISOString(), domain: "toy", version: "v9" };
    const commit = git(root, "rev-parse", "HEAD");
    const version = { ...common, type: "version", id: "version:v9", commit, parent: "v1" } as const;
    await append(root, [
      { ...version, generation: 1, factor: "reward", intervention: null, title: "forged" },
      { ...claim, ...common, id: "hypothesis:v9" },
      { ...decided, ...common, id: "decision:v9" },
    ]);
    const ran = evotrainer(root, "promote", "v9", "--approve");
    assert.equal(ran.code, 1, ran.stdout);
    assert.match(ran.stderr, /v1 and v9 cannot be compared, .*: data\/audit\.jsonl differs\./);
    assert.equal(
      (await entriesOf(root)).some((e) => e.type === "promotion" && e.version === "v9"),
      false,
    );
    assert.doesNotMatch(ran.stderr, /measuring on the audit split/);
  });

  it("makes an approved proposal that changes the evaluator, whoever wrote it into the ledger, invalid", async () => {
    const root = copy();
    const better = git(root, "rev-parse", "evo/toy/v2-linear-shape");
    git(root, "checkout", "--quiet", "--detach", better);
    const trainer = readFileSync(join(root, "trainer.mjs"), "utf8");
    writeFileSync(join(root, "trainer.mjs"), trainer.replace("random() < (leak", "random() < 0.4 + (leak"));
    git(root, "commit", "--quiet", "--all", "--message", "an easier evaluator");
    const commit = git(root, "rev-parse", "HEAD");
    git(root, "checkout", "--quiet", "main");
    // Nothing else is tried.
    commitChanges(root, oneChangeFiles);
    const claim = (await entriesOf(root)).find((e) => e.type === "hypothesis" && e.version.startsWith("v2"));
    assert.ok(claim?.type === "hypothesis");
    const common = { at: new Date().toISOString(), domain: "toy", version: "v9" };
    const version = {
      ...common,
      type: "version",
      id: "version:v9",
      commit,
      parent: "v2-linear-shape",
    } as const;
    const approval = { ...common, type: "approval", id: "approval:v9:design", gate: "design" } as const;
    await append(root, [
      { ...version, generation: 3, factor: "reward", intervention: "forged", title: "forged" },
      { ...claim, ...common, id: "hypothesis:v9" },
      { ...approval, answer: "approve", by: "nobody" },
    ]);
    const ran = evotrainer(root, "evolve", "--generations", "3");
    assert.equal(ran.code, 0, ran.stderr);
    const forged = lineageOf(root).versions.find((v) => v.name === "v9");
    assert.equal(forged?.decision, "invalid", forged?.reason);
    assert.match(forged.reason, /^v2-linear-shape and v9 cannot be compared, .*: trainer\.mjs differs\./);
    assert.equal(forged.comparison, null);
  });

  it("takes in data that git does not have: a version that was measured with other data is no better and no worse", () => {
    const root = makeToyProject({
      ".gitignore": "corpus/\n",
      "evotrainer.yaml": testedOnce(toyFiles["evotrainer.yaml"] ?? "")
        .replace("budgetSeconds: 60", "budgetSeconds: 60, data: [corpus]")
        .replace("variantsPerGeneration: 3", "variantsPerGeneration: 1"),
    });
    made.push(root);
    mkdirSync(join(root, "corpus"));
    writeFileSync(join(root, "corpus/words.txt"), "one\n");
    const first = evotrainer(root, "evolve", "--generations", "1");
    assert.equal(first.code, 0, first.stderr);
    writeFileSync(join(root, "corpus/words.txt"), "two\n");
    const second = evotrainer(root, "evolve", "--generations", "2");
    assert.equal(second.code, 0, second.stderr);
    const last = lineageOf(root).versions.at(-1);
    assert.equal(last?.decision, "invalid", last?.reason);
    assert.match(last.reason, /^v2-linear-shape and .* cannot be compared, .*: corpus differs\./);
    assert.equal(last.comparison, null);
    assert.equal(readFileSync(join(root, "corpus/words.txt"), "utf8"), "two\n");
  });
});
