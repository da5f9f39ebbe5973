import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { evotrainerAlone as evotrainer } from "./cli.ts";
import { makeEvolvedProject, makeWaitingProject } from "./finishedProject.ts";

const Failed = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });

describe("how a verb ends", function () {
  this.timeout(120_000);
  let evolved = "";
  let waiting = "";
  let alone = "";
  before(() => {
    evolved = makeEvolvedProject();
    waiting = makeWaitingProject();
    // A search that knows what looked better would join it with something else.
    alone = makeEvolvedProject();
    appendFileSync(join(alone, "evotrainer.yaml"), "search: { memory: off }\n");
  });
  after(() => {
    for (const root of [evolved, waiting, alone]) rmSync(root, { recursive: true, force: true });
  });

  const cases: readonly (readonly [string, () => string, readonly string[], number, string, RegExp])[] = [
    ["an unknown verb", () => evolved, ["linaege"], 2, "badInput", /^unknown command 'linaege'[^]*lineage/],
    ["no verb", () => evolved, [], 2, "badInput", /^Name a verb; `evotrainer --help` lists them\.$/],
    ["an unknown option", () => evolved, ["jobs", "--fast"], 2, "badInput", /^unknown option '--fast'/],
    [
      "a missing argument",
      () => evolved,
      ["compare", "v1"],
      2,
      "badInput",
      /^missing required argument 'b'$/,
    ],
    [
      "one version twice",
      () => evolved,
      ["compare", "v1", "v1"],
      2,
      "badInput",
      /^v1 would be compared with itself/,
    ],
    ["a missing version", () => evolved, ["compare", "v1", "v9"], 2, "notFound", /^There is no version v9/],
    [
      "a missing job",
      () => evolved,
      ["logs", "v9.train.s1"],
      2,
      "notFound",
      /^There is no job v9\.train\.s1/,
    ],
    [
      "a folder for assistants that is not there",
      () => evolved,
      ["mcp", "--project", "/nonexistent"],
      2,
      "notFound",
      /^There is no folder \/nonexistent; give --project the folder of a project\.$/,
    ],
    ["no project", () => "/", ["lineage"], 2, "projectMissing", /^There is no evotrainer\.yaml/],
    [
      "a search that has nothing left",
      () => alone,
      ["propose", "--parent", "v1"],
      1,
      "nothingLeft",
      /^The search has nothing left for v1: [^]*`evotrainer propose --intervention <name>`, or ask about another version/,
    ],
    ["a gate that waits", () => waiting, ["promote", "v2"], 2, "badInput", /v2-shape-and-bonus/],
  ];
  it("leaves nothing behind where a path of an import is misspelt", () => {
    const folder = mkdtempSync(join(tmpdir(), "evo-misspelt-"));
    assert.equal(evotrainer(folder, "import", "nothing").code, 2);
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });
  for (const [what, folder, words, code, name, message] of cases)
    it(`says ${what} as one JSON document with --json, and with its own exit code`, () => {
      const ran = evotrainer(folder(), "--json", ...words);
      const { error } = Failed.parse(JSON.parse(ran.stdout));
      assert.deepEqual([ran.code, error.code, ran.stderr], [code, name, ""]);
      assert.match(error.message, message);
      const plain = evotrainer(folder(), ...words);
      assert.deepEqual([plain.code, plain.stdout], [code, ""]);
      assert.notEqual(plain.stderr, "");
    });

  it("prints the lineage where a gate waits, and what it waits for beside it", () => {
    const { code, stdout, stderr } = evotrainer(waiting, "--json", "evolve");
    assert.equal(code, 3);
    assert.equal(z.object({ project: z.string() }).parse(JSON.parse(stdout)).project, "toy");
    assert.match(stderr, /Waiting for approval of v2-shape-and-bonus/);
  });

  it("gives findings their own code", () => {
    assert.equal(evotrainer(evolved, "--json", "diagnose", "v5").code, 1);
    assert.equal(evotrainer(evolved, "--json", "diagnose", "v1").code, 0, "information is no finding");
  });

  it("prints the log of a job as JSON: one document, or one object for each piece while it is followed", () => {
    const Log = z.strictObject({
      job: z.string(),
      isOver: z.boolean(),
      stdout: z.string(),
      stderr: z.string(),
    });
    const ran = evotrainer(evolved, "--json", "logs", "v1.train.s1");
    assert.equal(ran.code, 0, ran.stderr);
    const log = Log.parse(JSON.parse(ran.stdout));
    assert.deepEqual([log.job, log.isOver], ["v1.train.s1", true]);
    const Piece = z.strictObject({ stream: z.enum(["stdout", "stderr"]), text: z.string() });
    const followed = evotrainer(evolved, "--json", "logs", "-f", "v1.train.s1").stdout;
    const pieces = followed
      .split("\n")
      .filter(Boolean)
      .map((line) => Piece.parse(JSON.parse(line)));
    assert.equal(
      pieces
        .filter((p) => p.stream === "stdout")
        .map((p) => p.text)
        .join(""),
      log.stdout,
    );
    assert.equal(evotrainer(evolved, "logs", "v1.train.s1").stdout, log.stdout + log.stderr);
  });
});
