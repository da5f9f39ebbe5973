import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ProposerExam } from "../../shared/protocol/results/exam.ts";
import { handsOver, startModelServer, type Asked } from "../support/proposers/modelServer.ts";
import { evotrainer, lineageOf, runEvotrainer } from "./cli.ts";
import { makeEvolvedProject } from "./finishedProject.ts";

describe("evotrainer proposers exam", function () {
  this.timeout(240_000);
  let root = "";
  before(() => {
    root = makeEvolvedProject();
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("has the search rank drafts without knowing their outcome, and compares that with what was measured", () => {
    const ran = evotrainer(root, "--json", "proposers", "exam");
    assert.equal(ran.code, 0, ran.stderr);
    const exam = ProposerExam.parse(JSON.parse(ran.stdout));
    const { versions } = lineageOf(root);
    for (const { parent, generation, drafts } of exam.answers) {
      const own = versions.filter((v) => v.parent === parent && v.generation >= generation);
      assert.ok(drafts.length >= 2);
      for (const { version, effect } of drafts) {
        const found = own.find(({ name }) => name === version);
        assert.ok(found, `${version} is no change of ${parent} in generation ${generation} or later`);
        assert.equal(effect === null, found.decision === "invalid");
      }
    }
    assert.ok(exam.moments >= 1 && exam.drafts >= 2);
    assert.match(evotrainer(root, "proposers", "exam").stdout, /a random draft would have been in \d/);
    assert.match(evotrainer(root, "proposers").stdout, /^search +search +all surfaces +\d+ +\S+ %? +\d+ s$/m);
  });

  it("has a language model do the same, which sees the drafts and no outcome", async () => {
    const asked: Asked[] = [];
    const server = await startModelServer((question) => {
      asked.push(question);
      const text = JSON.stringify(question.messages).replaceAll('\\"', '"');
      const drafts = text.matchAll(/\{"name":"(v\d+-[\w-]+)","factor":"\w+","edit":\[/g);
      return handsOver(...[...drafts].map(([, name]) => name));
    });
    try {
      appendFileSync(
        join(root, "evotrainer.yaml"),
        `models:\n  small: { url: "${server.url}", model: scripted }\nproposers:\n  - { name: clever, kind: model, model: small }\n  - { name: coder, kind: agent, command: ["true"] }\n`,
      );
      const git = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.invalid",
        "commit",
        "--quiet",
        "-am",
        "p",
      ];
      execFileSync("git", git, { cwd: root });
      const ran = await runEvotrainer(root, "--json", "proposers", "exam", "--proposer", "clever");
      assert.equal(ran.code, 0, ran.stderr);
      const exam = ProposerExam.parse(JSON.parse(ran.stdout));
      assert.equal(asked.length, exam.moments);
      // It handed them over as they were listed, which is the order of the lineage.
      for (const { drafts } of exam.answers)
        assert.deepEqual(
          drafts.map(({ version }) => version),
          drafts.map(({ version }) => version).toSorted(),
        );
      const told = JSON.stringify(asked);
      for (const { version, reason } of lineageOf(root).versions.map((v) => ({
        version: v.name,
        reason: v.reason,
      })))
        if (reason !== "") assert.ok(!told.includes(reason.slice(0, 60)), `how ${version} ended was told`);
      assert.match(
        evotrainer(root, "proposers", "exam", "--proposer", "coder").stderr,
        /coder is an agent, .*the exam is for the search and for models/,
      );
    } finally {
      await server.close();
    }
  });
});
