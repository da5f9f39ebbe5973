import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { ProjectSpec } from "../../../../shared/spec/project.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { loadDuckDb } from "../../base/loadDuckDb.ts";
import { findRuns } from "./findRuns.ts";
import { planRuns, type RunsPlan } from "./planRuns.ts";
import { projectText } from "./projectText.ts";
import { verdictIn } from "./verdict.ts";
import { completed } from "./verlProject.ts";

const script = `TRAIN=raw/train.parquet
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
    data.train_files="[$TRAIN]" data.val_files=$NOWHERE/test.parquet \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.rollout.val_kwargs.n=4 \\
    custom_reward_function.path=judge.py
`;

describe("a project around a launch script of verl", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "evo-verl-plan-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  async function parquet(path: string, rows: number): Promise<void> {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    const instance = await loadDuckDb().DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT 'gsm8k' AS data_source, [{role: 'user', content: 'What is ' || least(i, ${rows - 2}) || '?'}] AS prompt,
        {style: 'rule', ground_truth: least(i, ${rows - 2})::VARCHAR} AS reward_model, {"index": i} AS extra_info
        FROM range(${rows}) t(i)) TO '${join(root, path)}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
  }
  async function planOf(): Promise<RunsPlan> {
    const found = await findRuns([join(root, "run.sh"), join(root, "outputs")]);
    const verdict = await verdictIn(found.runs);
    for (const name of ["verl_launch.py", "evidence_writer.py"]) write(`programs/${name}`, `# ${name}`);
    const plan = await completed(planRuns(found, root), {
      found,
      root,
      programs: join(root, "programs"),
      verdict,
    });
    ProjectSpec.parse(parse(projectText(plan)));
    return plan;
  }
  const dump = (...scores: readonly object[]): string =>
    scores
      .map(
        (told) =>
          `${JSON.stringify({ input: "user\nWhat is 1?\nassistant\n", output: "1", step: 1, ...told })}\n`,
      )
      .join("");

  it("takes its items from the data that the script names, and says the line of what it cannot read", async () => {
    write("run.sh", script);
    write("judge.py", "def compute_score(): ...\n");
    write(
      "outputs/run1/rollouts/1.jsonl",
      dump({ score: 1, acc: true, format: 0.5 }, { score: 0, acc: false, format: 1 }),
    );
    await parquet("raw/train.parquet", 10);
    const plan = await planOf();
    const items = (plan.copies["data/train.jsonl"] ?? "")
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    // One of ten rows is there twice.
    assert.equal(items.length, 9);
    assert.deepEqual(items[0], {
      data_source: "gsm8k",
      prompt: [{ role: "user", content: "What is 0?" }],
      reward_model: { style: "rule", ground_truth: "0" },
      extra_info: { index: 0 },
      id: "train-0",
    });
    assert.deepEqual(plan.evaluation.told, [
      "data/train.jsonl has 9 items, of [$TRAIN] (run.sh:3); 1 rows that are there twice count once.",
    ]);
    assert.equal(plan.copies["data/selection.jsonl"], undefined);
    const said = plan.unknown.join("\n");
    assert.match(
      said,
      /for selection and audit: run\.sh:3 sets data\.val_files, but nobody knows what \$NOWHERE\/test\.parquet is; .*write data\/selection\.jsonl and data\/audit\.jsonl: lines such as/,
    );
    assert.match(
      said,
      /How to give run\.sh further settings: write "\$@" at the end of its command, in line 6\./,
    );
    assert.deepEqual(plan.command.words, ["python3", "trainer/verl_launch.py", "run.sh"]);
    assert.equal(plan.evaluation.samples, 4);
    assert.ok(plan.evaluation.files.includes("judge.py"));
  });

  it("halves what is for validation between selection and audit, in an order that the content decides", async () => {
    write("run.sh", script.replace("$NOWHERE/test.parquet", "raw/test.parquet $@"));
    write("outputs/run1/rollouts/1.jsonl", dump({ score: 1 }, { score: 0 }));
    await parquet("raw/train.parquet", 4);
    await parquet("raw/test.parquet", 21);
    const plan = await planOf();
    const ids = ["selection", "audit"].map((split) =>
      [...(plan.copies[`data/${split}.jsonl`] ?? "").matchAll(/"id":"(val-\d+)"/g)].map(([, id]) => id),
    );
    assert.deepEqual(
      ids.map((of) => of.length),
      [10, 10],
    );
    assert.equal(new Set(ids.flat()).size, 20);
    assert.deepEqual((await planOf()).copies, plan.copies);
    assert.match(
      plan.unknown.join("\n"),
      /Whether raw\/test\.parquet is in git: it holds the items of the audit too/,
    );
    assert.deepEqual(plan.command.words.slice(2), ["run.sh", "--pass-score", "1.0"]);
    // What the project has already stays.
    write("data/train.jsonl", "mine\n");
    assert.equal((await planOf()).copies["data/train.jsonl"], undefined);
  });

  it("has a reward spec of what the rollouts show of a reward that is code, and says what it could not know", async () => {
    write("run.sh", script);
    write(
      "outputs/run1/rollouts/1.jsonl",
      dump({ score: 0.5, format: 0.5, len: 3, "Bad Name": 1 }, { score: 1, format: 1, len: 9 }),
    );
    const plan = await planOf();
    const text = plan.copies["harness/observed.reward.yaml"] ?? "";
    const { components } = RewardSpec.parse(parse(text));
    assert.deepEqual(
      Object.entries(components).map(([name, { weight }]) => [name, weight]),
      [
        ["score", 1],
        ["format", 0],
        ["len", 0],
      ],
    );
    assert.match(text, /format: \{ weight: 0 \} # in 2 of them, from 0\.5 to 1; always equal to the score/);
    assert.match(
      plan.unknown.join("\n"),
      /How judge\.py makes the score of format, len; .*nobody proposes changes to it\.[^]*cannot be a name in a reward spec: Bad Name/,
    );
    assert.match(projectText(plan), /^reward: harness\/observed\.reward\.yaml$/m);
  });
});
