import { checkMarked } from "../../../../test/support/language/markedText.ts";
import { noFacts } from "../../../../test/support/language/noFacts.ts";
import { sampleProject } from "../../../../test/support/language/sampleProject.ts";
import { splitOverlap } from "./split-overlap.ts";

const project = sampleProject["evotrainer.yaml"] ?? "";
const line = (id: string, prompt = id) => `${JSON.stringify({ id, prompt })}\n`;
const data = {
  "data/train.jsonl": line("t1") + line("t2"),
  "data/selection.jsonl": line("s1") + line("s2"),
  "data/audit.jsonl": line("a1"),
};
const check = (text: string, more: Readonly<Record<string, string>> = {}, facts?: typeof noFacts) =>
  void checkMarked({
    kind: "project",
    path: "evotrainer.yaml",
    text,
    rules: [splitOverlap],
    files: { ...sampleProject, ...data, ...more },
    ...(facts && { facts }),
  });
const marked = (
  mark: string,
  splits = "{ train: data/train.jsonl, selection: data/selection.jsonl, audit: data/audit.jsonl }",
) => project.replace(/ {2}splits: .*\n/, `  splits: ${splits}\n${mark}\n`);
const underSelection = "                                                ^^^^^^^^^^^^^^^^^^^^ split-overlap: ";

describe("rule split-overlap", () => {
  it("accepts splits without common items", () => check(project));

  it("notices one file used twice, however its path is written", () =>
    check(
      marked(
        "                                                ^^^^^^^^^^^^^^^^^^ split-overlap: data/train.jsonl is both the train and the selection split.",
        "{ train: data/train.jsonl, selection: ./data/train.jsonl, audit: data/audit.jsonl }",
      ),
    ));

  it("notices one item used twice, by name or by content", () => {
    check(marked(`${underSelection}The item t2 of data/selection.jsonl is in data/train.jsonl as well.`), {
      "data/selection.jsonl": line("s1") + line("t2", "other"),
    });
    check(marked(`${underSelection}The item s9 of data/selection.jsonl`), {
      "data/selection.jsonl": line("s1") + line("s9", "t1"),
    });
    // Another program may write the keys in another order.
    check(marked(`${underSelection}The item s9 of data/selection.jsonl`), {
      "data/train.jsonl": '{"id":"t1","prompt":"p","more":{"a":1,"b":2}}\n',
      "data/selection.jsonl": '{"more":{"b":2,"a":1},"prompt":"p","id":"s9"}\n',
    });
  });

  it("notices one text used twice, under another name of its field or beside other fields", () => {
    const mark = marked(`${underSelection}The item s9 of data/selection.jsonl`);
    const train = '{"id":"t1","prompt":"How many  legs has a spider?\\n","answer":8}\n';
    for (const asked of ['"question"', '"problem"', '"problem_statement"'])
      check(mark, {
        "data/train.jsonl": train,
        "data/selection.jsonl": `{"id":"s9",${asked}:"How many legs has a spider?","solution":"8"}\n`,
      });
    check(mark, {
      "data/train.jsonl": train,
      "data/selection.jsonl":
        '{"id":"s9","messages":[{"role":"user","content":"How many legs has a spider?"}]}\n',
    });
    // A frame that several items share says nothing.
    check(project, {
      "data/train.jsonl": '{"id":"t1","prompt":"Play.","level":1}\n{"id":"t2","prompt":"Play.","level":2}\n',
      "data/selection.jsonl": '{"id":"s1","prompt":"Play.","level":3}\n',
    });
  });

  it("notices a launch script that trains on what it evaluates on", () => {
    const started = project.replace(/command: .*/, "command: [bash, run.sh]");
    const script = "python3 -m verl.trainer.main_ppo data.train_files=$D/a.jsonl data.val_files=d/b.jsonl";
    check(started, { "run.sh": script });
    const line = started.split("\n").find((one) => one.includes("command: ")) ?? "";
    const mark = `${" ".repeat(line.indexOf("["))}${"^".repeat("[bash, run.sh]".length)} split-overlap: run.sh trains on d/b.jsonl (data.train_files) and evaluates on it (data.val_files).`;
    check(started.replace(line, `${line}\n${mark}`), {
      "run.sh": script.replace("$D/a.jsonl", "d/b.jsonl"),
    });
  });

  it("skips lines that are not items", () =>
    check(project, {
      "data/train.jsonl": 'broken\n{}\n[1]\n\n{"id":',
      "data/selection.jsonl": "{}\nbroken\n",
    }));

  it("notices items that the archive has in both splits", () =>
    check(
      marked(`${underSelection}2 items (x and y) are in archived rollouts of both`),
      {},
      {
        ...noFacts,
        sharedItems: ["x", "y"],
      },
    ));

  it("notices a config that trains on evaluation data", () => {
    const config = (text: string) =>
      void checkMarked({
        kind: "config",
        path: "harness/config.json",
        text,
        rules: [splitOverlap],
        files: sampleProject,
      });
    config(`data:
  train_files: [/mnt/data/selection.jsonl, data/more.jsonl]
                ^^^^^^^^^^^^^^^^^^^^^^^^^ split-overlap: but versions are evaluated on data/selection.jsonl.
  train_batch_size: 128
  val_batch_size: 128
`);
    config(`train_files: gsm8k/all.parquet
             ^^^^^^^^^^^^^^^^^ split-overlap: gsm8k/all.parquet is training data here, and evaluation data as val_files.
val_files: [gsm8k/all.parquet]
`);
    config(`train_data_path: \${oc.env:ROOT}/data/selection.jsonl
                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ split-overlap: but versions are evaluated on data/selection.jsonl.
`);
    config(`train-dataset-path: \${root}/x.parquet
                    ^^^^^^^^^^^^^^^^^ split-overlap: training data here, and evaluation data as eval_data_path.
eval_data_path: \${other}/x.parquet
`);
    config(
      "train_files: data/train.jsonl\nval_files: data/selection.jsonl\ntrain_dataset: gsm8k\neval_dataset: gsm8k\n",
    );
  });
});
