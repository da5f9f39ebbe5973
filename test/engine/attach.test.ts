import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Following, snapshot, type Stands } from "../support/attach/following.ts";
import { fixtureSet } from "../support/evidence/import.ts";
import { loadDuckDb } from "../../server/src/base/loadDuckDb.ts";
import { evotrainer } from "./cli.ts";
import { Page, verlSample } from "./importAnswers.ts";

const low = `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: low\nlabel: { when: reward < 0.5 }\n`;
/** Samples of one step as verl dumps them: every second has the score 0. */
const samples = (step: number, count: number, score = 1): string =>
  Array.from({ length: count }, (_, i) =>
    verlSample({ input: `user\nquestion ${i}\nassistant\n`, step, score: i % 2 === 0 ? score : 0 }),
  ).join("");
const sizes = ({ steps }: Stands): (readonly [number, number])[] =>
  steps.map(({ step, rollouts }) => [step, rollouts]);

describe("attach", function () {
  this.timeout(180_000);
  let root = "";
  let cwd = "";
  let run = "";
  let following: Following | undefined;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-attach-"));
    cwd = join(root, "here");
    run = join(root, "their run");
    mkdirSync(cwd);
    mkdirSync(join(run, "rollouts"), { recursive: true });
    writeFileSync(join(cwd, "low.diagnostic.yaml"), low);
  });
  afterEach(async () => {
    await following?.end("SIGKILL");
    following = undefined;
    rmSync(root, { recursive: true, force: true });
  });
  const follow = (...args: string[]): Following =>
    (following = new Following(cwd, run, "--every", "1", ...args));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(run, name)), { recursive: true });
    appendFileSync(join(run, name), text);
  };
  /** Makes a file look as if it had just grown, however long the first look takes on a busy machine. */
  const growing = (name: string): void => {
    const later = Date.now() / 1000 + 3600;
    utimesSync(join(run, name), later, later);
  };
  const once = (...args: string[]): { code: number | null; stderr: string; now: Stands } => {
    const { code, stdout, stderr } = evotrainer(cwd, "--json", "attach", run, "--once", ...args);
    return { code, stderr, now: JSON.parse(stdout) as Stands };
  };

  it("labels lines as they come, and marks the step that is not complete", async () => {
    write("rollouts/1.jsonl", samples(1, 8));
    growing("rollouts/1.jsonl");
    write("exp.jsonl", '{"step":1,"data":{"critic/score/mean":0.5}}\n');
    const attached = follow();
    const first = await attached.until("the first step", ({ rollouts }) => rollouts === 8);
    assert.deepEqual([first.version, first.split, first.newest?.isComplete], ["their-run", "train", false]);
    assert.deepEqual(first.steps[0]?.labels["low"], 4);
    assert.deepEqual(first.metrics, [{ name: "critic/score/mean", step: 1, value: 0.5 }]);

    const line = verlSample({ step: 2, score: 0 });
    write("rollouts/2.jsonl", samples(2, 3) + line.slice(0, 20));
    growing("rollouts/2.jsonl");
    const begun = await attached.until("the second step", ({ steps }) => steps.length === 2);
    assert.deepEqual(sizes(begun), [
      [1, 8],
      [2, 3],
    ]);
    assert.deepEqual([begun.newest?.step, begun.newest?.isComplete], [2, false]);
    write("rollouts/2.jsonl", line.slice(20) + samples(2, 4));
    write("exp.jsonl", '{"step":2,"data":{"critic/score/mean":0.25}}\n');
    const whole = await attached.until(
      "all of it",
      ({ rollouts, metrics }) => rollouts === 16 && metrics[0]?.step === 2,
    );
    assert.equal(whole.quarantined, 0);
    assert.equal(whole.steps[1]?.labels["low"], 4);
    const done = await attached.until("quiet", ({ newest }) => newest?.isComplete === true);
    assert.deepEqual(sizes(done), [
      [1, 8],
      [2, 8],
    ]);

    const before = snapshot(run);
    assert.equal(await attached.end(), 130);
    assert.match(
      attached.errors,
      /Interrupted\. The run goes on\. Run the same command again to continue from here\./,
    );
    assert.deepEqual(snapshot(run), before);
    assert.deepEqual(evotrainer(cwd, "rollouts", "their-run", "--label", "low").code, 0);
  });

  it("goes on where it was after it was killed", async () => {
    write("rollouts/1.jsonl", samples(1, 6));
    await follow().until("the first step", ({ rollouts }) => rollouts === 6);
    await following?.end("SIGKILL");
    write("rollouts/1.jsonl", samples(1, 2));
    write("rollouts/2.jsonl", samples(2, 8));
    const now = await follow().until("what came meanwhile", ({ rollouts }) => rollouts === 16);
    assert.deepEqual(sizes(now), [
      [1, 8],
      [2, 8],
    ]);
    assert.equal(now.version, "their-run");
    assert.deepEqual(now.replaced, []);
    assert.equal(following?.said.at(0)?.added.rollouts, 10);
  });

  it("reads a file from the beginning if it was replaced, cut or overwritten", async () => {
    writeFileSync(join(cwd, "low.diagnostic.yaml"), `${low}alert: { above: 0.4 }\n`);
    for (const step of [1, 2, 3]) write(`rollouts/${step}.jsonl`, samples(step, 8));
    const attached = follow();
    await attached.until("three steps", ({ rollouts }) => rollouts === 24);
    writeFileSync(join(run, "rollouts/1.jsonl"), samples(1, 4));
    const cut = await attached.until("the cut file", ({ rollouts }) => rollouts === 20);
    assert.deepEqual(cut.replaced, [join(run, "rollouts/1.jsonl")]);
    writeFileSync(join(run, "new"), samples(2, 10, 0.25));
    renameSync(join(run, "new"), join(run, "rollouts/2.jsonl"));
    const replaced = await attached.until("the replaced file", ({ rollouts }) => rollouts === 22);
    assert.deepEqual(
      replaced.steps.map(({ reward, labels }) => [reward, labels["low"]]),
      [
        [0.5, 2],
        [0.125, 10],
        [0.5, 4],
      ],
    );
    // Labels do not wait for what is computed over all rollouts.
    assert.ok(attached.said.some(({ rollouts, isBehind }) => rollouts === 22 && isBehind));
    const whole = await attached.until("the alarm", ({ alarms, isBehind }) => alarms.length > 0 && !isBehind);
    assert.deepEqual([whole.rollouts, whole.alarms.map(({ name }) => name)], [22, ["low"]]);
  });

  it("reads files that are written as a whole again, and waits for one that is half written", async () => {
    const history = (...rewards: number[]): string =>
      JSON.stringify({ log_history: rewards.map((reward, i) => ({ step: i + 1, reward })) });
    write("trainer_state.json", history(0.1));
    await parquet(join(run, "completions/completions_00001.parquet"), 1, 4);
    const attached = follow();
    const first = await attached.until("the first step", ({ rollouts }) => rollouts === 4);
    assert.deepEqual(first.metrics, [{ name: "reward", step: 1, value: 0.1 }]);
    writeFileSync(join(run, "trainer_state.json"), history(0.1, 0.2).slice(0, 30));
    await parquet(join(run, "completions/completions_00002.parquet"), 2, 4);
    const second = await attached.until("the second step", ({ rollouts }) => rollouts === 8);
    assert.deepEqual(second.metrics, [{ name: "reward", step: 1, value: 0.1 }]);
    writeFileSync(join(run, "trainer_state.json"), history(0.1, 0.2));
    const whole = await attached.until("the second metric", ({ metrics }) => metrics[0]?.step === 2);
    assert.deepEqual(whole.metrics, [{ name: "reward", step: 2, value: 0.2 }]);
    assert.deepEqual(sizes(whole), [
      [1, 4],
      [2, 4],
    ]);
  });

  it("compares with an archived run at the newest step that both have whole", () => {
    mkdirSync(join(root, "old"));
    for (const step of [1, 2, 3]) writeFileSync(join(root, `old/${step}.jsonl`), samples(step, 8, 0.25));
    assert.equal(evotrainer(cwd, "import", join(root, "old"), "--version", "old").code, 0);
    write("rollouts/1.jsonl", samples(1, 8));
    write("rollouts/2.jsonl", samples(2, 8));
    write("rollouts/3.jsonl", samples(3, 2));
    const { comparison } = once("--compare", "old").now;
    assert.ok(comparison !== null);
    assert.equal(comparison.step, 2);
    assert.deepEqual([comparison.ours.reward, comparison.theirs.reward], [0.5, 0.125]);
    const label = comparison.labels.find((l) => l.label === "low");
    assert.deepEqual([label?.ours, label?.theirs, label?.difference], [0.5, 1, -0.5]);
    const text = evotrainer(cwd, "attach", run, "--once", "--compare", "old").stdout;
    assert.match(text, /\nAgainst old, both at step 2\n/);
    assert.match(text, /\n {2}reward +0\.125 +0\.5\n/);
    assert.match(
      text,
      /\n +3 +2 +0\.5 +– +INCOMPLETE \(2 of about 8: the steps before it have 8 rollouts\)\n/,
    );
    const judged = ["--version", "judged", "--split", "selection"];
    mkdirSync(join(root, "judged"));
    writeFileSync(join(root, "judged/1.jsonl"), samples(1, 8, 0.5));
    assert.equal(evotrainer(cwd, "import", join(root, "judged"), ...judged).code, 0);
    const none = once("--compare", "judged").now;
    assert.match(
      none.notes.join(),
      /^judged is not compared yet: the run that you follow has not finished a step at which judged has rollouts of the train split/,
    );
    const itself = evotrainer(cwd, "attach", run, "--once", "--compare", "their-run");
    assert.equal(itself.code, 2);
    assert.match(itself.stderr, /their-run is the followed run itself/);
  });

  it("says alarms with the step at which they were first seen, and exits with 1 once", () => {
    writeFileSync(join(cwd, "low.diagnostic.yaml"), `${low}alert: { above: 0.4 }\n`);
    write("rollouts/1.jsonl", samples(1, 8));
    assert.deepEqual([once().code, once().now.alarms], [0, []]);
    write("rollouts/2.jsonl", samples(2, 8, 0));
    const second = once();
    assert.deepEqual([second.code, second.now.alarms.map(({ name }) => name)], [1, ["low"]]);
    write("rollouts/3.jsonl", samples(3, 8, 0));
    assert.deepEqual(once().now.since, { low: 2 });
    assert.match(
      evotrainer(cwd, "attach", run, "--once").stdout,
      /\n {2}! ALARM low \(\w+, first seen at step 2\)/,
    );
  });

  it("gives a run of the same name another version, and says what cannot be followed", () => {
    mkdirSync(join(root, "other/their run"), { recursive: true });
    writeFileSync(join(root, "other/their run/1.jsonl"), samples(1, 2));
    write("rollouts/1.jsonl", samples(1, 2));
    assert.equal(once().now.version, "their-run");
    const other = evotrainer(cwd, "--json", "attach", join(root, "other/their run"), "--once");
    assert.equal((JSON.parse(other.stdout) as Stands).version, "their-run-2");
    assert.equal(once().now.version, "their-run");
    const before = snapshot(run);
    const around = evotrainer(join(run, "rollouts"), "attach", "..", "--once");
    assert.equal(around.code, 2);
    assert.match(
      around.stderr,
      /^EvoTrainer writes nothing into the folder of a run, but its archive would be in \.\.; run/,
    );
    assert.deepEqual(snapshot(run), before);
    const misspelt = evotrainer(cwd, "attach", run, "--once", "--compare", "their-rnu");
    assert.equal(misspelt.code, 2);
    assert.match(misspelt.stderr, /^There is no version their-rnu/);
    const missing = evotrainer(cwd, "attach", join(root, "nowhere"), "--once");
    assert.equal(missing.code, 2);
    assert.match(
      missing.stderr,
      /^There is no folder .*nowhere; give the folder that the run writes into, or host:folder\.\n$/,
    );
  });

  it("replays a real dump of verl line by line to what an import of it gives", async function () {
    const dump = join(fixtureSet(this, "rl_verl_rollout_dump"), "hecate_rollouts_2.jsonl");
    const bytes = readFileSync(dump);
    const attached = follow("--version", "followed");
    for (let from = 0, part = 1; from < bytes.length; from = Math.ceil((bytes.length * part++) / 5)) {
      const to = Math.ceil((bytes.length * part) / 5);
      appendFileSync(join(run, "dump.jsonl"), bytes.subarray(from, to));
      const lines = bytes.subarray(0, to).filter((byte) => byte === 0x0a).length;
      await attached.until(`${lines} lines`, ({ rollouts }) => rollouts >= lines);
    }
    await attached.end();
    assert.equal(evotrainer(cwd, "import", dump, "--version", "imported").code, 0);
    const rewards = (version: string): unknown => {
      const page = Page.parse(
        JSON.parse(evotrainer(cwd, "--json", "rollouts", version, "--limit", "1000").stdout),
      );
      return [page.total, page.rollouts.map(({ item, reward }) => [item, reward])];
    };
    const followed = rewards("followed");
    assert.deepEqual(followed, rewards("imported"));
    assert.equal(Array.isArray(followed) && followed[0], 1024);
  });
});

/** Completions of one step, as TRL writes them. */
async function parquet(file: string, step: number, count: number): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const instance = await loadDuckDb().DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT ${step}::BIGINT AS step, 'question ' || i AS prompt, 'It is 4.' AS completion,
                  1.0::DOUBLE AS accuracy_reward, 0.5::DOUBLE AS advantage FROM range(${count}) t(i))
     TO '${file.replaceAll("'", "''")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}
