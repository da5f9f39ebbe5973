import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { keepEngine } from "../../server/src/engine/owner/withEngine.ts";
import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
import { evotrainer, type Ran } from "./cli.ts";

const cli = new URL("../../dist/cli.cjs", import.meta.url).pathname;
const diagnostic = (name: string, when: string, rest = "") =>
  `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${name}\nlabel: { when: '${when}', severity: info }\nalert: { above: 0.5 }\n${rest}`;
const example = (rollout: string, expect: string) => `  - { rollout: sel/${rollout}, expect: ${expect} }\n`;

/** Every spec has one thing wrong that only the archive tells, and a twin that has not. */
const files: Readonly<Record<string, string>> = {
  ...sampleProject,
  "data/train.jsonl": '{"id":"a"}\n',
  "data/selection.jsonl": '{"id":"b"}\n',
  "data/audit.jsonl": '{"id":"c"}\n',
  "harness/evaluate.yaml": "samples: 2\n",
  "train.mjs": "",
  "harness/main.reward.yaml": `apiVersion: evotrainer/v1
kind: Reward
name: main
components:
  correctness: { shape: flat, weight: 1 }
  formatted: { shape: flat, weight: 0.1 }
  graded: { shape: linear, weight: 0.1 }
`,
  "harness/diagnostics/always.diagnostic.yaml": diagnostic("always", "n_turns >= 0"),
  "harness/diagnostics/some.diagnostic.yaml": diagnostic("some", "reward > 1.5"),
  "harness/diagnostics/field.diagnostic.yaml": diagnostic("field", "logprob_mean < -9.0"),
  "harness/diagnostics/tried.diagnostic.yaml": diagnostic(
    "tried",
    "reward > 1.5",
    `examples:\n${example("r-3", "labelled")}${example("r-0", "labelled")}${example("sealed", "labelled")}`,
  ),
  "harness/interventions/small.intervention.yaml": `${interventionWith(
    "  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }",
  )
    .trimStart()
    .replace("name: binary-reward", "name: small")
    .replace("targets: [insufficient-signal]", "targets: [always, some, field, tried]")
    .replace("atLeast: 0.02", "atLeast: 0.001")}guardrails: [{ metric: dead_group_ratio, atMost: 1 }]\n`,
};
const told = [
  "harness/diagnostics/always.diagnostic.yaml:4 dead-label",
  "harness/diagnostics/field.diagnostic.yaml:4 evidence-field",
  "harness/diagnostics/tried.diagnostic.yaml:8 example",
  "harness/interventions/small.intervention.yaml:10 unresolvable-success",
  "harness/main.reward.yaml:6 constant-bonus",
];
const silence =
  /^Not tried: evidence-field, constant-bonus, unresolvable-success, dead-label, and what example, known-metric, guardrail-metric, split-overlap compare with the archive \((.*)\)\.\n$/;

