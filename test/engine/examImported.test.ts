import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProposerExam } from "../../shared/protocol/results/exam.ts";
import { fixtureSet } from "../support/evidence/import.ts";
import { publishedTree } from "../support/lineage/publishedTree.ts";
import { handsOver, startModelServer, type Asked } from "../support/proposers/modelServer.ts";
import { evotrainer, runEvotrainer } from "./cli.ts";
import { makeToyProject } from "./toyProject.ts";

const mappings = join(import.meta.dirname, "../../examples/lineages");

describe("evotrainer proposers exam on imported lineages", function () {
  this.timeout(120_000);
  let [root, source] = ["", ""];
  beforeEach(() => {
    root = makeToyProject();
    source = mkdtempSync(join(tmpdir(), "evo-source-"));
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
    rmSync(source, { recursive: true, force: true });
  });
  const bring = (...paths: string[]): void => {
    const ran = evotrainer(root, "import", ...paths);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  };
  const examine = (domain: string): ProposerExam => {
    const ran = evotrainer(root, "--json", "proposers", "exam", "--domain", domain);
    assert.equal(ran.code, 0, ran.stderr);
    return ProposerExam.parse(JSON.parse(ran.stdout));
  };
  const lines = (exam: ProposerExam): string[] =>
    exam.leftOut.map(({ because, versions }) => `${versions}: ${because}`);

  it("asks about the published tree: one version of which four changes were tried, by score", () => {
    bring(join(mappings, "published-tree.evidence.yaml"));
    const exam = examine("published-tree");
    assert.deepEqual([exam.moments, exam.drafts, exam.byScore, exam.tau], [1, 4, 4, null]);
    const [answer] = exam.answers;
    assert.deepEqual(
      answer?.drafts.map(({ version, effect, by }) => [version, effect?.toFixed(2), by]).sort(),
      [
        ["v5", "-5.48", "score"],
        ["v6", "-3.29", "score"],
        ["v7", "-4.75", "score"],
        ["v8", "1.86", "score"],
      ],
    );
    assert.deepEqual([exam.hitRate.value, exam.byChance, exam.hitRate.low], [0.25, 0.25, null]);
    // One of the four is what the tree has of a version that was invalid for what was found in it.
    assert.deepEqual(lines(exam), [
      "4: no other change of the same parent can be asked about",
      "1: nothing from before the outcome says what was changed: no file differs, and there is no plan",
    ]);
    const said = evotrainer(root, "proposers", "exam", "--domain", "published-tree").stdout.replaceAll(
      /\s+/g,
      " ",
    );
    assert.match(said, /What the drafts did is known by score, without an interval\./);
    assert.match(said, /It ranked all drafts alike\. That is too few to show anything\./);
    assert.match(said, /Left out 4 versions: no other change of the same parent/);
    assert.match(said, /v8 \(correct better by 1\.86 by score\)/);
  });

  it("has the published tree as it was published", () => {
    const rows = readFileSync(join(mappings, "published-tree.csv"), "utf8").trim().split("\n").slice(1);
    assert.deepEqual(
      rows.map((row) => row.split(",").slice(0, 4)),
      publishedTree.map(({ name, parent, percent, decision }) => [
        ...[name, parent ?? "", String(percent), decision],
      ]),
    );
  });

  it("asks about a log of parameter_golf and about a ledger with settings", function () {
    const folder = join(fixtureSet(this, "lineage_autoresearch"), "parameter_golf");
    bring(join(folder, "results.tsv"));
    const log = examine("parameter_golf");
    assert.deepEqual(
      [
        log.moments,
        log.drafts,
        log.byScore,
        log.drafts + log.leftOut.reduce((n, one) => n + one.versions, 0),
      ],
      [6, 31, 31, 50],
    );
    copyFileSync(join(folder, "autoresearch_pg__state__ledger.jsonl"), join(source, "ledger.jsonl"));
    copyFileSync(join(mappings, "parameter-golf.evidence.yaml"), join(source, "pg.evidence.yaml"));
    bring(join(source, "pg.evidence.yaml"));
    const ledger = examine("parameter-golf-ledger");
    assert.deepEqual([ledger.moments, ledger.drafts, ledger.byScore], [3, 9, 9]);
  });

  it("tells a model what was to be changed, and nothing of how it ended", async () => {
    const row = (version: string, parent: string, loss: number, code: string, plan = ""): string =>
      JSON.stringify({
        ...{ id: `${version}-canary`, from: parent === "" ? null : `${parent}-canary`, loss, code },
        ...{ word: loss < 0.5 ? "canary kept" : "canary rejected", plan },
        ...{ title: `canary ${version}`, note: `canary: the loss was ${loss}`, log: `canary ${loss}` },
        settings: { lr: loss < 0.5 ? 0.25 : 0.75 },
      });
    writeFileSync(
      join(source, "runs.jsonl"),
      [
        row("root", "", 0.5, "a = 1\nb = 2\n"),
        row("first", "root", 0.4711, "a = 11\nb = 2\n"),
        row("second", "root", 0.8642, "a = 1\nb = 22\n", "Double b."),
        row("third", "first", 0.3, "a = 111\nb = 2\n"),
        row("fourth", "first", 0.9, "a = 1111\nb = 2\n"),
      ].join("\n"),
    );
    writeFileSync(
      join(source, "runs.evidence.yaml"),
      `apiVersion: evotrainer/v1
kind: Lineage
name: runs
source: runs.jsonl
node: { id: id, parent: from, title: title, note: note, plan: plan }
metric: { field: loss, direction: lower }
status: { field: word, words: { canary kept: keep, canary rejected: reject } }
files: { train.py: code, settings.json: settings, results.tsv: log, metrics.json: settings }
`,
    );
    const asked: Asked[] = [];
    const server = await startModelServer((question) => {
      asked.push(question);
      const told = JSON.stringify(question.messages);
      // It likes the change of `a` most.
      return handsOver(...(told.includes("Double b.") ? best(told) : ["draft-2"]));
    });
    try {
      bring(join(source, "runs.evidence.yaml"));
      appendFileSync(
        join(root, "evotrainer.yaml"),
        `models:\n  small: { url: "${server.url}", model: scripted }\nproposers:\n  - { name: clever, kind: model, model: small }\n`,
      );
      execFileSync(
        "git",
        ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "--quiet", "-am", "p"],
        { cwd: root },
      );
      const ran = await runEvotrainer(
        root,
        ...["--json", "proposers", "exam", "--proposer", "clever", "--domain", "runs"],
      );
      assert.equal(ran.code, 0, ran.stderr);
      const exam = ProposerExam.parse(JSON.parse(ran.stdout));
      const [first, second] = exam.answers;
      assert.deepEqual(
        first?.drafts.map(({ version, place }) => [version, place]),
        [
          ["first-canary", 1],
          ["second-canary", 2],
        ],
      );
      // Of those that it did not name although it was asked again, it expects the least.
      assert.deepEqual(
        second?.drafts.map(({ place }) => place),
        [1, 2],
      );
      const told = JSON.stringify(asked.map(({ messages }) => messages));
      assert.match(told, /Double b\./);
      assert.match(told, /\+a = 11/);
      assert.match(told, /lr/);
      // The parent has its name; everything else that could tell an outcome is left out.
      assert.doesNotMatch(told.replaceAll(/(root|first)-canary/g, ""), /canary|4711|8642|metrics\.json/);
      const tools = asked.flatMap((one) => one.tools?.map((tool) => tool.function.name) ?? []);
      assert.deepEqual([...new Set(tools)], ["hand_over_drafts"]);
    } finally {
      await server.close();
    }
  });
});

/** The drafts of a question, the one first that changes `a`. */
function best(told: string): string[] {
  const drafts = told
    .replaceAll("\\\\\\", "")
    .replaceAll('\\"', '"')
    .matchAll(/"name":"(draft-\d)".*?(?="name":|$)/g);
  return [...drafts]
    .sort(([one], [other]) => Number(other.includes("+a = 11")) - Number(one.includes("+a = 11")))
    .map(([, name = ""]) => name);
}
