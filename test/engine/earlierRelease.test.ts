import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { checkSpecs } from "../../server/src/language/checks/checkSpecs.ts";
import { adoptRecords } from "../../server/src/runner/job/jobRecords.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { storedProject } from "./storedProject.ts";

const Diagnosed = z.looseObject({
  score: z.looseObject({ value: z.number(), low: z.number(), high: z.number(), rollouts: z.number() }),
  labels: z.array(z.looseObject({ name: z.string(), labelled: z.number(), rollouts: z.number() })),
});
const Listed = z.looseObject({
  total: z.number(),
  rollouts: z.array(z.looseObject({ id: z.string(), labels: z.array(z.string()) })),
});

/** What release 0.1.0 printed of its own project: version, decision, score on the selection split. */
const printed = [
  ["v0", "base", 0.20833333333333334],
  ["v1", "keep", 0.2125],
  ["v2-linear-shape", "keep", 0.5458333333333333],
  ["v3-bonus", "reject", 0.10833333333333334],
  ["v4-faster", "reject", 0.22083333333333333],
  ["v5-visible-history", "invalid", 0.9583333333333334],
  ["v6-small-bonus", "prune", null],
  ["v7-faster", "pending", null],
  ["v8-revert-v3-bonus", "revert", null],
];

/** Runs a verb that must answer: 1 says that it found something, which is an answer too. */
function answerOf(root: string, ...args: string[]): unknown {
  const { code, stdout, stderr } = evotrainer(root, "--json", ...args);
  assert.ok(code === 0 || code === 1, stderr);
  return JSON.parse(stdout);
}

describe("a project of release 0.1.0", () => {
  let root = "";
  before(() => {
    root = storedProject();
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it("still has its lineage: every version, decision and score", () => {
    const { versions } = lineageOf(root);
    assert.deepEqual(
      versions.map(({ name, decision, score }) => [name, decision, score]),
      printed,
    );
  });

  it("still has its evidence: scores, labels and rollouts", () => {
    const { score, labels } = Diagnosed.parse(answerOf(root, "diagnose", "v5-visible-history"));
    assert.deepEqual([score.value, score.rollouts], [0.9583333333333334, 240]);
    const of = (name: string) => labels.find((label) => label.name === name);
    assert.deepEqual([of("leak")?.labelled, of("echo-trap")?.labelled], [230, 0]);
    const page = Listed.parse(answerOf(root, "rollouts", "v5-visible-history", "--label", "leak"));
    assert.equal(page.total, 230);
    assert.ok(page.rollouts.every(({ labels }) => labels.includes("leak")));
  });

  it("is complete again after its archive was deleted", () => {
    const archive = join(root, ".evotrainer/archive.duckdb");
    assert.ok(existsSync(archive));
    rmSync(archive);
    const { score } = Diagnosed.parse(answerOf(root, "diagnose", "v2-linear-shape"));
    assert.deepEqual([score.value, score.rollouts], [0.5458333333333333, 240]);
  });

  it("can be continued: the waiting proposal is shown and rejected", () => {
    const shown = evotrainer(root, "review", "v7-faster");
    assert.match(shown.stdout, /speed: slow → fast/, shown.stderr);
    const answered = evotrainer(root, "review", "v7-faster", "reject", "--comment", "not now");
    assert.equal(answered.code, 0, answered.stderr);
    const states = lineageOf(root).versions.map(({ name, decision }) => [name, decision]);
    assert.deepEqual(states.at(-2), ["v7-faster", "prune"]);
  });

  it("still has how its jobs ended: before this release runs a job there, and when the records are taken over", async () => {
    const Jobs = z.array(z.looseObject({ id: z.string(), state: z.string(), seconds: z.number() }));
    const ended = Jobs.parse(answerOf(root, "jobs"));
    assert.equal(ended.length, 8);
    assert.ok(ended.every(({ state }) => state === "finished"));
    const runs = join(root, ".evotrainer/runs");
    await adoptRecords(join(runs, "v8-new.train.s1"));
    assert.ok(existsSync(join(root, ".evotrainer/records/runs/v2-linear-shape.train.s1/outcome.json")));
    for (const { id } of ended) rmSync(join(runs, id, "outcome.json"), { force: true });
    assert.deepEqual(Jobs.parse(answerOf(root, "jobs")), ended);
    const doctor = evotrainer(root, "doctor");
    assert.equal(doctor.code, 0, doctor.stdout);
  });

  it("is left unchanged: no entry of the ledger differs", () => {
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" });
    const changed = git("log", "--format=", "--name-status", "--diff-filter=MD", "evotrainer/ledger");
    assert.equal(changed.trim(), "");
    assert.match(
      readFileSync(join(root, ".evotrainer/human-labels.jsonl"), "utf8"),
      /"labelled":true.*"note":"read the history","label":"leak"/,
    );
  });
});

const stored = resolve(import.meta.dirname, "../stored");

describe("the specs of release 0.1.0", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "evo-specs-"));
    execFileSync("tar", ["xzf", join(stored, "specs-0.1.0.tar.gz"), "-C", folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are still right: those of its examples, its mappings and its library", async () => {
    const specs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      /evotrainer\.yaml$|\.(?:diagnostic|evidence|intervention|reward)\.yaml$/.test(path),
    );
    assert.ok(specs.length > 100, String(specs.length));
    const places = [
      "examples/swe-gym/template",
      "examples/trl-grpo/template",
      "examples/mappings",
      "library",
    ];
    for (const place of places) assert.deepEqual(await checkSpecs(join(folder, place)), [], place);
  });

  it("would be found if they were not", async () => {
    const place = join(folder, "examples/swe-gym/template");
    const project = join(place, "evotrainer.yaml");
    writeFileSync(project, readFileSync(project, "utf8").replace(/^metric:/m, "metrics:"));
    const codes = (await checkSpecs(place)).map(({ code }) => code);
    assert.ok(codes.includes("schema"), codes.join(" "));
  });
});

describe("the settings of release 0.1.0", () => {
  it("still exist, and take every value that they took", () => {
    const Setting = z.object({
      type: z.string(),
      scope: z.string(),
      enum: z.array(z.string()).optional(),
      minimum: z.number().default(-Infinity),
      maximum: z.number().default(Infinity),
    });
    const Settings = z.record(z.string(), Setting);
    const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
    const earlier = Settings.parse(json(join(stored, "settings-0.1.0.json")));
    const { contributes } = z
      .object({ contributes: z.object({ configuration: z.object({ properties: Settings }) }) })
      .parse(json(resolve(stored, "../../package.json")));
    const now = contributes.configuration.properties;
    assert.ok(Object.keys(earlier).length >= 6);
    for (const [name, was] of Object.entries(earlier)) {
      const is = now[name];
      assert.ok(is !== undefined, `${name} is gone: migrate it, and say so in the changelog`);
      assert.deepEqual([is.type, is.scope], [was.type, was.scope], name);
      assert.deepEqual(
        (was.enum ?? []).filter((value) => is.enum?.includes(value) !== true),
        [],
        name,
      );
      assert.ok(is.minimum <= was.minimum && is.maximum >= was.maximum, name);
    }
  });
});