describe("evotrainer check", function () {
  this.timeout(60_000);
  let root = "";
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "evotrainer-check-"));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), text);
    }
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function archive(): Promise<void> {
    const place = placeOf(root);
    await mkdir(place.evidenceRoot, { recursive: true });
    const owner = await keepEngine(place, { role: "verb" });
    const rollouts = Array.from({ length: 200 }, (_, i) => {
      const rollout = makeRollout({
        ...{ id: i === 199 ? "sealed" : `r-${i}`, run: "sel", item: `item-${i % 40}`, group: `g-${i % 40}` },
        ...{ split: i === 199 ? "audit" : "selection", reward: i % 4, outcome: i % 4 > 1 ? "pass" : "fail" },
        components: { correctness: i % 2, formatted: 1, graded: 0.5 + i / 400 },
      });
      return toLine({ ...rollout, logprob_mean: undefined });
    });
    const path = join(place.evidenceRoot, "v1.jsonl");
    await writeFile(path, rollouts.join(""));
    await ingestFile(owner.store, { path, kind: "rollouts", version: "v1", run: "sel" });
    await owner.close();
    const labelled = evotrainer(root, "diagnose", "v1");
    assert.ok(labelled.code === 0 || labelled.code === 1, labelled.stderr);
  }
  const found = ({ stdout }: Ran): string[] =>
    [...stdout.matchAll(/^(.*?:\d+):\d+: .* \(([a-z-]+)\)$/gm)].map(
      ([, at = "", rule = ""]) => `${at} ${rule}`,
    );

  it("asks the archive for facts that are in no file, and tries archived examples", async () => {
    await archive();
    const ran = evotrainer(root, "check");
    assert.deepEqual(found(ran), told, ran.stdout);
    assert.equal(ran.stderr, "");
    assert.equal(ran.code, 1);
    assert.match(ran.stdout, /The archived rollout sel\/r-0 is not labelled/);
    assert.match(ran.stdout, /100 % of 199 archived rollouts get formatted/);
  });

  it("continues without an archive, says what it did not try, and creates no archive", async () => {
    const ran = evotrainer(root, "check");
    assert.deepEqual([found(ran), ran.code], [[], 0], ran.stdout);
    assert.equal(silence.exec(ran.stderr)?.[1], "there is no archive");
    assert.ok(!(await readdir(root)).includes(".evotrainer"));
    const json = evotrainer(root, "check", "--format", "json");
    assert.deepEqual(JSON.parse(json.stdout), []);
    assert.match(json.stderr, silence);
  });

  it("names what evotrainer.yaml names and the project lacks, and specs that nobody reads", async () => {
    await rm(join(root, "data/selection.jsonl"));
    await rm(join(root, "harness/evaluate.yaml"));
    const spec = await readFile(join(root, "evotrainer.yaml"), "utf8");
    await writeFile(
      join(root, "evotrainer.yaml"),
      spec
        .replace(/command: \[[^\]]*\]/, "command: [bin/train, scripts/gone.py]")
        .replace(
          /\n( +)command: .*/,
          (line, indent: string) => `${line}\n${indent}smoke: { command: [no-such-python, smoke.py] }`,
        )
        .replace("harness/config.json }", "harness/config.json, paths: [temperature, top_k] }")
        .replace("paths: [workers]", "paths: [wrokers, added_by_nobody]"),
    );
    await mkdir(join(root, "bin"), { recursive: true });
    await writeFile(join(root, "bin/train"), "#!/bin/sh\n", { mode: 0o644 });
    const some = await readFile(join(root, "harness/diagnostics/some.diagnostic.yaml"), "utf8");
    await writeFile(join(root, "outside.diagnostic.yaml"), some.replace("name: some", "name: outside"));
    await writeFile(join(root, "harness/diagnostics/short.diagnostic.yml"), some);
    await writeFile(join(root, "harness/diagnostics/unnamed.yaml"), some);
    await writeFile(join(root, "evotrainer.yml"), spec);
    await writeFile(join(root, "data/train.jsonl"), '{"task_id": "t1", "prompt": "x"}\n');
    const { stdout, code } = evotrainer(root, "check");
    assert.equal(code, 1);
    for (const message of [
      "There is no data/selection.jsonl, which is the selection split. (missing-file)",
      "There is no scripts/gone.py, which is what trainer.command starts. (missing-file)",
      "bin/train cannot be started: run `chmod +x bin/train`. (missing-file)",
      "There is no program no-such-python on this machine, which trainer.smoke.command starts. (missing-file)",
      "harness/config.json has no top_k, so no version can change it. (missing-key)",
      "harness/config.json has no wrokers, so nothing is frozen there. Did you mean workers? (missing-key)",
      "outside.diagnostic.yaml is not read: it is in none of the folders of `diagnostics` (harness/diagnostics). (spec-place)",
      "short.diagnostic.yml is not read: its name must end in .diagnostic.yaml. (spec-place)",
      "unnamed.yaml is not read: its name must end in .diagnostic.yaml. (spec-place)",
      "evotrainer.yml is not read: its name must be evotrainer.yaml. (spec-place)",
      "The first item has no `id`, which names it; its keys are task_id and prompt. (missing-id)",
    ])
      assert.ok(stdout.includes(message), `${message}\n${stdout}`);
    // The line with the smoke command stands above it.
    const at = spec.split("\n").findIndex((line) => line.includes("data/selection.jsonl")) + 2;
    assert.match(
      stdout,
      new RegExp(`^evotrainer\\.yaml:${at}:\\d+: warning: There is no data/selection`, "m"),
    );
    // Where it is the only one there is no project, even if a folder with diagnostics can be checked.
    await rm(join(root, "evotrainer.yaml"));
    const alone = evotrainer(root, "check");
    assert.equal(alone.code, 1);
    assert.match(
      alone.stdout,
      /^evotrainer\.yml:1:1: warning: .* rename it to evotrainer\.yaml\. \(spec-place\)$/m,
    );
    await rm(join(root, "outside.diagnostic.yaml"));
    const nothing = evotrainer(root, "check");
    assert.equal(nothing.code, 2);
    assert.match(nothing.stderr, /^Nothing reads .*evotrainer\.yml: rename it to evotrainer\.yaml\.\n$/);
  });

  it("continues while another program has the archive", async () => {
    await archive();
    const { archive: path, evidenceRoot } = placeOf(root);
    const stranger = await openStore({ path, evidenceRoot });
    try {
      const ran = evotrainer(root, "check");
      assert.deepEqual([found(ran), ran.code], [[], 0], ran.stdout);
      assert.match(silence.exec(ran.stderr)?.[1] ?? "", /archive/);
    } finally {
      await stranger.close();
    }
  });

  it("asks the engine that has the archive", async () => {
    await archive();
    const owner = await keepEngine(placeOf(root), { role: "editor" });
    try {
      // The owner answers from this process, which must not be blocked by waiting.
      const child = spawn(process.execPath, [cli, "check"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const code = await new Promise<number | null>((done) => child.on("close", done));
      assert.deepEqual([found({ code, stdout, stderr }), stderr, code], [told, "", 1]);
    } finally {
      await owner.close();
    }
  });
});
