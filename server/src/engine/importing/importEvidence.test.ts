import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { forget } from "../../evidence/ingest/retention.ts";
import type { Store } from "../../evidence/archive/store.ts";
import {
  makeRollout,
  makeWorkspace,
  toLine,
  type Workspace,
} from "../../../../test/support/evidence/evidence.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { importEvidence, type ImportReport, type ImportRequest } from "./importEvidence.ts";

const verl = `${JSON.stringify({ input: "user\n2+2?\nassistant\n", output: "4", score: 1, step: 1 })}\n`;

describe("importing evidence", () => {
  let workspace: Workspace;
  let store: Store;
  beforeEach(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  afterEach(() => workspace.remove());

  async function put(path: string, text: string): Promise<string> {
    const full = workspace.file(path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, text);
    return full;
  }
  const bring = (request: ImportRequest): Promise<ImportReport> =>
    importEvidence(store, request, { diagnostics: [], domain: "math", signal: new AbortController().signal });
  const fails = (
    request: ImportRequest,
    reason: "notFound" | "badInput" | "specInvalid",
    words: RegExp,
  ): Promise<void> =>
    assert.rejects(bring(request), (e) => HarnessError.is(e, reason) && words.test(e.message));

  it("reports a mapping that is missing or unreadable, and says what to do", async () => {
    const gone = workspace.file("gone.evidence.yaml");
    const words = /^There is no mapping .*gone\.evidence\.yaml; give the path of a file \*\.evidence\.yaml/;
    await fails({ paths: [gone] }, "notFound", words);
    await fails({ paths: [], as: gone }, "notFound", words);
    const folder = workspace.file("folder.evidence.yaml");
    await mkdir(folder);
    await fails({ paths: [folder] }, "badInput", /folder\.evidence\.yaml cannot be read \(EISDIR\)/);
  });

  it("says that rollouts move when a file is imported again under another version", async () => {
    const path = await put(
      "moves.jsonl",
      `${JSON.stringify({ input: "q", output: "a", gts: "a", score: 1, step: 1, acc: true })}\n`,
    );
    const first = await bring({ paths: [path], version: "one" });
    assert.deepEqual([first.rollouts, first.notes], [1, []]);
    const again = await bring({ paths: [path], version: "two" });
    assert.deepEqual(
      [again.rollouts, again.notes],
      [1, ["Moved from version one to two, and one no longer has it: moves.jsonl."]],
    );
    assert.deepEqual((await bring({ paths: [path], version: "two" })).notes, []);
  });

  it("has the runs and versions that a mapping names: one JSON per rollout is no run each", async () => {
    const mapping = async (places: string) =>
      put(
        "mine.evidence.yaml",
        `apiVersion: evotrainer/v1
kind: Evidence
name: mine
records: json
match: ["r*.json"]
${places}fields: { item: record.task, outcome: { pass: record.ok, fail: "!record.ok" } }
`,
      );
    for (const folder of ["a", "b"])
      for (const n of [1, 2])
        await put(`in/${folder}/r${n}.json`, JSON.stringify({ task: `t${n}`, ok: n === 1 }));
    const paths = [workspace.file("in")];
    const runs = async (places: string, more: Partial<ImportRequest> = {}) => {
      const report = await bring({ paths: [...paths, await mapping(places)], ...more });
      assert.deepEqual(report.refused, []);
      return report.runs.map(({ run, version, rollouts }) => `${run} of ${version}: ${rollouts}`);
    };
    assert.equal((await runs("")).length, 4);
    const last = 'file.folder.split("/").last()';
    assert.deepEqual(await runs(`run: ${last}.orValue("")\nversion: '"v-" + ${last}.value()'\n`), [
      "a of v-a: 2",
      "b of v-b: 2",
    ]);
    assert.deepEqual(await runs(`run: '"all"'\n`), ["all of all: 4"]);
    assert.deepEqual(await runs(`run: '"all"'\n`, { version: "v9" }), ["all of v9: 4"]);
    const bad = await bring({ paths: [...paths, await mapping("run: file.step\n")] });
    assert.equal(bad.refused.length, 4);
    assert.match(bad.refused[0]?.reason ?? "", /^run of the mapping has no value for this file/);
    await fails(
      { paths: [...paths, await mapping("run: record.task\n")] },
      "specInvalid",
      /run: Unknown variable: record\. Known here: file\./,
    );
  });

  it("leaves a mapping that only names metrics to who diagnoses in its folder", async () => {
    const head = "apiVersion: evotrainer/v1\nkind: Evidence\nname: names\n";
    const mapping = await put("names.evidence.yaml", `${head}metricNames: { entropy: my/ent }\n`);
    const path = await put("metrics.jsonl", `${JSON.stringify({ step: 1, "my/ent": 2 })}\n`);
    const report = await bring({ paths: [path, mapping] });
    assert.deepEqual([report.metrics, report.refused], [1, []]);
    assert.deepEqual((await projectOrBare(workspace.root)).metricNames, { entropy: "my/ent" });
    await put("a.evidence.yaml", `${head}metricNames: { entropy: [first], kl: k }\n`);
    await put("broken.evidence.yaml", `${head}metricNames: { nothing: x }\n`);
    assert.deepEqual((await projectOrBare(workspace.root)).metricNames, { entropy: ["first"], kl: "k" });
    await fails({ paths: [path], as: mapping }, "specInvalid", /It maps no records: it has only metricNames/);
  });

  it("refuses metrics that say something else than those of the run: two runs are never laid over each other", async () => {
    const state = (n: number, reward: number) =>
      JSON.stringify({ log_history: Array.from({ length: n }, (_, i) => ({ step: i + 1, reward })) });
    await put("c/checkpoint-30/trainer_state.json", state(30, 0.5));
    // What a checkpoint repeats of its run is the same.
    await put("c/checkpoint-40/trainer_state.json", state(40, 0.5));
    const other = await put("c/checkpoint-9/trainer_state.json", state(9, 0.9));
    const report = await bring({ paths: [workspace.file("c")] });
    assert.equal(report.refused.length, 1);
    assert.deepEqual([report.files.read, report.metrics], [2, 70]);
    assert.match(
      report.refused[0]?.reason ?? "",
      /^its values differ from those of .* at 9 of its 9 steps, .* cannot both belong to the run c; import this one alone with --run/,
    );
    const alone = await bring({ paths: [other], run: "nine" });
    assert.deepEqual([alone.refused, alone.runs.map((r) => [r.run, r.metricSteps])], [[], [["nine", 9]]]);
    // A run that was resumed repeats a few steps.
    const line = (step: number, loss: number) => `${JSON.stringify({ step, loss })}\n`;
    const steps = (from: number, to: number, loss: number) =>
      Array.from({ length: to - from }, (_, i) => line(from + i, loss)).join("");
    await put("r/metrics.jsonl", steps(0, 20, 1));
    await put("r/later.jsonl", steps(18, 40, 2));
    const resumed = await bring({ paths: [workspace.file("r")], run: "r" });
    assert.deepEqual([resumed.refused, resumed.metrics], [[], 42]);
  });

  it("takes the trainer states that somebody copied into one folder for a run each", async () => {
    for (const [i, name] of ["a_trainer_state.json", "b_trainer_state.json"].entries())
      await put(`copied/${name}`, JSON.stringify({ log_history: [{ step: 1, reward: i }] }));
    const report = await bring({ paths: [workspace.file("copied")] });
    assert.deepEqual(
      report.runs.map(({ run, format, metricSteps }) => [run, format, metricSteps]),
      ["a", "b"].map((name) => [`${name}_trainer_state`, "trl-trainer-state", 1]),
    );
  });

  it("says that rollouts and metrics of different writers are one run because they lie in one folder", async () => {
    const dumped = `${JSON.stringify({ input: "q", output: "a", gts: "a", score: 1, step: 1 })}\n`;
    const state = JSON.stringify({ log_history: [{ step: 1, reward: 0.5 }] });
    await put("both/1.jsonl", dumped);
    await put("both/trainer_state.json", state);
    assert.deepEqual((await bring({ paths: [workspace.file("both")] })).notes, [
      "both has rollouts of verl and metrics of trl-trainer-state because they lie in one folder; if they are of two runs, import one of them alone with --run <another name>.",
    ]);
    // Who names the run says that it is one.
    await put("named/1.jsonl", dumped);
    await put("named/trainer_state.json", state);
    assert.deepEqual((await bring({ paths: [workspace.file("named")], run: "mine" })).notes, []);
    // One framework writes both.
    await put("verl/1.jsonl", dumped);
    await put("verl/metrics.jsonl", `${JSON.stringify({ step: 1, data: { "critic/score/mean": 1 } })}\n`);
    const report = await bring({ paths: [workspace.file("verl")] });
    assert.deepEqual(report.runs.map(({ format }) => format).sort(), ["verl", "verl-metrics"]);
    assert.deepEqual(report.notes, []);
  });

  it("says that one file may hold two runs, where most of its steps have several values of a metric", async () => {
    const line = (step: number, loss: number) => `${JSON.stringify({ step, loss })}\n`;
    const steps = (to: number, loss: number) => Array.from({ length: to }, (_, i) => line(i, loss)).join("");
    await put("two/metrics.jsonl", steps(20, 1) + steps(20, 2));
    const report = await bring({ paths: [workspace.file("two")], run: "two" });
    assert.match(
      report.notes.join("\n"),
      /metrics\.jsonl gives several values of a metric in 20 of the 20 steps of two\. The last line of a step counts; if/,
    );
    // What a resumed run says again is the same, or only a few steps of it.
    await put("one/metrics.jsonl", steps(20, 1) + steps(5, 2));
    assert.deepEqual((await bring({ paths: [workspace.file("one")], run: "one" })).notes, []);
  });

  it("says that a row of scores names its version itself", async () => {
    const path = await put("scores.csv", "version,score,n\nv1,0.5,100\n");
    const report = await bring({ paths: [path], version: "mine" });
    assert.deepEqual(
      [report.scores, report.notes],
      [1, [`--version has no effect on scores without rollouts, where each row names its version: ${path}.`]],
    );
  });

  it("lists the runs of the contract file, not those of another file of the same name", async () => {
    const [outer, inner] = [
      await put("x.jsonl", toLine(makeRollout({ run: "outer" }))),
      await put("sub/x.jsonl", toLine(makeRollout({ run: "inner" }))),
    ];
    for (const [path, run] of [
      [outer, "outer"],
      [inner, "inner"],
    ] as const)
      assert.deepEqual(
        (await bring({ paths: [path] })).runs.map((r) => r.run),
        [run],
      );
  });

  it("reads every file as the contract on request", async () => {
    const path = await put("x.jsonl", verl + toLine(makeRollout()));
    const report = await bring({ paths: [path], as: "evotrainer" });
    assert.deepEqual([report.files.read, report.rollouts, report.problems.map((p) => p.line)], [1, 1, [1]]);
    assert.deepEqual(
      report.runs.map((r) => [r.run, r.format]),
      [["run-1", "evotrainer"]],
    );
  });

  it("does not read a file as the contract while the archive has it in another format, and says what to do", async () => {
    const path = await put("x.jsonl", toLine({ ...makeRollout(), input: "a", output: "b", score: 1 }));
    await bring({ paths: [path], as: "verl", version: "mine" });
    const { refused } = await bring({ paths: [path], as: "evotrainer" });
    assert.match(refused[0]?.reason ?? "", /as verl, .*evotrainer archive forget "mine"$/);
    await forget(store, { version: "mine" });
    assert.equal((await bring({ paths: [path], as: "evotrainer" })).rollouts, 1);
  });

  it("says which options have no effect on contract files, and imports the folder", async () => {
    await put("in/contract.jsonl", toLine(makeRollout()));
    await put("in/1.jsonl", verl);
    const paths = [workspace.file("in")];
    const report = await bring({ paths, split: "selection", passWhen: "reward > 0.0" });
    assert.equal(report.rollouts, 2);
    assert.deepEqual(report.notes, [
      `--split and --pass-when have no effect on a file of the evidence contract, where each rollout says its run, split and outcome itself: ${workspace.file("in/contract.jsonl")}.`,
    ]);
    assert.deepEqual((await bring({ paths })).notes, []);
    assert.deepEqual((await bring({ paths: [workspace.file("in/1.jsonl")], run: "other" })).notes, []);
  });

  it("refuses those options when every file is to be read as the contract", async () => {
    const paths = [await put("in/contract.jsonl", toLine(makeRollout()))];
    const words = /^--run has no effect on the evidence contract, .*; leave it out\.$/;
    await fails({ paths, as: "evotrainer", run: "mine" }, "badInput", words);
    assert.deepEqual(await store.query({ sql: "SELECT 1 FROM rollouts", params: [] }), []);
  });

  it("skips mappings in a folder, and says that they read nothing when files are left over", async () => {
    const text = `apiVersion: evotrainer/v1
kind: Evidence
name: mine
records: jsonl
match: ["*.log"]
fields: { item: record.task, prompt: record.task, completion: record.answer, reward: record.score, outcome: { pass: record.score == 1, fail: record.score == 0 } }
`;
    const mapping = await put("in/mine.evidence.yaml", text);
    await put("in/1.jsonl", verl);
    const paths = [workspace.file("in")];
    const quiet = await bring({ paths });
    assert.deepEqual([quiet.unrecognised, quiet.notes], [[], []]);
    await put("in/a.log", `${JSON.stringify({ task: "t", answer: "a", score: 1 })}\n`);
    const left = await bring({ paths });
    assert.equal(left.files.unrecognised, 1);
    assert.deepEqual(left.notes, [
      `Mappings in a folder are used only if you name them among the paths: ${mapping}.`,
    ]);
    const read = await bring({ paths: [...paths, mapping] });
    assert.deepEqual([read.rollouts, read.files.unrecognised, read.notes], [1, 0, []]);
  });
});
